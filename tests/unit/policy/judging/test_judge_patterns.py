"""A pattern, a filter or settings on the line are judged by what a tool makes of them."""

from dataclasses import replace

import pytest

from tests.unit.policy.judging.judge_line import empty_disk, said
from treadle.policy.judging.secret_files import selects_secrets
from treadle.policy.judging.shell_context import ShellContext
from treadle.policy.judging.tool_patterns import expand_pattern
from treadle.wiring.policy import system_lookups

CONTEXT = ShellContext("/srv/calc")
LOOKS = replace(empty_disk(), shfmt=system_lookups().shfmt)


def decided(line: str) -> str:
    return said(line, CONTEXT, LOOKS)


@pytest.mark.parametrize(
    ("settings", "decision"),
    [
        ('{"verbose":true,"testTimeout":1000}', "allow"),
        ('{"coverageThreshold":{"global":{"lines":80}}}', "allow"),
        ('{"roots":["src","tests"]}', "allow"),
        ("lint.select=['E','F']", "allow"),
        ("line-length = 100", "allow"),
        ('{"globalSetup":"setup"}', "deny"),
        ('{ "global-setup": "setup" }', "deny"),
        ('[{"setupFiles":["x"]}]', "deny"),
        ('{"preset":"/var/tmp/p"}', "deny"),
        ('{"preset":"\\u002fvar/tmp/p"}', "deny"),
        ('{"runner":"./e.js"}', "deny"),
        ('{"runner":"./e"}', "deny"),
        ("data:text/javascript,x", "deny"),
        ('{"roots":["../x"]}', "deny"),
        ("{extends: /tmp/x}", "deny"),
        ('extend = "/tmp/x.toml"', "deny"),
        ("extend='~/x.toml'", "deny"),
        ("extends: /tmp/x", "deny"),
    ],
)
@pytest.mark.parametrize(
    "line", ["npx jest --config='{}'", "npx jest -c '{}' src", "ruff check --config '{}'"]
)
def test_settings_on_the_line_bring_in_no_code_and_lead_nowhere_else(
    line: str, settings: str, decision: str
) -> None:
    quoted = settings.replace("'", "'\\''")

    assert decided(line.replace("{}", quoted)) == decision


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ('npm test -- -t "GET /users returns 200"', "allow"),
        ('npx jest -t "adds { a: 1 } to /tmp"', "allow"),
        ("npx jest 'src/my tests/a.test.ts'", "allow"),
        ("npx jest --config '/tmp/a b.js'", "deny"),
        ("npx jest --config 'a b/../../../tmp/x.js'", "deny"),
        ("npx jest --config '~/a b.js'", "deny"),
        ("npx jest --roots=src,/tmp/x", "deny"),
        ("npx jest --x=key=/tmp/x=1", "deny"),
        ('npx jest \'-c{"a":"b=c","globalSetup":"/var/x.js"}\'', "deny"),
    ],
)
def test_a_blank_or_a_list_does_not_hide_a_path(line: str, decision: str) -> None:
    assert decided(line) == decision


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("src/a.ts", ()),
        ("!.claude/**", ()),
        ("**/*.json", ("**/*.json",)),
        ("{a,b}/*", ("a/*", "b/*")),
        ("@(a|b)/*", ("a/*", "b/*")),
        ("?(.)git", (".git", "git")),
        (".{c..d}x", (".*x",)),
        (".!(x)/*", (".*/*",)),
        ("+(a)/x", ("a/x",)),
        (r".gi\t", (".git",)),
    ],
)
def test_a_pattern_is_taken_apart_as_the_tools_do_it(pattern: str, found: tuple[str, ...]) -> None:
    assert expand_pattern(pattern) == found


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
        (".cl*/**", "deny"),
        ("[.]claude/**", "deny"),
        ("@(.claude|src)/**", "deny"),
        ("**/.git/**", "deny"),
        ("*/../.claude/*", "deny"),
        ("src/*/../../../x", "deny"),
        ("treadl*.toml", "deny"),
        (".en*", "deny"),
    ],
)
@pytest.mark.parametrize(
    "line", ["npx prettier --write '{}'", "rubocop -a '{}'", "npm run format -- '{}'"]
)
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
        ("find . -name .env | xargs cat", "deny"),
        ("fd -H .env", "allow"),
        ("fd -H .env -x cat", "deny"),
        ("git archive HEAD .env", "deny"),
    ],
)
def test_to_choose_a_file_of_secrets_by_a_filter_is_to_name_it(line: str, decision: str) -> None:
    assert decided(line) == decision
