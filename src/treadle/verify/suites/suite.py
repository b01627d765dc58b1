"""Runs the test command on a committed tree and describes the result."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import get_args

from treadle.domain.check import CheckTiming
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.pin_plan import PinPlan
from treadle.domain.suite_report import (
    CaseCounts,
    CaseKind,
    MalformedReport,
    ObjectionKind,
    SuiteObjection,
    SuiteReport,
)
from treadle.verify.reports.report_request import request_reports
from treadle.verify.results.before_look import (
    UnknownLook,
    before_look,
    cutting_signal,
    inconclusive_reason,
)
from treadle.verify.results.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.verify.results.runner_end import missing_end, ran_tests
from treadle.verify.results.start_failure import start_failure
from treadle.verify.suites.rerun import is_broken, merge_runs, needs_rerun
from treadle.verify.suites.suite_comparison import SuiteComparison, SuiteRun

_MOST_OBJECTIONS = 50
_MOST_NAMES = 200
_LONGEST_MESSAGE = 500
_LONGEST_OUTPUT = 4_000
_LONGEST_TEXT = 6_000
# The least part of a text that is kept for the end of the output.
_OUTPUT_SHARE = 1_500

_FINDING_TEXTS: dict[ObjectionKind, str] = {
    "new_failure": "fails, and did not before the work",
    "removed": "is gone",
    "newly_skipped": "is skipped, and ran before the work",
    "coverage": "coverage",
    "broken_run": "shows nothing",
}


def ignore_unmatched(pattern: str) -> None:
    """The default: a pattern that matches no report is ignored."""


@dataclass(frozen=True, slots=True)
class SuiteCommand:
    """The test command of a project, and where it leaves its reports, as globs."""

    command: str
    seconds: float
    reports: tuple[str, ...] = ()
    coverage_reports: tuple[str, ...] = ()
    # Called for each glob without a report on the work: with a typo in it, only the exit code
    # would decide.
    on_unmatched: Callable[[str], None] = field(default=ignore_unmatched, compare=False)


async def run_suite(
    runner: CheckRunner,
    suite: SuiteCommand,
    commit: str,
    when: CheckTiming,
    *,
    before: SuiteRun | None = None,
    pins: PinPlan | None = None,
) -> SuiteRun | CommandStopped:
    """Run the tests on the tree of a commit, or on a pinned tree of it.

    Red tests are run twice to tell flaky ones from failures. With `before`, tests that were red
    there cause no second run, and those in doubt do.
    """
    program = before.missing_program if before else ""
    first = await _run(runner, suite, commit, when, pins, program)
    if isinstance(first, CommandStopped) or not needs_rerun(first, before):
        return first
    second = await _run(runner, suite, commit, when, pins, program)
    return second if isinstance(second, CommandStopped) else merge_runs(first, second, when)


async def _run(
    runner: CheckRunner,
    suite: SuiteCommand,
    commit: str,
    when: CheckTiming,
    pins: PinPlan | None,
    find_program: str,
) -> SuiteRun | CommandStopped:
    # Imported here: without a test command the parsers are never needed.
    from treadle.verify.reports.report_reader import matches_pattern, read_reports

    request = request_reports(suite.command, suite.reports, suite.coverage_reports)
    result = await runner.run(
        CheckCommand(
            command=suite.command,
            commit=commit,
            when=when,
            seconds=suite.seconds,
            collect=request.collect,
            variables=request.variables,
            pins=pins,
            find_program=find_program,
        )
    )
    if isinstance(result, CommandStopped):
        return result
    named = (*suite.reports, *suite.coverage_reports)
    # Without the work there may be no tests yet, and a command that timed out wrote no report.
    if when not in ("before", "pinned") and result.evidence.exit_code is not None:
        for pattern in dict.fromkeys(named):
            wanted = str(PurePosixPath(pattern))
            if not any(matches_pattern(file, wanted) for file in result.files):
                suite.on_unmatched(pattern)
    # In a thread, because files written by an agent's code can take long to parse.
    printed = result.log or result.output
    report = await asyncio.to_thread(read_reports, result.files, printed, suite.command, named)
    return await asyncio.to_thread(_make_run, result, report)


def _make_run(result: CommandResult, report: SuiteReport | MalformedReport) -> SuiteRun:
    evidence, printed = result.evidence, result.log or result.output
    failure = start_failure(evidence.exit_code, printed)
    is_unexplained = is_broken(evidence, report)
    # A test that fails without the network is known by its name.
    is_cut = cutting_signal(evidence.exit_code) != 0
    outside = inconclusive_reason(result) if is_unexplained or is_cut else ""
    look = before_look(result) if outside else None
    return SuiteRun(
        evidence,
        report,
        is_broken=is_unexplained,
        output=result.output,
        setup_failure=result.setup_failure,
        start_failure="" if failure is None else failure.text,
        outside_failure=outside,
        missing_program=look.program if isinstance(look, UnknownLook) else "",
        program_present=result.program_present,
        gap=missing_end(evidence.command, printed, evidence.exit_code, result.files),
        ran=ran_tests(printed),
    )


def event_of(
    run: SuiteRun, comparison: SuiteComparison, *, accepted: tuple[SuiteObjection, ...] = ()
) -> SuiteFinished:
    """The event for a run, with bounded lists; `accepted` are objections that a person accepted."""
    report = run.report if isinstance(run.report, SuiteReport) else SuiteReport()
    return SuiteFinished(
        evidence=run.evidence,
        counts=_counts(report),
        coverage=report.coverage,
        objections=_bounded(comparison.objections),
        known_red=_bounded_names(comparison.known_red),
        flaky=_bounded_names(comparison.flaky),
        output=_last_lines(run.output, _LONGEST_OUTPUT),
        accepted=_bounded(accepted),
    )


def failures_text(comparison: SuiteComparison, output: str) -> str:
    """The objections with their locations and the end of the output, for the agent to fix."""
    if not comparison.objections:
        return ""
    lines: list[str] = []
    room = _LONGEST_TEXT - _OUTPUT_SHARE
    for number, objection in enumerate(comparison.objections):
        line = _objection_line(objection)
        if len(line) > room:
            lines.append(f"- and {len(comparison.objections) - number} more")
            break
        lines.append(line)
        room -= len(line) + 1
    text = "\n".join(lines)
    heading = "\n\nThe end of what the test command said:\n\n"
    end = _last_lines(output.strip(), _LONGEST_TEXT - len(text) - len(heading) - 1)
    return f"{text}{heading}{end}\n" if end else f"{text}\n"


def _counts(report: SuiteReport) -> tuple[CaseCounts, ...]:
    totals = Counter((case.kind, case.outcome) for case in report.cases)
    kinds: tuple[CaseKind, ...] = get_args(CaseKind)
    return tuple(
        CaseCounts(kind, totals[kind, "passed"], totals[kind, "failed"], totals[kind, "skipped"])
        for kind in kinds
        if any(case.kind == kind for case in report.cases)
    )


def _bounded(objections: tuple[SuiteObjection, ...]) -> tuple[SuiteObjection, ...]:
    short = tuple(
        replace(each, message=_shorten(each.message, _LONGEST_MESSAGE))
        for each in objections[:_MOST_OBJECTIONS]
    )
    if (more := len(objections) - _MOST_OBJECTIONS) <= 0:
        return short
    first_left_out = objections[_MOST_OBJECTIONS - 1]
    return (*short[:-1], SuiteObjection(first_left_out.finding, f"and {more + 1} more"))


def _bounded_names(tests: tuple[str, ...]) -> tuple[str, ...]:
    if len(tests) <= _MOST_NAMES:
        return tests
    return (*tests[: _MOST_NAMES - 1], f"and {len(tests) - _MOST_NAMES + 1} more")


def _objection_line(objection: SuiteObjection) -> str:
    location = f" ({objection.file}:{objection.line})" if objection.line is not None else ""
    if not location and objection.file:
        location = f" ({objection.file})"
    message = _shorten(objection.message.strip(), _LONGEST_MESSAGE).replace("\n", "\n  ")
    subject = f"{objection.test} {_FINDING_TEXTS[objection.finding]}".strip()
    return f"- {subject}{location}: {message}" if message else f"- {subject}{location}"


def _shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _last_lines(text: str, longest: int) -> str:
    """The last lines that fit; of a line that is too long, the end."""
    if len(text) <= longest:
        return text
    cut = text[len(text) - max(longest - 2, 0) :]
    first, newline, rest = cut.partition("\n")
    return f"…\n{rest}" if newline and len(first) < len(rest) else f"…{cut}"
