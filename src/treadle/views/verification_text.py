"""Results of checks and tests in words. Pure."""

from collections.abc import Sequence

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions, paragraph
from treadle.domain.check import Evidence
from treadle.domain.events.verification import ClaimRefused, SuiteFinished, TouchedFile
from treadle.domain.suite_report import ObjectionKind, SuiteObjection
from treadle.views.duration import duration
from treadle.views.figures import pluralize
from treadle.views.safe_text import sanitize

LISTED_MOST = 5

FINDINGS: dict[ObjectionKind, str] = {
    "new_failure": "fails now",
    "removed": "is gone",
    "newly_skipped": "is skipped now",
    "coverage": "coverage",
    "broken_run": "failed",
}


def exit_text(evidence: Evidence) -> str:
    """`exit code 1 after 2s`, or that its time was over."""
    took = duration(evidence.duration_s)
    if evidence.exit_code is None:
        return f"out of time after {took}"
    return f"exit code {evidence.exit_code} after {took}"


def last_lines(output: str, view: RenderOptions, *, most: int, indent: str) -> list[Line]:
    """The end of what a command said: what went wrong mostly stands there."""
    said = [line for line in output.splitlines() if sanitize(line).strip()]
    text = "\n".join(said[-most:])
    return paragraph(text, style="quiet", view=view, most=most, indent=indent)


def suite_outcomes(suite: SuiteFinished) -> str:
    """`12 passed, 1 failed, 2 skipped`; empty where no report tells."""
    return _counts_text(
        (sum(each.passed for each in suite.counts), "passed"),
        (sum(each.failed for each in suite.counts), "failed"),
        (sum(each.skipped for each in suite.counts), "skipped"),
    )


def suite_makeup(suite: SuiteFinished) -> str:
    """`12 unit, 3 e2e, coverage 84.2 %`; unit tests alone go without saying."""
    sizes = [(each.passed + each.failed + each.skipped, each.kind) for each in suite.counts]
    parts = [_counts_text(*sizes)] if any(kind != "unit" for _, kind in sizes) else []
    if suite.coverage is not None:
        parts.append(f"coverage {suite.coverage:.1f} %")
    return ", ".join(part for part in parts if part)


def _counts_text(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{number:,} {what}" for number, what in counts if number)


def suite_verdict(suite: SuiteFinished, *, accepted_by: str = "") -> tuple[str, Style]:
    """How the gate judged, and by what figures; what was red before the work shuts no gate."""
    outcomes = suite_outcomes(suite)
    if not suite.objections and not suite.accepted and suite.evidence.is_green:
        return outcomes or "passed", "good"
    style: Style = "bad" if suite.objections else "warning"
    verdict = pluralize(len(suite.objections), "objection") if suite.objections else ""
    if suite.accepted:
        accepted = f"{_accepted_text(suite.accepted)}, accepted by {accepted_by or 'a person'}"
        verdict = f"{verdict}, and {accepted}" if verdict else accepted
    verdict = verdict or "no new red"
    return (f"{verdict}: {outcomes}" if outcomes else verdict), style


def _accepted_text(accepted: Sequence[SuiteObjection]) -> str:
    if all(each.finding == "new_failure" for each in accepted):
        return f"{len(accepted)} new red"
    return pluralize(len(accepted), "objection")


def why_refused(event: ClaimRefused) -> str:
    """What keeps a claim from being a pass."""
    if event.unchecked:
        some = "1 criterion has" if event.unchecked == 1 else f"{event.unchecked} criteria have"
        return f"{some} no check"
    if not event.red:
        return "tests object"
    return "a check is red" if event.red == 1 else f"{event.red} checks are red"


def objection_lines(
    objections: Sequence[SuiteObjection], view: RenderOptions, *, indent: str
) -> list[Line]:
    """The first few with their place and first line, and how many more there are."""
    lines: list[Line] = []
    for each in objections[:LISTED_MOST]:
        lines.append(((indent, "plain"), ("✘ ", "bad"), (objection_text(each), "plain")))
        lines += paragraph(
            each.summary_line, style="quiet", view=view, most=1, indent=f"{indent}  "
        )
    return [*lines, *_more_line(len(objections) - LISTED_MOST, indent)]


def objection_text(objection: SuiteObjection) -> str:
    place = objection.file
    if place and objection.line is not None:
        place += f":{objection.line}"
    what = FINDINGS[objection.finding]
    name = f"{objection.test} {what}" if objection.test else what
    return f"{name} ({place})" if place else name


def touched_title(files: Sequence[TouchedFile]) -> str:
    return f"changed what judges the work: {pluralize(len(files), 'file')}"


def touched_lines(
    files: Sequence[TouchedFile], *, indent: str, most: int = LISTED_MOST
) -> list[Line]:
    """One line per file: what it is for, what was done to it, and its path."""
    lines: list[Line] = [
        (
            (f"{indent}{each.change} ", "bad" if each.change == "removed" else "warning"),
            (f"{each.path} ", "plain"),
            (f"({each.judge})", "quiet"),
        )
        for each in files[:most]
    ]
    return [*lines, *_more_line(len(files) - most, indent)]


def _more_line(hidden: int, indent: str) -> list[Line]:
    return [((f"{indent}and {hidden} more", "quiet"),)] if hidden > 0 else []
