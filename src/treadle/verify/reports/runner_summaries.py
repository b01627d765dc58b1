"""How test runners open and close what they print. Data; pure."""

import re
from dataclasses import dataclass
from typing import Literal

from treadle.verify.reports.command_tools import ToolName

# always: without its closing line a visible run has not ended; opened: only if it printed an
# opening line, or nothing at all, since the project may configure another reporter.
ClosingRule = Literal["always", "opened"]

_HELP = r"-h|--help|--version"


def _lines(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RunnerSummary:
    """The lines of one runner."""

    tool: ToolName
    rule: ClosingRule
    closing: re.Pattern[str]
    # Printed when tests begin, as often as the closing line if `is_paired`.
    opening: re.Pattern[str] | None = None
    is_paired: bool = True
    # Numbers of tests that ran are added, those of skipped ones subtracted.
    ran: tuple[re.Pattern[str], ...] = ()
    skipped: tuple[re.Pattern[str], ...] = ()
    # A line that says that no test ran.
    empty: re.Pattern[str] | None = None
    # Arguments with which it runs no tests, or prints something else.
    other_output: re.Pattern[str] = re.compile(_HELP)
    # The first words behind its name with which it runs tests; empty: any.
    subcommand: frozenset[str] = frozenset()
    # Whether the opening line is of this runner alone, so that no command has to name it.
    is_unmistakable: bool = False


_PYTEST_END = r"^(?=.* in \d[\d.]*s\b)(?:=+ )?"

RUNNER_SUMMARIES: dict[ToolName, RunnerSummary] = {
    each.tool: each
    for each in (
        RunnerSummary(
            "unittest",
            "always",
            closing=_lines(r"^Ran \d+ tests? in [\d.]+s$"),
            ran=(_lines(r"^Ran (\d{1,9}) tests? in [\d.]+s$"),),
            skipped=(
                _lines(r"^(?:OK|FAILED) \(.*?\bskipped=(\d{1,9})"),
                _lines(r"^(?:OK|FAILED) \((?:.*, )?expected failures=(\d{1,9})"),
            ),
        ),
        RunnerSummary(
            "pytest",
            "always",
            closing=_lines(
                _PYTEST_END + r"(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|xfailed"
                r"|xpassed|deselected|warnings?|tests? collected|subtests?)\b).*$"
                # pytest-sugar
                r"|^Results \([\d.]+s\):$"
            ),
            opening=_lines(r"^=+ test session starts =+$"),
            ran=(
                _lines(_PYTEST_END + r".*?\b(\d{1,9}) passed\b"),
                _lines(_PYTEST_END + r".*?\b(\d{1,9}) failed\b"),
                _lines(_PYTEST_END + r".*?\b(\d{1,9}) errors?\b"),
                _lines(r"^ +(\d{1,9}) (?:passed|failed)$"),
            ),
            empty=_lines(_PYTEST_END + r"(?:no tests ran|\d+ deselected) in "),
            other_output=re.compile(
                rf"{_HELP}|-V|--co|--collect-only|--fixtures|--markers|--setup-plan|--tap.*"
                r"|no:terminal|console_output_style=.*"
            ),
            is_unmistakable=True,
        ),
        RunnerSummary(
            "node",
            "always",
            closing=_lines(r"^(?:ℹ|#) tests \d+$|^[ \t]*<!-- tests \d+ -->$"),
            opening=_lines(r"^TAP version 1[34]$"),
            ran=(_lines(r"^(?:ℹ|#) pass (\d{1,9})$"), _lines(r"^(?:ℹ|#) fail (\d{1,9})$")),
            other_output=re.compile(
                rf"{_HELP}|--watch|--test-reporter-destination.*|--test-reporter(?!=(?:spec|tap)$).*"
            ),
        ),
        RunnerSummary(
            "vitest",
            "opened",
            closing=_lines(r"^[ \t]*Test Files  |^No test files found"),
            opening=_lines(r"^[ \t]*(?:RUN|DEV)  v\d+\.\d+"),
            ran=(
                _lines(r"^[ \t]+Tests  .*?(\d{1,9}) passed"),
                _lines(r"^[ \t]+Tests  .*?(\d{1,9}) failed"),
            ),
            empty=_lines(r"^No test files found"),
            other_output=re.compile(
                rf"{_HELP}|list|bench|--reporter(?!=(?:default|verbose|dot|basic|tree)$).*"
            ),
            is_unmistakable=True,
        ),
        RunnerSummary(
            "jest",
            "opened",
            closing=_lines(r"^Tests:\s+\d+ |^No tests found"),
            opening=_lines(r"^(?:PASS|FAIL) \S+|process\.exit called with"),
            is_paired=False,
            ran=(_lines(r"^Tests:\s.*?(\d{1,9}) passed"), _lines(r"^Tests:\s.*?(\d{1,9}) failed")),
            empty=_lines(r"^No tests found"),
            other_output=re.compile(
                rf"{_HELP}|--json|--reporters.*|--listTests|--showConfig|--init"
            ),
        ),
        RunnerSummary(
            "mocha",
            "opened",
            closing=_lines(r"^[ \t]+\d+ passing\b"),
            opening=_lines(r"^[ \t]+[✔✓√] "),
            is_paired=False,
            ran=(_lines(r"^[ \t]+(\d{1,9}) passing\b"), _lines(r"^[ \t]+(\d{1,9}) failing\b")),
            other_output=re.compile(
                rf"{_HELP}|-V|-R.*|--reporter(?!=(?:spec|dot|min|list)$).*|--dry-run"
            ),
        ),
        RunnerSummary(
            "go",
            "always",
            closing=_lines(r'^(?:ok  |FAIL|\?   )\t|^\{.*"Action":"(?:pass|fail|skip)"'),
            empty=_lines(r"^\?   \t.*\[no test files\]$|^ok  \t.*\[no tests to run\]$"),
            other_output=re.compile(rf"{_HELP}|-c|-list.*|-n"),
            subcommand=frozenset({"test"}),
        ),
        RunnerSummary(
            "cargo",
            "opened",
            closing=_lines(r"^test result: "),
            opening=_lines(r"^running \d+ tests?$"),
            ran=(
                _lines(r"^test result: \w+\. (\d{1,9}) passed"),
                _lines(r"^test result: .*?(\d{1,9}) failed"),
            ),
            other_output=re.compile(rf"{_HELP}|--no-run|--list|.*json.*|.*junit.*"),
            subcommand=frozenset({"test", "t"}),
            is_unmistakable=True,
        ),
        RunnerSummary(
            "rspec",
            "opened",
            closing=_lines(r"^\d+ examples?, \d+ failures?"),
            opening=_lines(r"^[.F*]+$|^Randomized with seed \d+|RSpec will now quit"),
            is_paired=False,
            ran=(_lines(r"^(\d{1,9}) examples?, \d+ failures?"),),
            skipped=(_lines(r"^\d+ examples?, \d+ failures?, (\d{1,9}) pending"),),
            other_output=re.compile(rf"{_HELP}|-v|-f.*|--format.*|-o.*|--out.*|--dry-run"),
        ),
        RunnerSummary(
            "phpunit",
            "opened",
            closing=_lines(r"^OK \(|^OK, but |^Tests: \d+, |^No tests executed!"),
            opening=_lines(r"^PHPUnit \d+\.\S+ by Sebastian Bergmann"),
            ran=(_lines(r"^OK \((\d{1,9}) tests?, "), _lines(r"^Tests: (\d{1,9}), ")),
            skipped=(
                _lines(r"^Tests: .*\bSkipped: (\d{1,9})"),
                _lines(r"^Tests: .*\bIncomplete: (\d{1,9})"),
            ),
            empty=_lines(r"^No tests executed!"),
            other_output=re.compile(
                rf"{_HELP}|--list-.*|--no-output|--no-results|--generate-.*|--migrate-.*"
                r"|--check-.*|--teamcity|--printer.*"
            ),
            is_unmistakable=True,
        ),
        # No command names it: a script loads it.
        RunnerSummary(
            "minitest",
            "opened",
            closing=_lines(r"^\d+ (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors"),
            opening=_lines(r"^Run options: .*--seed \d+"),
            ran=(_lines(r"^(\d{1,9}) (?:runs|tests), \d+ assertions, \d+ failures, "),),
            skipped=(_lines(r"^\d+ (?:runs|tests), .*?(\d{1,9}) (?:skips|pendings)"),),
            is_unmistakable=True,
        ),
        RunnerSummary(
            "bats",
            "always",
            closing=_lines(r"^1\.\.\d+$|^\d+ tests?, \d+ failures?"),
            ran=(_lines(r"^(\d{1,9}) tests?, \d+ failures?"),),
            skipped=(_lines(r"^\d+ tests?, .*?(\d{1,9}) skipped"),),
            empty=_lines(r"^1\.\.0$"),
            other_output=re.compile(rf"{_HELP}|-v|-c|--count|-F|--formatter.*"),
        ),
        RunnerSummary(
            "prove",
            "always",
            closing=_lines(r"^Result: [A-Z]+$"),
            ran=(_lines(r"^Files=\d+, Tests=(\d{1,9}),"),),
            empty=_lines(r"^Result: NOTESTS$"),
            other_output=re.compile(rf"{_HELP}|-H|-V|-D|--dry|--formatter.*|--man"),
        ),
    )
}
