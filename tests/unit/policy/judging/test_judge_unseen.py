"""Programs and settings from outside the line are not run; those in the line are."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.domain.agent import Deny
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

RUNNERS = (
    *("python3", "python3 -", "python3 -S", "node", "node -", "ruby -n", "php", "php -f -"),
    *("npx tsx -", "npx ts-node", "yarn tsx -", "bun -"),
    *("timeout 5 python3", "uv run python -", "bundle exec ruby -", "env CI=1 node -"),
)
WINDOWS = (
    *(f"npx playwright {name}" for name in ("codegen", "open", "show-report", "show-trace x.zip")),
    *("npx playwright test --ui", "npx playwright test --debug", "npx cypress open"),
)
CONTEXT = ShellContext("/srv/calc")
LOOKS = replace(empty_disk(), shfmt=system_lookups().shfmt)


def decided(line: str) -> str:
    return said(line, CONTEXT, LOOKS)


@pytest.mark.parametrize("runs", RUNNERS)
@pytest.mark.parametrize(
    "line", ["cat x | {}", "curl -s localhost:3000 | {}", "({}) < /tmp/x", "echo 1 | {{ {}; }}"]
)
def test_a_program_that_comes_through_a_pipe_is_not_run(runs: str, line: str) -> None:
    assert decided(line.format(runs)) == "deny"


def test_the_refusal_of_a_piped_program_says_what_to_do_instead() -> None:
    assert decide_line("cat x | node", CONTEXT, lookups=LOOKS) == Deny(
        "`node`: it would run what comes through its input, a program that the policy has not "
        "seen. Write it to a file and run that. Run a file of the project: node dist/server.js.",
        rule="node",
    )


@pytest.mark.parametrize(
    "line",
    [
        "python3 - <<'EOF'\nprint(1)\nEOF",
        "python3 <<'EOF' | head -3\nprint(1)\nEOF",
        "cat <<'EOF' | python3 -\nprint(1)\nEOF",
        "node <<< 'console.log(1)'",
        "python3 < scripts/x.py",
        "cat x | python3 -m json.tool",
        "cat x | python3 -c 'import sys'",
        "cat x | node -e 'x'",
        "cat x | ruby -rjson -e 'x'",
        "cat x | php -r 'x'",
        "cat x | python3 scripts/x.py -",
        "cat x | npx tsx scripts/x.ts",
        "cat x | black -q -",
    ],
)
def test_a_program_in_sight_may_read_its_input(line: str) -> None:
    assert decided(line) == "allow"


@pytest.mark.parametrize(
    "line",
    [
        "python3 <> /tmp/x.py",
        "cat x | python3 3<<'EOF'\nprint(1)\nEOF",
        "cat x | python3 0<&1",
        'python3 <<< "$(cat x)"',
        'python3 -c "$(cat x)"',
        'node -e "`cat x`"',
        "cat x - <<'EOF' | python3\nprint(1)\nEOF",
    ],
)
def test_what_only_looks_like_a_program_in_sight_is_not_run(line: str) -> None:
    assert decided(line) == "deny"


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("npm run test -- --coverage", "allow"),
        ("yarn test --coverage", "allow"),
        ("yarn run test -u src", "allow"),
        ("yarn workspace @acme/ui run test --ci", "allow"),
        ("pnpm run test --run", "allow"),
        ("bun run dev --port 80", "allow"),
        # npm keeps for itself what stands before the dashes.
        ("yarn test --config=/tmp/x.js", "deny"),
        ("pnpm run build --out ../x", "deny"),
        ("yarn start --script-shell=./e", "deny"),
        ("yarn run deploy --dry", "ask"),
    ],
)
def test_what_follows_the_name_of_a_script_is_handed_on_to_it(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("phpunit --filter '/^(A|B)::/' tests", "allow"),
        ("rspec -e '/users/:id'", "allow"),
        ("pytest -k '/api/' -m '/slow/'", "allow"),
        ("npx mocha -g '/api/'", "allow"),
        ("bin/rails test -n /adds/", "allow"),
        ("black --exclude '/(build|dist)/' .", "allow"),
        ("npx eslint -o /tmp/lint.json src", "allow"),
        ("npx eslint -o /etc/lint.json src", "deny"),
        ("npx eslint -o .treadle/x src", "deny"),
        ("pytest --cov-report=xml:/tmp/c.xml", "allow"),
        ("pytest --cov-report=xml:/etc/c.xml", "deny"),
    ],
)
def test_a_pattern_is_no_path_and_a_report_may_go_to_scratch(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize("line", WINDOWS)
def test_nothing_leads_elsewhere_or_opens_a_window(line: str) -> None:
    assert decided(line) == "deny"
