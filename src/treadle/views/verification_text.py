"""Results of tests, refused claims and changed evidence files in words. Pure."""

from collections.abc import Sequence

from treadle.domain.events.verification import ClaimRefused, SuiteFinished, TouchedFile
from treadle.domain.events.work import ToolFile
from treadle.domain.suite_report import ObjectionKind, SuiteObjection
from treadle.views.figures import pluralize
from treadle.views.style import Style

FINDINGS: dict[ObjectionKind, str] = {
    "new_failure": "fails now",
    "removed": "is gone",
    "newly_skipped": "is skipped now",
    "coverage": "coverage",
    "broken_run": "failed",
}


def suite_outcomes(suite: SuiteFinished) -> str:
    """`12 passed, 1 failed, 2 skipped`; empty without a report."""
    return _counts_text(
        (sum(each.passed for each in suite.counts), "passed"),
        (sum(each.failed for each in suite.counts), "failed"),
        (sum(each.skipped for each in suite.counts), "skipped"),
    )


def suite_makeup(suite: SuiteFinished) -> str:
    """`12 unit, 3 e2e, coverage 84.2 %`; empty for unit tests alone."""
    sizes = [(each.passed + each.failed + each.skipped, each.kind) for each in suite.counts]
    parts = [_counts_text(*sizes)] if any(kind != "unit" for _, kind in sizes) else []
    if suite.coverage is not None:
        parts.append(f"coverage {suite.coverage:.1f} %")
    return ", ".join(part for part in parts if part)


def _counts_text(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{number:,} {what}" for number, what in counts if number)


def suite_verdict(suite: SuiteFinished, *, accepted_by: str = "") -> tuple[str, Style]:
    """The verdict on the tests with its figures; tests that failed before the work do not count."""
    outcomes = suite_outcomes(suite)
    if not suite.objections and not suite.accepted and suite.evidence.is_green:
        return outcomes or "passed", "good"
    style: Style = "bad" if suite.objections else "warning"
    verdict = pluralize(len(suite.objections), "objection") if suite.objections else ""
    if suite.accepted:
        accepted = f"{_accepted_text(suite.accepted)}, accepted by {accepted_by or 'a person'}"
        verdict = f"{verdict}, and {accepted}" if verdict else accepted
    verdict = verdict or "no new failures"
    return (f"{verdict}: {outcomes}" if outcomes else verdict), style


def _accepted_text(accepted: Sequence[SuiteObjection]) -> str:
    if all(each.finding == "new_failure" for each in accepted):
        return f"{len(accepted)} new failing"
    return pluralize(len(accepted), "objection")


def why_refused(event: ClaimRefused) -> str:
    """Why a claim is not a pass."""
    if event.unchecked:
        criteria = "1 criterion has" if event.unchecked == 1 else f"{event.unchecked} criteria have"
        return f"{criteria} no check"
    if not event.red:
        return "tests object"
    return "a check fails" if event.red == 1 else f"{event.red} checks fail"


def objection_text(objection: SuiteObjection) -> str:
    """`test_divide fails now (tests/test_calc.py:12)`."""
    location = objection.file
    if location and objection.line is not None:
        location += f":{objection.line}"
    what = FINDINGS[objection.finding]
    name = f"{objection.test} {what}" if objection.test else what
    return f"{name} ({location})" if location else name


def tool_files_title(files: Sequence[ToolFile]) -> str:
    """The title above the changed files that tools obey by themselves."""
    return f"changed files that tools run by themselves: {pluralize(len(files), 'file')}"


def touched_title(files: Sequence[TouchedFile]) -> str:
    """The title above the files that judge the work and were changed or removed."""
    return f"changed tests, checks or their configuration: {pluralize(len(files), 'file')}"


def added_evidence(files: Sequence[TouchedFile]) -> tuple[str, ...]:
    """The added files that judge the work: tests by their number, others by name."""
    added = [each for each in files if each.change == "added"]
    tests = sum(each.judge == "tests" for each in added)
    others = [f"{each.path} ({each.judge})" for each in added if each.judge != "tests"]
    return (
        *([f"added tests: {pluralize(tests, 'file')}"] if tests else ()),
        *([f"also added: {', '.join(others)}"] if others else ()),
    )
