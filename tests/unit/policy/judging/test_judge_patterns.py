"""A pattern or a filter is judged by what a tool makes of it."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.policy.judging.secret_files import selects_secrets
from treadle.policy.judging.shell_context import ShellContext
from treadle.wiring.policy import system_lookups

CONTEXT = ShellContext("/srv/calc")
LOOKS = replace(empty_disk(), shfmt=system_lookups().shfmt)


def decided(line: str) -> str:
    return said(line, CONTEXT, LOOKS)


@pytest.mark.parametrize(
    ("pattern", "decision"),
    [
        ("**/*.json", "allow"),
        ("{src,tests}/**/*.{ts,tsx}", "allow"),
        ("src/app/[id]/page.tsx", "allow"),
        (".github/**/*.yml", "allow"),
        ("!.claude/**", "allow"),
        ("{.claude,src}/**/*.json", "deny"),
        ("{src,./.claude}/*", "deny"),
        (".{vscode,idea}/**", "deny"),
        ("@(.claude|src)/**", "deny"),
        ("*/../.claude/*", "deny"),
        ("src/*/../../../x", "deny"),
    ],
)
@pytest.mark.parametrize("line", ["npm run format -- '{}'"])
def test_a_pattern_in_quotes_reaches_nothing_that_is_protected(
    line: str, pattern: str, decision: str
) -> None:
    assert decided(line.replace("{}", pattern)) == decision


@pytest.mark.parametrize(
    ("pattern", "chosen"),
    [
        (".env", True),
        (".ENV", True),
        ("**/.env.*", True),
        ("*env", True),
        ("?env", True),
        ("[.]npmrc", True),
        (".*", True),
        ("{a,.env}", True),
        ("*.pem", True),
        (".s[s]h/*", True),
        ("id_*", True),
        ("!.env", False),
        (".env.example", False),
        (".eslintrc*", False),
        ("*", False),
        ("*.json", False),
        ("src/**", False),
        ("Makefile", False),
    ],
)
def test_a_pattern_for_files_of_secrets_is_known_by_what_it_matches(
    pattern: str, *, chosen: bool
) -> None:
    assert selects_secrets(pattern) == chosen


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("grep -rn x --include='*.py' src", "allow"),
        ("grep -rn x --exclude=.env .", "allow"),
        ("grep -rh . --include=.env .", "deny"),
        ("egrep -rh . --include '.en?' .", "deny"),
        ("rg x -g '!.env'", "allow"),
        ("rg x -g '.env*'", "deny"),
        ("rg x --iglob=.ENV", "deny"),
        ("git grep x -- '*.py' ':!.env'", "allow"),
        ("git grep x -- '.e[n]v'", "deny"),
        ("git grep x -- ':(icase).ENV'", "deny"),
        ("git diff HEAD -- '*nv'", "deny"),
        ("git add '.en*'", "deny"),
        ("find . -name .env", "allow"),
        ("fd -H .env", "allow"),
        ("fd -H .env -x cat", "deny"),
        ("git archive HEAD .env", "deny"),
    ],
)
def test_to_choose_a_file_of_secrets_by_a_filter_is_to_name_it(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.timeout(60)
@pytest.mark.parametrize("blank", ["\r", "\f", "\v", " ", "\n"])
@pytest.mark.parametrize("script", ["{}k", "1{}k", "1{},{}2{}!{}k", "s/a/b/{}k"])
def test_a_filter_of_many_blanks_is_judged_in_a_moment(blank: str, script: str) -> None:
    assert decided(f"sed '{script.replace('{}', blank * 3_000)}' a.txt") == "deny"
