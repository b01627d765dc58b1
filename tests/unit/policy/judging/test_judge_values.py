"""Values that are known from the line, and those that are not: variables, loops, revisions."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

ROOT = "/srv/calc"
CONTEXT = ShellContext(ROOT)
LOOKS = replace(empty_disk(directories=frozenset({f"{ROOT}/src"})), shfmt=system_lookups().shfmt)


def decided(line: str, context: ShellContext = CONTEXT) -> str:
    return said(line, context, LOOKS)


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ('for w in api web; do npm run lint --workspace "packages/$w" | tail -5; done', "allow"),
        ('for a in x y; do for b in 1 2; do cat "src/$a/$b.ts" | wc; done; done', "allow"),
        ('for d in a b; do (cd "packages/$d" && npm test | tail -3); done', "allow"),
        ('for f in a .env; do cat "$f" | head; done', "deny"),
        ("for s in build deploy; do npm run $s | tail -1; done", "ask"),
        ("for d in src ..; do (cd $d && ls); done", "deny"),
        ("for d in 1 2 3 4 5 6 7 8 9; do (cd $d && ls); done", "deny"),
        ('A=.e; B=nv; cat "$A$B"', "deny"),
        ('A=src; B=x.ts; cat "$A/$B"', "allow"),
    ],
)
def test_an_argument_made_of_known_words_is_judged_as_if_written_out(
    line: str, decision: str
) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    "line",
    [
        'x=src; unset x; cat "$x/etc/passwd"',
        "x=README.md; read -r x < y; cat $x",
        "_=README.md; true .env; cat $_",
        'for _ in README.md; do true .env; cat "$_"; done',
        'PWD=/etc; cat "$PWD/passwd"',
        "SECONDS=README.md; cat $SECONDS",
        "echo | while read -r MY_TOKEN; do :; done; echo $MY_TOKEN",
        "cat {x},.env}",
        "find . {x},-delete}",
    ],
)
def test_a_value_that_may_be_another_by_then_is_not_known(line: str) -> None:
    assert decided(line) == "deny"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ('while read -r f; do echo "- $f"; done < list.txt', "allow"),
        ("git ls-files | while IFS= read -r f; do printf '%s\\n' \"$f\"; done", "allow"),
        ('while read -r f; do cat "$f"; done < list.txt', "deny"),
        ('while read -r f; do git show "HEAD:$f"; done < list.txt', "deny"),
        ("while read -r f; do $f; done < list.txt", "deny"),
        ("while read -r PATH; do ls; done < list.txt", "deny"),
        ("while read -r f; do ls; done < .env", "deny"),
        ("IFS=, ls", "deny"),
        ("read x", "deny"),
    ],
)
def test_lines_that_are_read_are_printed_and_nothing_else(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("git log $(git merge-base main HEAD)..HEAD", "allow"),
        ('git diff "$(git merge-base main HEAD)" -- src', "allow"),
        ("git reset --soft $(git merge-base main HEAD)", "allow"),
        ("git log origin/$(git branch --show-current)..HEAD", "allow"),
        ("git log $(git rev-parse HEAD --output=x)", "deny"),
        ("git log $(cat x)", "deny"),
        ("git show $(git rev-parse HEAD):.env", "deny"),
        ("git log HEAD@{1}..HEAD@{0} && git show @{u}", "allow"),
        ("git show HEAD@{1}:.env", "deny"),
        ("git stash apply stash@{1}", "allow"),
        ("git stash drop stash@{1}", "deny"),
        ("git stash show stash@{1,2}", "deny"),
        ("npm test | tail; [ ${PIPESTATUS[0]} -eq 0 ] || exit ${PIPESTATUS[0]}", "allow"),
        ("cat ${PIPESTATUS[0]}", "deny"),
    ],
)
def test_revisions_and_statuses_are_known_for_what_they_are(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "run", "read"),
    [
        ("git format-patch -1 --stdout", "allow", "allow"),
        ("git format-patch -1 --stdout > /tmp/x.patch", "allow", "allow"),
        ("git format-patch -o patches main", "allow", "deny"),
        ("git format-patch -3", "allow", "deny"),
        ("git format-patch -o ../x main", "deny", "deny"),
        ("git format-patch -o .git/hooks main", "deny", "deny"),
        ("git merge-tree --write-tree main feat/x", "allow", "allow"),
    ],
)
def test_patches_are_printed_or_written_into_the_project(line: str, run: str, read: str) -> None:
    assert (decided(line), decided(line, replace(CONTEXT, roles="read"))) == (run, read)


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("time npm test 2>&1 | tail -5", "allow"),
        ("time -p npm test", "allow"),
        ("time rm x", "deny"),
        ("time git push --force", "ask"),
        ("time -o x ls", "deny"),
        ("ls | time -o x wc", "deny"),
        ("X=1 time ls", "deny"),
    ],
)
def test_what_is_timed_is_judged_as_if_it_stood_alone(line: str, decision: str) -> None:
    assert decided(line) == decision


def test_more_readings_than_fit_into_any_memory_are_refused_at_once() -> None:
    uses = " ".join(["$x"] * 40)

    assert decided(f"for x in a b c d e f g h i j; do echo {uses}; done") == "deny"
