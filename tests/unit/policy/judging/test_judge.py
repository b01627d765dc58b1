"""The strictest part of a line decides, and what is not known is refused."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said, with_links
from treadle.domain.agent import Allow, Ask, Deny
from treadle.domain.shell import ParserUnavailable
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

ROOT = "/srv/calc"
CONTEXT = ShellContext(ROOT)
LOOKS = replace(empty_disk(directories=frozenset({f"{ROOT}/src"})), shfmt=system_lookups().shfmt)


def decided(line: str, context: ShellContext = CONTEXT) -> str:
    return said(line, context, LOOKS)


def test_an_allowed_line_names_the_rules_that_allowed_it() -> None:
    assert decide_line("ls -la && git status", CONTEXT, lookups=LOOKS) == Allow(
        rule="git status, ls"
    )


def test_a_question_shows_the_whole_line_to_the_person() -> None:
    line = "npm test && git push --force"

    assert decide_line(line, CONTEXT, lookups=LOOKS) == Ask(
        "A person must agree: It rewrites or deletes what others may have fetched.",
        subject=line,
        rule="gate-force-push",
    )


def test_a_denial_wins_over_a_question() -> None:
    answer = decide_line("git push --force; rm x", CONTEXT, lookups=LOOKS)

    assert (type(answer), answer.rule) == (Deny, "rm")


def test_an_empty_line_does_nothing_and_may() -> None:
    assert decided("  \n ") == "allow"


@pytest.mark.parametrize("line", ["ls", "git log | head", "echo '; rm x'", "X=1; echo $X"])
@pytest.mark.parametrize("more", ["; rm x", "\nrm x", " && rm x", " || rm x", " | sh", " & rm x"])
def test_one_forbidden_command_refuses_the_line_wherever_it_stands(line: str, more: str) -> None:
    assert decided(line + more) == "deny"


def test_a_failure_while_judging_is_a_denial() -> None:
    def broken(path: str) -> str:
        raise RuntimeError(path)

    answer = decide_line("ls", CONTEXT, lookups=replace(LOOKS, real_path=broken))

    assert (type(answer), answer.rule) == (Deny, "judge-failed")


def test_without_the_second_parser_only_plain_lines_are_judged() -> None:
    alone = replace(LOOKS, shfmt=lambda line: ParserUnavailable("gone"))

    assert (said("ls -la", CONTEXT, alone), said("echo $(ls)", CONTEXT, alone)) == ("allow", "deny")


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("cd src && touch a.ts", "allow"),
        ("cd src && touch ../a.ts", "allow"),
        ("cd src && touch ../../a.ts", "deny"),
        ("cd src && cat ../package.json", "allow"),
        ("cd .treadle && touch a", "deny"),
        ("(cd src) && touch ../a.ts", "deny"),
        ("(cd src && touch ../a.ts); touch b.ts", "allow"),
        # If the directory is not there, `cd` fails and what follows runs where it was.
        ("cd gone; touch ../a.ts", "deny"),
        ("cd gone; cat ../a.ts", "allow"),
        ("mkdir -p build && cd build && ls ..", "allow"),
        ("cd ..", "deny"),
        ("cd /tmp && touch x", "allow"),
        ("cd", "deny"),
        ("cd $HOME", "deny"),
        ("X=.treadle; cd $X; touch status.json", "deny"),
        ("false || cd src; touch ../a.ts", "deny"),
        ("cd src; for i in 1 2; do cd ..; done", "deny"),
        ("git -C src add ../a.ts", "allow"),
        ("git -C src add ../../a.ts", "deny"),
        ("make -C .. test", "deny"),
    ],
)
def test_paths_are_followed_through_changes_of_directory(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("echo x > inner/a", "deny"),
        ("cp a inner/b", "deny"),
        ("cat inner/passwd", "deny"),
        ("ls inner", "deny"),
        ("touch state/x", "deny"),
        ("cat state/x", "allow"),
        ("touch plain/x", "allow"),
    ],
)
def test_links_are_followed_before_a_path_is_judged(line: str, decision: str) -> None:
    links = {f"{ROOT}/inner": "/etc", f"{ROOT}/state": f"{ROOT}/.treadle"}

    assert said(line, CONTEXT, with_links(LOOKS, links)) == decision


def test_a_project_behind_a_link_is_known_by_both_names() -> None:
    linked = with_links(LOOKS, {ROOT: "/data/calc"})

    assert said(f"touch {ROOT}/a", CONTEXT, linked) == "allow"
    assert said("touch /data/calc/a", CONTEXT, linked) == "allow"
    assert said(f"touch {ROOT}/.treadle/a", CONTEXT, linked) == "deny"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("X=src; ls $X", "allow"),
        ("X=../..; ls $X", "deny"),
        ("X=/etc/passwd; cat $X", "deny"),
        ('X="a --output=b"; git log $X', "deny"),
        ("X=--output=b; git log $X", "deny"),
        ('X=--output=b; git log "$X"', "deny"),
        ("true && X=src || X=/etc; ls $X", "deny"),
        ("X=src ls; ls $X", "deny"),
        ("for f in a b; do cat $f.ts; done", "allow"),
        ("for f in a ../../b; do cat $f; done", "deny"),
        ("for f in src/*.ts; do wc -l $f; done", "allow"),
        ("for f in *; do touch $f; done", "deny"),
        ('for f in .e*; do cat "$f"; done', "deny"),
        ('for f in {a,/etc/passwd}; do cat "$f"; done', "deny"),
        ('for f in ~/.netrc; do cat "$f"; done', "deny"),
        ('X=~/.netrc; cat "$X"', "deny"),
        ('X="a --output=b"; git log "c"$X', "deny"),
        ("X=a/b/c; cat '$X'/../../../x/$X", "deny"),
        ("for PATH in /tmp; do ls; done", "deny"),
        ("X=$(git rev-parse HEAD); echo $X", "allow"),
        ('git commit -m "$(cat VERSION)"', "allow"),
        ("git commit -m $(cat VERSION)", "deny"),
        ("echo $SOME_KEY", "deny"),
        ("echo $HOME", "allow"),
        ("cat $HOME/x", "deny"),
    ],
)
def test_a_variable_is_judged_by_every_value_it_may_have(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("ls {a,b}", "allow"),
        ("find . {-delete,-print}", "deny"),
        ("mkdir -p src/{a,b}", "allow"),
        ("mkdir -p {src,.treadle}/a", "deny"),
        ("cat {a,/etc/passwd}", "deny"),
        ('ls "a"{b,c}', "deny"),
        ("echo {1..3}", "allow"),
        ("find . {-..-}delete", "deny"),
        ("ls " + "{a,b}" * 12, "deny"),
    ],
)
def test_braces_are_written_out_before_words_are_read(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize("line", ["./", "./.", f"{ROOT}/"])
def test_the_project_itself_is_no_program(line: str) -> None:
    answer = decide_line(line, CONTEXT, lookups=LOOKS)

    assert answer == Deny(f"{line} is the project's own directory, not a program.", rule="program")


def test_a_program_that_anybody_could_have_put_there_is_not_run() -> None:
    planted = replace(LOOKS, which=lambda name: f"{ROOT}/tools/{name}")
    ours = replace(LOOKS, which=lambda name: f"{ROOT}/.venv/bin/{name}")

    assert (said("ls", CONTEXT, planted), said("pytest", CONTEXT, ours)) == ("deny", "allow")


def test_a_trusted_name_that_leads_elsewhere_is_not_run() -> None:
    moved = with_links(LOOKS, {"/usr/bin/git": "/tmp/git"})

    assert said("/usr/bin/git status", CONTEXT, moved) == "deny"


@pytest.mark.parametrize(
    "line",
    [
        "git -C src push --force",
        "git --no-pager -C src push -f origin main",
        "npm -w web --silent publish",
        "npm --prefix src run deploy",
        "yarn workspace web run deploy",
        "flask --app web db upgrade",
    ],
)
def test_the_value_of_an_option_does_not_hide_what_a_person_is_asked_about(line: str) -> None:
    assert decided(line) == "ask"


@pytest.mark.parametrize(
    "line", ["cd .treadle && npm init -y", "git -C .git init", "make -C .claude"]
)
def test_nothing_starts_in_a_protected_directory(line: str) -> None:
    assert decided(line) == "deny"
