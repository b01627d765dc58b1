"""Runs the test command on a committed tree and describes the result."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import get_args

from treadle.domain.check import CheckTiming
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.suite_report import (
    CaseCounts,
    CaseKind,
    ObjectionKind,
    SuiteObjection,
    SuiteReport,
)
from treadle.verify.check_runner_port import CheckCommand, CheckRunner, CommandStopped
from treadle.verify.reports.report_request import request_reports
from treadle.verify.rerun import is_broken, merge_runs, needs_rerun
from treadle.verify.suite_comparison import SuiteComparison, SuiteRun

_MOST_OBJECTIONS = 50
_MOST_NAMES = 200
_LONGEST_MESSAGE = 500
_LONGEST_OUTPUT = 4_000
_LONGEST_TEXT = 6_000
# In a text at least this much is kept for the end of the output.
_OUTPUT_SHARE = 1_500

_WORDS: dict[ObjectionKind, str] = {
    "new_failure": "fails, and did not before the work",
    "removed": "is gone",
    "newly_skipped": "is skipped, and ran before the work",
    "coverage": "coverage",
    "broken_run": "shows nothing",
}


def ignore_unmatched(pattern: str) -> None:
    """Nobody wants to know which pattern matched no report."""


@dataclass(frozen=True, slots=True)
class SuiteCommand:
    """The test command of a project, and where it leaves its reports, as globs."""

    command: str
    seconds: float
    reports: tuple[str, ...] = ()
    coverage_reports: tuple[str, ...] = ()
    # Told of each of these globs for which there was no report on the work: a slip of the pen would
    # otherwise leave the exit code alone to decide.
    on_unmatched: Callable[[str], None] = field(default=ignore_unmatched, compare=False)


async def run_suite(
    ground: CheckRunner,
    suite: SuiteCommand,
    commit: str,
    when: CheckTiming,
    *,
    before: SuiteRun | None = None,
) -> SuiteRun | CommandStopped:
    """What the tests say on the tree of a commit.

    Red is looked at twice, to tell what ends in different ways from what fails. With `before`,
    what was red there is not run again for.
    """
    first = await _run(ground, suite, commit, when)
    if isinstance(first, CommandStopped) or not needs_rerun(first, before):
        return first
    second = await _run(ground, suite, commit, when)
    return second if isinstance(second, CommandStopped) else merge_runs(first, second, when)


async def _run(
    ground: CheckRunner, suite: SuiteCommand, commit: str, when: CheckTiming
) -> SuiteRun | CommandStopped:
    # Only here: where a project has no test command, nobody reads a report of any format.
    from treadle.verify.reports.report_reader import matches_pattern, read_reports

    asked = request_reports(suite.command, suite.reports, suite.coverage_reports)
    shown = await ground.run(
        CheckCommand(
            command=suite.command,
            commit=commit,
            when=when,
            seconds=suite.seconds,
            collect=asked.collect,
            variables=asked.variables,
        )
    )
    if isinstance(shown, CommandStopped):
        return shown
    named = (*suite.reports, *suite.coverage_reports)
    # Before the work there may be no tests yet, and a command that was ended has not come to it.
    if when != "before" and shown.evidence.exit_code is not None:
        for pattern in dict.fromkeys(named):
            wanted = str(PurePosixPath(pattern))
            if not any(matches_pattern(file, wanted) for file in shown.files):
                suite.on_unmatched(pattern)
    # In a thread: files that an agent's code made can take a while to read.
    printed = shown.log or shown.output
    report = await asyncio.to_thread(read_reports, shown.files, printed, suite.command, named)
    return SuiteRun(
        shown.evidence, report, is_broken=is_broken(shown.evidence, report), output=shown.output
    )


def event_of(
    run: SuiteRun, judged: SuiteComparison, *, accepted: tuple[SuiteObjection, ...] = ()
) -> SuiteFinished:
    """What is recorded of a run: bounded, whatever the reports say. A person has accepted some."""
    report = run.report if isinstance(run.report, SuiteReport) else SuiteReport()
    return SuiteFinished(
        evidence=run.evidence,
        counts=_counts(report),
        coverage=report.coverage,
        objections=_bounded(judged.objections),
        known_red=_bounded_names(judged.known_red),
        flaky=_bounded_names(judged.flaky),
        output=_last_lines(run.output, _LONGEST_OUTPUT),
        accepted=_bounded(accepted),
    )


def failures_text(judged: SuiteComparison, output: str) -> str:
    """Why the gate is shut, for whoever mends it: each objection with its place, then the end of
    the output."""
    if not judged.objections:
        return ""
    lines: list[str] = []
    room = _LONGEST_TEXT - _OUTPUT_SHARE
    for number, objection in enumerate(judged.objections):
        line = _objection_line(objection)
        if len(line) > room:
            lines.append(f"- and {len(judged.objections) - number} more")
            break
        lines.append(line)
        room -= len(line) + 1
    text = "\n".join(lines)
    heading = "\n\nThe end of what the test command said:\n\n"
    end = _last_lines(output.strip(), _LONGEST_TEXT - len(text) - len(heading) - 1)
    return f"{text}{heading}{end}\n" if end else f"{text}\n"


def _counts(report: SuiteReport) -> tuple[CaseCounts, ...]:
    ended = Counter((case.kind, case.outcome) for case in report.cases)
    kinds: tuple[CaseKind, ...] = get_args(CaseKind)
    return tuple(
        CaseCounts(kind, ended[kind, "passed"], ended[kind, "failed"], ended[kind, "skipped"])
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
    place = f" ({objection.file}:{objection.line})" if objection.line is not None else ""
    if not place and objection.file:
        place = f" ({objection.file})"
    said = _shorten(objection.message.strip(), _LONGEST_MESSAGE).replace("\n", "\n  ")
    about = f"{objection.test} {_WORDS[objection.finding]}".strip()
    return f"- {about}{place}: {said}" if said else f"- {about}{place}"


def _shorten(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _last_lines(text: str, longest: int) -> str:
    """The last lines that fit; of a line that is too long, its end."""
    if len(text) <= longest:
        return text
    cut = text[len(text) - max(longest - 2, 0) :]
    first, newline, rest = cut.partition("\n")
    return f"…\n{rest}" if newline and len(first) < len(rest) else f"…{cut}"
