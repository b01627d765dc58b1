"""What bash makes of words, places and variables does not lead a line past its rules."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.policy.judging.braces import expand_braces
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

CONTEXT = ShellContext("/srv/calc")
LOOKS = replace(
    empty_disk(directories=frozenset({"/srv/calc", "/srv/calc/web", "/srv/calc/web/src"})),
    shfmt=system_lookups().shfmt,
)

RANGES = (
    *("cat .{e..e}nv", "touch {t..t}readle.toml", "touch .{t..t}readle/x", "git add .{e..e}nv"),
    *("cp x .{g..g}it/hooks/pre-commit", "mkdir -p .{c..c}laude/commands"),
    *("for f in .{c..c}laude; do touch $f/x; done", "tee .{m..m}cp.json < x"),
    *("echo x > .{m..m}cp.json", "cat .e{m..o}v", "cat {A..z}", "cat {-99..-10}", "cat {a..1}"),
    "for f in '.'{e..e}nv; do cat $f; done",
)
LEFT = (
    *("cd a/b; cat ../../etc/shadow", "cd a/b/c; node ../../../tmp/evil.js", "cd no; grep a ../x"),
    *(
        "cd no\npython3 ../x.py",
        "cd no || true; node ../x",
        "cd no; cd ..; node x",
        "cd no; rm ../x",
    ),
    *("cd no && true; node ../x", "if cd no; then :; fi; cat ../../x"),
    "; ".join(f"cd d{number}" for number in range(9)) + "; ls",
)
COMPUTED = (
    *("RANDOM='a[x]'", "X='$(id)]'; SECONDS=\"a[$X\"", "read RANDOM <<< 'a[1]'", "LINENO=x"),
    *("read -r SECONDS < x.txt", "while read -r RANDOM; do :; done < x.txt", "OPTIND=x"),
    *("for RANDOM in a; do :; done", "for BASH_X in a; do :; done", "export HISTCMD=a"),
)
SHOWN = (
    *('for x in "$ANTHROPIC_API_KEY"; do echo "$x"; done', "echo $API_KEY; API_KEY=x"),
    'case "$ANTHROPIC_API_KEY" in sk*) echo yes;; esac',
)
GUARDED = (
    *("cat .env.s*", "cat *.pem", "cat id_rs?", "cat server.ke?", "cat credential*"),
    *("head -5 *.key", "cat .env-production", "cat .env~", "cat conf/*.p12", "cat .en[v]"),
    *("cat .ss?/config", "for f in *.pem; do cat $f; done", "cat {x,*.pem}", "grep a *.tfvars"),
    *("cp tpl/treadle.tom? .", "cp -r tpl/.cl* .", "cp tpl/treadle.* .", "cp tpl/.mcp.jso? ."),
    *("cp -t . tpl/treadle.tom*", "cp .e[[:lower:]]v x"),
)
FILTERS = (
    *(r"grep -rh . --include='.e\nv' .", "grep -rh . --include='[[:punct:]]env' ."),
    *("grep -rh . --include='[^a]env' .", "rg . -uu -g '[^a]env'", "git grep . -- '[^a]env'"),
)
ENDLESS = (
    *("while ! false; do :; done", "while [ 1 = 1 ]; do :; done", "while test 1; do :; done"),
    *("while (true); do :; done", "while { true; }; do :; done", "until ! true; do :; done"),
    *(
        "while [[ a == a ]]; do :; done",
        "until [ 1 = 2 ]; do :; done",
        "while [ -n x ]; do :; done",
    ),
    *("printf '%*d' 1000000000 1", 'n=99999; printf "%*d" "$n" 1'),
)
UNSEEN = ('cat <<< "$(cat /tmp/x.py)" | python3 -', "cat x | ruby -wv -")

FINE = (
    *("touch {a..c}.txt", "for i in {1..3}; do echo $i; done", "mkdir -p src/{a,b}{1..2}"),
    "for i in {1..60}; do echo $i; done",
    *("cd web; npm test", "cd web; cat ../a", "cd web && cat ../a", "(cd new && npm ci)"),
    *("cd new; npm ci", "cd new && cat ../a", "cd new; npm run build; cd .."),
    *("SECONDS=0; npm test; echo $SECONDS", "for n in a b; do echo $n; done"),
    *('x=1 y="$x"; echo "$y"', 'for f in a b; do case "$f" in a) ls;; esac; done'),
    *(
        'while read -r f; do echo "$f"; done < x',
        'x=a; (echo "$x")',
        "x=a; for y in $x; do ls; done",
    ),
    *('for f in a; do x=$f; done; echo "$x"', 'for f in "$HOME"; do echo "$f"; done'),
    *("awk '{print}' *.txt", "sed -n 1,5p *.md", "jq . *.json", "jq .[0] x.json", "sed s/.*/x/ a"),
    *("grep awk *", "cat *.md", "cat src/*", "ls *", "ls *.pem", "wc -l *", "cat *.json", "cat s*"),
    *("cat .env.e*", "ls -la .env*", "cat .env.example", "cat *.toml", "git add *", "cat app*"),
    *("cp conf/*.toml .", "npx prettier --write '**/*.json'", "npx prettier --write '**/*.toml'"),
    *("grep -rn a --include='*.[jt]s' .", "printf '%*s' 20 x", "printf '%-20s' x"),
    *("while [ ! -f x ]; do sleep 1; done", 'x=1; while [ "$x" = 1 ]; do x=2; done'),
    *("cat <<'EOF' | python3 -\nprint(1)\nEOF", "ruby -v"),
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{a..c}", ("a", "b", "c")),
        ("x{c..a}", ("xa", "xb", "xc")),
        ("{3..1}", ("1", "2", "3")),
        ("{{a..b},z}", ("a", "b", "z")),
        ("{e..e}", ("e",)),
        ("{1..500}", ("{1..500}",)),
        ("{a..1}", ("{a..1}",)),
    ],
)
def test_a_short_range_in_braces_is_written_out(text: str, words: tuple[str, ...]) -> None:
    assert tuple(sorted(expand_braces(text) or ())) == tuple(sorted(words))


@pytest.mark.parametrize("line", RANGES)
def test_a_range_hides_no_name(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", LEFT)
def test_what_follows_a_cd_that_may_fail_is_judged_from_both_places(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", COMPUTED)
def test_a_variable_that_bash_computes_is_not_set(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", SHOWN)
def test_a_variable_is_used_only_after_the_line_has_set_it(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", GUARDED)
def test_a_pattern_made_for_a_guarded_name_is_that_name(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", FILTERS)
def test_signs_in_a_pattern_for_a_tool_hide_no_name(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", ENDLESS)
def test_what_does_not_end_is_not_begun(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", UNSEEN)
def test_a_program_made_at_run_time_is_not_run(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "deny"


@pytest.mark.parametrize("line", FINE)
def test_ordinary_lines_go_on_as_before(line: str) -> None:
    assert said(line, CONTEXT, LOOKS) == "allow"
