"""What a check or the tests said, in words: for the lines of a run, its summary and `show`."""

from collections.abc import Sequence

from treadle.cli.terminal.duration import duration
from treadle.cli.terminal.figures import counted
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.text import clean
from treadle.cli.terminal.view import Line, View, paragraph
from treadle.domain.check import Evidence
from treadle.domain.events.verification import ClaimRefused, SuiteFinished, Touched
from treadle.domain.testing import Finding, Objection

LISTED_MOST = 5

FINDINGS: dict[Finding, str] = {
    "new_failure": "fails now",
    "removed": "is gone",
    "newly_skipped": "is skipped now",
    "coverage": "coverage",
    "broken_run": "failed",
}


def ended(evidence: Evidence) -> str:
    """`exit code 1 after 2s`, or that its time was over."""
    took = duration(evidence.duration_s)
    if evidence.exit_code is None:
        return f"out of time after {took}"
    return f"exit code {evidence.exit_code} after {took}"


def last_lines(output: str, view: View, *, most: int, indent: str) -> list[Line]:
    """The end of what a command said: what went wrong mostly stands there."""
    said = [line for line in output.splitlines() if clean(line).strip()]
    text = "\n".join(said[-most:])
    return paragraph(text, style="quiet", view=view, most=most, indent=indent)


def suite_outcomes(suite: SuiteFinished) -> str:
    """`12 passed, 1 failed, 2 skipped`; empty where no report tells."""
    return _nonzero(
        (sum(each.passed for each in suite.counts), "passed"),
        (sum(each.failed for each in suite.counts), "failed"),
        (sum(each.skipped for each in suite.counts), "skipped"),
    )


def suite_makeup(suite: SuiteFinished) -> str:
    """`12 unit, 3 e2e, coverage 84.2 %`; unit tests alone go without saying."""
    sizes = [(each.passed + each.failed + each.skipped, each.kind) for each in suite.counts]
    parts = [_nonzero(*sizes)] if any(kind != "unit" for _, kind in sizes) else []
    if suite.coverage is not None:
        parts.append(f"coverage {suite.coverage:.1f} %")
    return ", ".join(part for part in parts if part)


def _nonzero(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{number:,} {what}" for number, what in counts if number)


def suite_verdict(suite: SuiteFinished, *, accepted_by: str = "") -> tuple[str, Style]:
    """How the gate judged, and by what figures; what was red before the work shuts no gate."""
    outcomes = suite_outcomes(suite)
    if not suite.objections and not suite.accepted and suite.evidence.is_green:
        return outcomes or "passed", "good"
    style: Style = "bad" if suite.objections else "warning"
    verdict = counted(len(suite.objections), "objection") if suite.objections else ""
    if suite.accepted:
        accepted = f"{_against(suite.accepted)}, accepted by {accepted_by or 'a person'}"
        verdict = f"{verdict}, and {accepted}" if verdict else accepted
    verdict = verdict or "no new red"
    return (f"{verdict}: {outcomes}" if outcomes else verdict), style


def _against(accepted: Sequence[Objection]) -> str:
    if all(each.finding == "new_failure" for each in accepted):
        return f"{len(accepted)} new red"
    return counted(len(accepted), "objection")


def why_refused(event: ClaimRefused) -> str:
    """What keeps a claim from being a pass."""
    if event.unchecked:
        some = "1 criterion has" if event.unchecked == 1 else f"{event.unchecked} criteria have"
        return f"{some} no check"
    if not event.red:
        return "tests object"
    return "a check is red" if event.red == 1 else f"{event.red} checks are red"


def objection_lines(objections: Sequence[Objection], view: View, *, indent: str) -> list[Line]:
    """The first few with their place and first line, and how many more there are."""
    lines: list[Line] = []
    for each in objections[:LISTED_MOST]:
        lines.append(((indent, "plain"), ("✘ ", "bad"), (_objection(each), "plain")))
        lines += paragraph(each.gist, style="quiet", view=view, most=1, indent=f"{indent}  ")
    return [*lines, *_more(len(objections) - LISTED_MOST, indent)]


def _objection(objection: Objection) -> str:
    place = objection.file
    if place and objection.line is not None:
        place += f":{objection.line}"
    what = FINDINGS[objection.finding]
    name = f"{objection.test} {what}" if objection.test else what
    return f"{name} ({place})" if place else name


def touched_title(files: Sequence[Touched]) -> str:
    return f"changed what judges the work: {counted(len(files), 'file')}"


def touched_lines(files: Sequence[Touched], *, indent: str, most: int = LISTED_MOST) -> list[Line]:
    """One line per file: what it is for, what was done to it, and its path."""
    lines: list[Line] = [
        (
            (f"{indent}{each.change} ", "bad" if each.change == "removed" else "warning"),
            (f"{each.path} ", "plain"),
            (f"({each.judge})", "quiet"),
        )
        for each in files[:most]
    ]
    return [*lines, *_more(len(files) - most, indent)]


def _more(hidden: int, indent: str) -> list[Line]:
    return [((f"{indent}and {hidden} more", "quiet"),)] if hidden > 0 else []
