"""Runs the test command on a committed tree, a second time where something is red, and says what
came of it: to the log, to the next session, to a person."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import get_args

from treadle.domain.check import When
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.testing import Counts, Finding, Kind, Objection, SuiteReport
from treadle.verify.gate import Judged, SuiteRun
from treadle.verify.proving_ground import NotShown, ProvingGround, Trial
from treadle.verify.reports.asked_for import asked_for
from treadle.verify.twice import is_broken, merged, worth_a_second_run

_MOST_OBJECTIONS = 50
_MOST_NAMES = 200
_LONGEST_MESSAGE = 500
_LONGEST_OUTPUT = 4_000
_LONGEST_TEXT = 6_000
# In a text at least this much is kept for the end of the output.
_OUTPUT_SHARE = 1_500

_WORDS: dict[Finding, str] = {
    "new_failure": "fails, and did not before the work",
    "removed": "is gone",
    "newly_skipped": "is skipped, and ran before the work",
    "coverage": "coverage",
    "broken_run": "shows nothing",
}


def unheard(pattern: str) -> None:
    """Nobody wants to know which pattern matched no report."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The test command of a project, and where it leaves its reports, as globs."""

    command: str
    seconds: float
    reports: tuple[str, ...] = ()
    coverage_reports: tuple[str, ...] = ()
    # Told of each of these globs for which there was no report on the work: a slip of the pen would
    # otherwise leave the exit code alone to decide.
    unmatched: Callable[[str], None] = field(default=unheard, compare=False)


async def run_suite(
    ground: ProvingGround,
    suite: Suite,
    commit: str,
    when: When,
    *,
    before: SuiteRun | None = None,
) -> SuiteRun | NotShown:
    """What the tests say on the tree of a commit.

    Red is looked at twice, to tell what ends in different ways from what fails. With `before`,
    what was red there is not run again for.
    """
    first = await _run(ground, suite, commit, when)
    if isinstance(first, NotShown) or not worth_a_second_run(first, before):
        return first
    second = await _run(ground, suite, commit, when)
    return second if isinstance(second, NotShown) else merged(first, second, when)


async def _run(ground: ProvingGround, suite: Suite, commit: str, when: When) -> SuiteRun | NotShown:
    # Only here: where a project has no test command, nobody reads a report of any format.
    from treadle.verify.reports.reading import is_named, read_reports

    asked = asked_for(suite.command, suite.reports, suite.coverage_reports)
    shown = await ground.show(
        Trial(
            command=suite.command,
            commit=commit,
            when=when,
            seconds=suite.seconds,
            collect=asked.collect,
            variables=asked.variables,
        )
    )
    if isinstance(shown, NotShown):
        return shown
    named = (*suite.reports, *suite.coverage_reports)
    # Before the work there may be no tests yet, and a command that was ended has not come to it.
    if when != "before" and shown.evidence.exit_code is not None:
        for pattern in dict.fromkeys(named):
            wanted = str(PurePosixPath(pattern))
            if not any(is_named(file, wanted) for file in shown.files):
                suite.unmatched(pattern)
    # In a thread: files that an agent's code made can take a while to read.
    printed = shown.log or shown.output
    report = await asyncio.to_thread(read_reports, shown.files, printed, suite.command, named)
    return SuiteRun(
        shown.evidence, report, is_broken=is_broken(shown.evidence, report), output=shown.output
    )


def event_of(
    run: SuiteRun, judged: Judged, *, accepted: tuple[Objection, ...] = ()
) -> SuiteFinished:
    """What is recorded of a run: bounded, whatever the reports say. A person has accepted some."""
    report = run.report if isinstance(run.report, SuiteReport) else SuiteReport()
    return SuiteFinished(
        evidence=run.evidence,
        counts=_counts(report),
        coverage=report.coverage,
        objections=_bounded(judged.objections),
        known_red=_names(judged.known_red),
        flaky=_names(judged.flaky),
        output=_end(run.output, _LONGEST_OUTPUT),
        accepted=_bounded(accepted),
    )


def failures_text(judged: Judged, output: str) -> str:
    """Why the gate is shut, for whoever mends it: each objection with its place, then the end of
    the output."""
    if not judged.objections:
        return ""
    lines: list[str] = []
    room = _LONGEST_TEXT - _OUTPUT_SHARE
    for number, objection in enumerate(judged.objections):
        line = _line(objection)
        if len(line) > room:
            lines.append(f"- and {len(judged.objections) - number} more")
            break
        lines.append(line)
        room -= len(line) + 1
    text = "\n".join(lines)
    heading = "\n\nThe end of what the test command said:\n\n"
    end = _end(output.strip(), _LONGEST_TEXT - len(text) - len(heading) - 1)
    return f"{text}{heading}{end}\n" if end else f"{text}\n"


def _counts(report: SuiteReport) -> tuple[Counts, ...]:
    ended = Counter((case.kind, case.outcome) for case in report.cases)
    kinds: tuple[Kind, ...] = get_args(Kind)
    return tuple(
        Counts(kind, ended[kind, "passed"], ended[kind, "failed"], ended[kind, "skipped"])
        for kind in kinds
        if any(case.kind == kind for case in report.cases)
    )


def _bounded(objections: tuple[Objection, ...]) -> tuple[Objection, ...]:
    short = tuple(
        replace(each, message=_beginning(each.message, _LONGEST_MESSAGE))
        for each in objections[:_MOST_OBJECTIONS]
    )
    if (more := len(objections) - _MOST_OBJECTIONS) <= 0:
        return short
    first_left_out = objections[_MOST_OBJECTIONS - 1]
    return (*short[:-1], Objection(first_left_out.finding, f"and {more + 1} more"))


def _names(tests: tuple[str, ...]) -> tuple[str, ...]:
    if len(tests) <= _MOST_NAMES:
        return tests
    return (*tests[: _MOST_NAMES - 1], f"and {len(tests) - _MOST_NAMES + 1} more")


def _line(objection: Objection) -> str:
    place = f" ({objection.file}:{objection.line})" if objection.line is not None else ""
    if not place and objection.file:
        place = f" ({objection.file})"
    said = _beginning(objection.message.strip(), _LONGEST_MESSAGE).replace("\n", "\n  ")
    about = f"{objection.test} {_WORDS[objection.finding]}".strip()
    return f"- {about}{place}: {said}" if said else f"- {about}{place}"


def _beginning(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _end(text: str, longest: int) -> str:
    """The last lines that fit; of a line that is too long, its end."""
    if len(text) <= longest:
        return text
    cut = text[len(text) - max(longest - 2, 0) :]
    first, newline, rest = cut.partition("\n")
    return f"…\n{rest}" if newline and len(first) < len(rest) else f"…{cut}"
