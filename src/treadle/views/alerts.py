"""What a person should look at first about the work of a run, worst first. Pure.

In this order: red tests, deleted files, tests removed or made weaker, lost coverage, mass changes.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from treadle.domain.events.verification import SuiteFinished
from treadle.domain.events.work import WorkChanged
from treadle.domain.suite_report import TEST_COMMAND, ObjectionKind
from treadle.views.check_text import exit_text
from treadle.views.figures import pluralize
from treadle.views.log_state import LogState
from treadle.views.style import Style
from treadle.views.verification_state import VerificationState

# Names in a line.
MAX_NAMES = 3
# Percent of coverage that a clean-up may lose.
COVERAGE_SLACK = 0.1
# A work that changes more files than this, or half of the project, is a mass change.
MASS_FILES = 100
# New projects begin with many files, so more of them may be added.
MASS_ADDED = 1_000
MIN_MASS_FILES = 10
MASS_SHARE = 0.5
# The last name of a list that an event cuts off.
_AND_MORE = re.compile(r"and (\d+) more")


@dataclass(frozen=True, slots=True)
class Alert:
    """One line; tests that are red are bad, all else is a warning."""

    text: str
    style: Style = "warning"


def alerts_of(state: LogState) -> tuple[Alert, ...]:
    """The alerts of a run, in the order in which they matter."""
    verified, changes = state.verified, state.changes
    warnings = (
        *(_deleted_files(changes) if changes else ()),
        *_weaker_tests(verified),
        *_lost_coverage(verified),
        *(_mass_change(changes) if changes else ()),
    )
    red = _red_tests(verified.suite) if verified.suite else ()
    return (
        *(Alert(text, "bad") for text in (*red, *_contradicting_tests(verified))),
        *(Alert(text) for text in warnings),
    )


def red_test_alerts(state: LogState) -> tuple[Alert, ...]:
    """Tests that are red, or green only as the agent changed them."""
    return tuple(each for each in alerts_of(state) if each.style == "bad")


def weaker_test_alerts(state: LogState) -> tuple[Alert, ...]:
    """Tests that are gone or check less, and lost coverage."""
    verified = state.verified
    return tuple(map(Alert, (*_weaker_tests(verified), *_lost_coverage(verified))))


def change_alerts(state: LogState) -> tuple[Alert, ...]:
    """Deleted files and mass changes."""
    changes = state.changes
    if changes is None:
        return ()
    return tuple(map(Alert, (*_deleted_files(changes), *_mass_change(changes))))


def changes_text(changes: WorkChanged) -> str:
    """`3 added, 2 changed, 62 deleted (+10 −400 lines)`."""
    counts = (
        (changes.added, "added"),
        (changes.changed, "changed"),
        (changes.deleted, "deleted"),
    )
    parts = [f"{number:,} {how}" for number, how in counts if number]
    lines = f"(+{changes.lines_added:,} −{changes.lines_deleted:,} lines)"
    return f"{', '.join(parts)} {lines}" if parts else "none"


def _red_tests(suite: SuiteFinished) -> Iterator[str]:
    """The tests that failed when they last ran, also those that did before the work."""
    failed = sum(each.failed for each in suite.counts)
    objections = (*suite.objections, *suite.accepted)
    if failed:
        known = [name for name in suite.known_red if name != TEST_COMMAND]
        new = [each.test for each in objections if each.finding == "new_failure"]
        red = max(failed, _count(new) + _count(known))
        before = f", {_count(known):,} of them before the work as well" if known else ""
        before = ", as before the work" if _count(known) == red else before
        yield f"{pluralize(red, 'test')} failing at the end{before}{_names((*new, *known), red)}"
    elif not suite.evidence.is_green:
        as_before = ", as before the work" if TEST_COMMAND in suite.known_red else ""
        yield f"{TEST_COMMAND} is failing at the end{as_before}: {exit_text(suite.evidence)}"


def _contradicting_tests(verified: VerificationState) -> Iterator[str]:
    """Tests that pass only as the agent changed them."""
    failing = verified.suite_grade.failing if verified.suite_grade else ()
    if failing:
        verb, them = ("fails", "it") if _count(failing) == 1 else ("fail", "them")
        tests = f"{pluralize(_count(failing), 'test')} of yours {verb} with the work"
        yield f"{tests}, and the agent changed {them}{_names(failing, _count(failing))}"


def _deleted_files(changes: WorkChanged) -> Iterator[str]:
    if changes.deleted:
        of_all = f"{changes.deleted:,} of {pluralize(changes.files_before, 'file')}"
        yield f"{of_all} deleted{_names(changes.deleted_files, changes.deleted)}"


def _weaker_tests(verified: VerificationState) -> Iterator[str]:
    removed = [
        each.path for each in verified.touched if each.change == "removed" and each.judge == "tests"
    ]
    if removed:
        yield f"{pluralize(len(removed), 'test file')} removed{_names(removed, len(removed))}"
    kinds: tuple[tuple[ObjectionKind, str], ...] = (
        ("removed", "removed"),
        ("newly_skipped", "skipped now"),
    )
    suite = verified.suite
    objections = (*suite.objections, *suite.accepted) if suite else ()
    for finding, what in kinds:
        tests = [each.test for each in objections if each.finding == finding]
        if tests:
            yield f"{pluralize(_count(tests), 'test')} {what}{_names(tests, _count(tests))}"
    yield from verified.weakened


def _lost_coverage(verified: VerificationState) -> Iterator[str]:
    before = verified.coverage_before
    if before is None or verified.suite is None:
        return
    now = verified.suite.coverage
    if now is None:
        yield f"coverage lost: {before:.1f} % before the work, and no report of it now"
    elif now < before - COVERAGE_SLACK:
        yield f"coverage lowered: {before:.1f} % before the work, {now:.1f} % now"


def _mass_change(changes: WorkChanged) -> Iterator[str]:
    touched = changes.changed + changes.deleted
    many = touched > MASS_FILES or (
        touched >= MIN_MASS_FILES and touched > MASS_SHARE * changes.files_before
    )
    before = changes.lines_before
    if before is not None and changes.lines_deleted > MASS_SHARE * before:
        lines = f"{changes.lines_deleted:,} of {before:,} lines are gone"
        yield f"mass change: {lines}, {changes.lines_added:,} are new"
    elif many or changes.added > MASS_ADDED:
        files = pluralize(changes.files_before, "file")
        yield f"mass change of a project of {files}: {changes_text(changes)}"


def _count(names: Sequence[str]) -> int:
    """The number of names, also of those that an event has cut off."""
    cut_off = _AND_MORE.fullmatch(names[-1]) if names else None
    return len(names) - 1 + int(cut_off[1]) if cut_off else len(names)


def _names(names: Sequence[str], total: int) -> str:
    """`: a, b, c and 4 more`; empty without names."""
    if not names:
        return ""
    more = total - len(names[:MAX_NAMES])
    listed = ", ".join(names[:MAX_NAMES])
    return f": {listed} and {more:,} more" if more > 0 else f": {listed}"
