"""Decides whether a green test runner reported its end, and that tests ran. Pure.

Code under test may end its runner with exit code 0, such as by `os._exit(0)`: then the closing
summary is missing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from treadle.verify.reports.command_tools import ToolName, ToolStart, find_starts
from treadle.verify.reports.failure_text import ESCAPES
from treadle.verify.reports.runner_summaries import RUNNER_SUMMARIES, RunnerSummary
from treadle.verify.results.check_runner import CommandResult

# A test report in a file is written at the end of a run. That of Playwright, which runs beside
# others, says nothing about their end.
_REPORT = re.compile(rb'<(?:[\w.-]+:)?testsuites?[\s/>]|"numTotalTests"|"examples"|"suites"')
_PLAYWRIGHT_REPORT = re.compile(rb'\s*\{\s*"config"\s*:')
_HEAD = 4_096
_NODE_TOOLS = frozenset({"node", "vitest", "jest", "mocha", "playwright"})
_NODE_LAUNCHERS = frozenset({"npm", "pnpm", "yarn", "bun"})
# Commands that start a runner by a script, and how they print the line that they run.
_SCRIPTS = re.compile(r"(?:^|[\s;&|(])(?:npm|pnpm|yarn|bun)(?=\s|$)")
_MAKES = re.compile(r"(?:^|[\s;&|(])(?:g?make|just|task)(?=\s|$)")
_SCRIPT_LINE = re.compile(r"^[>$] (\S.{0,500})$", re.MULTILINE)
_MAKE_LINE = re.compile(r"^(\S.{0,500})$", re.MULTILINE)
_MOST_LINES = 200
# A word that belongs to a command line rather than to a sentence.
_ARGUMENT = re.compile(r"-.*|.*[/.=:\d].*|tests?|spec|src|run|discover")
# With two `-q` pytest prints no summary, but the share of tests that are done; not with `-s`.
_PYTEST_DONE = re.compile(r"^[^FE\n]*\[100%\]$", re.MULTILINE)
_SHORT_OPTIONS = re.compile(r"-[a-zA-Z]+")
# Node's entry for a file that reported no test of its own.
_NODE_FILE = r"\S+\.[cm]?[jt]sx?"
_NODE_FILES = re.compile(rf"^(?:ok \d+ - {_NODE_FILE}|✔ {_NODE_FILE} \([\d.]+ms\))$", re.MULTILINE)
_NODE_PASSES = re.compile(r"^ *(?:ok \d+ - |✔ ).*$", re.MULTILINE)
_GO_RUN = re.compile(r"^=== RUN   \S", re.MULTILINE)
_GO_OK = re.compile(r"^ok  \t", re.MULTILINE)
_GO_PASS = re.compile(r"PASS$", re.MULTILINE)
_CARGO_TARGET = re.compile(r"^[ \t]*(?:Running (?:unittests )?\S+ \(|Doc-tests \S)", re.MULTILINE)
_TAP_PLAN = re.compile(r"^1\.\.(\d{1,9})$", re.MULTILINE)
_TAP_RESULT = re.compile(r"^(?:not )?ok \d+\b", re.MULTILINE)
# Bats prints no dash before the name of a test, as others do.
_BATS_RUN = re.compile(r"^(?:not )?ok \d+ (?!- )(?!.*# skip\b)\S", re.MULTILINE)
# Without `-v` go counts packages. One whose tests cannot be built has some.
_GO_PACKAGE = re.compile(
    r"^(?:ok  |FAIL)\t(?!.*\[(?:no tests to run|setup failed)\])", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class RunnerGap:
    """What a green run of tests lacks: the report of its end, or tests that ran."""

    lacks: Literal["end", "tests"]
    text: str


def missing_end(
    command: str, output: str, exit_code: int | None, files: Mapping[str, bytes] | None = None
) -> RunnerGap | None:
    """What a green run lacks to count as one; None if nothing, or if no known runner is seen.

    `files` are the reports that the command wrote.
    """
    if exit_code != 0 or any(map(_proves_end, (files or {}).values())):
        return None
    plain = ESCAPES.sub("", output).replace("\r\n", "\n")
    in_command = find_starts(command)
    if any(not start.is_visible for start in in_command):
        return None
    starts = [*in_command, *_echoed_starts(command, plain)]
    expected = [each for each in starts if _runs_tests(each)]
    for tool, summary in RUNNER_SUMMARIES.items():
        own = [start for start in expected if start.tool == tool]
        is_open = summary.is_unmistakable and _count(summary.opening, plain) > 0
        # An option such as --version explains why a runner that is started prints no summary.
        is_other = any(start.tool == tool for start in starts) and not own
        if (own or is_open) and not is_other and (gap := _gap(summary, own, plain)):
            return gap
    return None


def _proves_end(report: bytes) -> bool:
    return _REPORT.search(report[:_HEAD]) is not None and not _PLAYWRIGHT_REPORT.match(report)


def unfinished_reason(result: CommandResult, command: str) -> str:
    """Why a green result is none, since its test runner did not end or ran nothing; else empty."""
    evidence, output = result.evidence, result.log or result.output
    gap = missing_end(command, output, evidence.exit_code, result.files)
    return "" if gap is None else gap.text


def ran_tests(output: str) -> int | None:
    """How many tests ran and were not skipped, by the summaries; None if none tells."""
    plain = ESCAPES.sub("", output).replace("\r\n", "\n")
    counts = [
        count
        for summary in RUNNER_SUMMARIES.values()
        if (count := _ran(summary, plain)) is not None
    ]
    return sum(counts) if counts else None


def _gap(summary: RunnerSummary, starts: list[ToolStart], output: str) -> RunnerGap | None:
    if not _has_ended(summary, starts, output):
        return RunnerGap("end", f"{summary.tool} did not report its end")
    if _is_empty(summary, output):
        return RunnerGap("tests", f"{summary.tool} ran no test")
    return None


def _has_ended(summary: RunnerSummary, starts: list[ToolStart], output: str) -> bool:
    closed, opened = _count(summary.closing, output), _count(summary.opening, output)
    if summary.tool == "pytest" and not opened:
        if any(map(_is_terse_pytest, starts)):
            return bool(output.strip())
        closed += _count(_PYTEST_DONE, output)
    if opened and (opened > closed if summary.is_paired else not closed):
        return False
    match summary.rule:
        case "always":
            return closed >= len(starts) and _has_whole_output(summary.tool, output)
        case "opened":
            return bool(output.strip())


def _is_terse_pytest(start: ToolStart) -> bool:
    """Whether pytest prints neither a summary nor how far it is."""
    short = "".join(each for each in start.arguments if _SHORT_OPTIONS.fullmatch(each))
    quiet = short.count("q") + start.arguments.count("--quiet")
    return quiet > 1 and ("s" in short or "--capture=no" in start.arguments)


def _has_whole_output(tool: ToolName, output: str) -> bool:
    """Whether nothing is missing before the closing lines."""
    match tool:
        case "go" if _GO_RUN.search(output):
            # A package whose TestMain ends it prints no PASS of its own.
            return _count(_GO_OK, output) <= _count(_GO_PASS, output)
        case "node":
            files = _count(_NODE_FILES, output)
            return files == 0 or files < _count(_NODE_PASSES, output)
        case "bats" if plan := _TAP_PLAN.search(output):
            return _count(_TAP_RESULT, output) >= int(plan[1])
        case _:
            return True


def _is_empty(summary: RunnerSummary, output: str) -> bool:
    """Whether no test ran, or each that did was skipped."""
    closed = _count(summary.closing, output)
    if summary.empty is not None and closed and _count(summary.empty, output) == closed:
        return True
    if summary.tool == "cargo" and _count(_CARGO_TARGET, output) > closed:
        return False  # a target with a runner of its own
    return _ran(summary, output) == 0


def _ran(summary: RunnerSummary, output: str) -> int | None:
    if not any(pattern.search(output) for pattern in (summary.closing, *summary.ran)):
        return None
    match summary.tool:
        case "go":
            return _count(_GO_PACKAGE, output) or None
        case "bats" if not summary.ran[0].search(output):
            return _count(_BATS_RUN, output) or None
        case _ if not summary.ran:
            return None
        case _:
            return max(_sum(summary.ran, output) - _sum(summary.skipped, output), 0)


def _sum(patterns: tuple[re.Pattern[str], ...], output: str) -> int:
    return sum(int(number) for each in patterns for number in each.findall(output))


def _count(pattern: re.Pattern[str] | None, output: str) -> int:
    return 0 if pattern is None else sum(1 for _ in pattern.finditer(output))


def _runs_tests(start: ToolStart) -> bool:
    """Whether this start has to end with a summary."""
    summary = RUNNER_SUMMARIES.get(start.tool)
    if summary is None or any(map(summary.other_output.fullmatch, start.arguments)):
        return False
    # `npm run unittest` names a script.
    is_script = not _NODE_LAUNCHERS.isdisjoint(start.launcher) and start.tool not in _NODE_TOOLS
    return not is_script and _has_subcommand(summary, start)


def _has_subcommand(summary: RunnerSummary, start: ToolStart) -> bool:
    if start.tool == "node":
        return "--test" in start.arguments
    first = next((each for each in start.arguments if not each.startswith(("-", "+"))), "")
    return not summary.subcommand or first in summary.subcommand


def _echoed_starts(command: str, output: str) -> Iterator[ToolStart]:
    """The runners that a script starts, by the lines that npm or make print before they run."""
    if _SCRIPTS.search(command):
        lines = _SCRIPT_LINE
    elif _MAKES.search(command):
        lines = _MAKE_LINE
    else:
        return
    for number, line in enumerate(lines.finditer(output)):
        if number == _MOST_LINES:
            return
        yield from filter(_is_command_line, find_starts(line[1]))


def _is_command_line(start: ToolStart) -> bool:
    return start.is_visible and all(map(_ARGUMENT.fullmatch, start.arguments))
