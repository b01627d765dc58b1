"""Compares the evidence that a run recorded with the evidence of running it again."""

import shlex
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import (
    CheckFinished,
    CriterionGrade,
    DeliverableGraded,
    SuiteFinished,
    SuiteGraded,
)

# Runs on the work itself, not on the tree before it and not during a bisection.
ON_THE_WORK: frozenset[CheckTiming] = frozenset({"after", "again"})

EvidenceKind = Literal["check", "tests"]
LogStatus = Literal["kept", "missing", "changed"]
EnvironmentMatch = Literal["same", "differs", "unknown"]
# How evidence on the pinned tree is told apart from evidence on the work.
PINNED_WORDS: Mapping[EvidenceKind, str] = {"check": "with your tests", "tests": "yours alone"}
# Digits of a hash that identify it to a reader.
_SHORT = 12


@dataclass(frozen=True, slots=True)
class RecordedEvidence:
    """Evidence that a run relies on."""

    kind: EvidenceKind
    # Empty for the tests.
    deliverable: str
    criterion: str
    evidence: Evidence
    # The same command on the tree before the work, if this run recorded it.
    before: Evidence | None = None
    # Tests with two different outcomes on one tree during the run: they get a second try here too.
    flaky: tuple[str, ...] = ()
    # None for runs of versions that gave no grades.
    graded: CriterionGrade | SuiteGraded | None = None

    @property
    def is_pinned(self) -> bool:
        """Whether the tree had the judges of the base, not those of the work."""
        return self.evidence.when == "pinned"

    @property
    def subject(self) -> str:
        """What is verified, on the work itself or with the judges of the base."""
        if self.kind == "tests":
            return "tests"
        return f"{self.deliverable}: {self.criterion}" if self.deliverable else self.criterion

    @property
    def title(self) -> str:
        return f"{self.subject}, {PINNED_WORDS[self.kind]}" if self.is_pinned else self.subject


@dataclass(frozen=True, slots=True)
class CurrentEvidence:
    """The stored log, the tree and the result of running the command again."""

    log: LogStatus
    # Empty: the repository lacks a commit.
    tree: str
    # None if there was no tree to run the command on.
    now: Evidence | None = None
    # Why the objects of the commit do not match its hash.
    damage: str = ""
    output: str = ""
    # The log of the run on the tree before the work.
    log_before: LogStatus = "kept"
    # The commit that the repository lacks, if it is the one with the judges.
    missing_base: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceDiff:
    """One piece of evidence, then and now, and the reasons why they disagree."""

    recorded: RecordedEvidence
    current: CurrentEvidence
    reasons: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return not self.reasons

    @property
    def environment(self) -> EnvironmentMatch:
        if self.current.now is None:
            return "unknown"
        same = self.current.now.fingerprint == self.recorded.evidence.fingerprint
        return "same" if same else "differs"


def read_evidence(events: Iterable[Event], passed: Collection[str]) -> tuple[RecordedEvidence, ...]:
    """The last green evidence for each check of the passed deliverables, then of the test suite.

    What was shown with the judges of the base follows what was shown on the work itself.
    """
    checks: dict[tuple[str, str], list[RecordedEvidence]] = {}
    tests: list[RecordedEvidence] = []
    flaky: dict[str, None] = {}
    grades: dict[tuple[str, str], CriterionGrade] = {}
    suite_grade: SuiteGraded | None = None
    for event in events:
        match event:
            case SuiteFinished():
                flaky |= dict.fromkeys(event.flaky)
                tests.append(RecordedEvidence("tests", "", "", event.evidence))
            case CheckFinished() if event.deliverable in (*passed, ""):
                name, criterion = event.deliverable, event.criterion
                recorded = RecordedEvidence("check", name, criterion, event.evidence)
                checks.setdefault((name, criterion), []).append(recorded)
            case DeliverableGraded():
                grades |= {(event.id, each.criterion): each for each in event.criteria}
            case SuiteGraded():
                suite_grade = event
            case _:
                pass
    return (
        *(
            replace(each, graded=grades.get(subject))
            for subject, history in checks.items()
            for each in _relied_on(history)
        ),
        *(replace(each, flaky=tuple(flaky), graded=suite_grade) for each in _relied_on(tests)),
    )


def _relied_on(history: Iterable[RecordedEvidence]) -> list[RecordedEvidence]:
    """The last evidence on the work, and that with the judges of the base, of one command."""
    before: dict[str, Evidence] = {}
    on_work = pinned = None
    for each in history:
        counts = each.kind == "tests" or each.evidence.is_green
        match each.evidence.when:
            case "before":
                before[each.evidence.command] = each.evidence
            case "pinned":
                pinned = each if counts else None
            case "after" if counts:
                # What was shown of earlier work says nothing about this one.
                on_work, pinned = each, None
            case "again" if counts:
                on_work = each
            case _:
                pass
    if on_work is None:
        return []
    shown = replace(on_work, before=before.get(on_work.evidence.command))
    return [shown] if pinned is None else [shown, pinned]


def find_once_verified(events: Iterable[Event]) -> tuple[str, ...]:
    """Ids of deliverables with a green check, for runs in which none of them passed."""
    verified = (
        event.deliverable
        for event in events
        if isinstance(event, CheckFinished)
        and event.evidence.is_green
        and event.evidence.when in ON_THE_WORK
    )
    return tuple(dict.fromkeys(name for name in verified if name))


def needs_second_try(recorded: RecordedEvidence, now: Evidence) -> bool:
    """Whether known flaky tests may explain why the exit code differs; timeouts are not rerun."""
    ended_differently = now.exit_code is not None and now.exit_code != recorded.evidence.exit_code
    return bool(recorded.flaky) and ended_differently


def compare_evidence(
    recorded: RecordedEvidence, current: CurrentEvidence, *, origin: str
) -> EvidenceDiff:
    """Compare both; `origin` is the repository that the run worked on."""
    then = recorded.evidence
    reasons = [*_log_reasons("its log", then, current.log), *_tree_reasons(then, current, origin)]
    if recorded.before is not None and recorded.before.log != then.log:
        reasons += _log_reasons("its log of before the work", recorded.before, current.log_before)
    if (now := current.now) is not None and now.exit_code != then.exit_code:
        environment_note = "" if now.fingerprint == then.fingerprint else ", in another environment"
        before, after = describe_exit(then.exit_code), describe_exit(now.exit_code)
        reasons.append(f"it {after} now, and {before} then{environment_note}")
    return EvidenceDiff(recorded, current, tuple(reasons))


def describe_exit(exit_code: int | None) -> str:
    return "was not done in time" if exit_code is None else f"ended with exit code {exit_code}"


def _log_reasons(log_name: str, then: Evidence, log: LogStatus) -> list[str]:
    match log:
        case "kept":
            return []
        case "missing":
            return [f"{log_name} {then.log[:_SHORT]} is missing"]
        case "changed":
            return [f"{log_name} {then.log[:_SHORT]} was changed: its SHA-256 has changed"]


def _tree_reasons(then: Evidence, current: CurrentEvidence, origin: str) -> list[str]:
    commit = then.commit[:_SHORT]
    if not current.tree:
        missing = current.missing_base or then.commit
        fetch = f"git fetch {shlex.quote(origin)} {missing}"
        return [f"commit {missing[:_SHORT]} is not in this repository: {fetch}"]
    if current.tree != then.tree:
        here, there = current.tree[:_SHORT], then.tree[:_SHORT]
        differs = f"is {here} here, and was {there} then"
        if not then.judges_of:
            return [f"the tree of commit {commit} {differs}"]
        judges = f"with the tests and checks of {then.judges_of[:_SHORT]}"
        why = "another version of Treadle may choose other files"
        return [f"the tree of commit {commit} {judges} {differs}: {why}"]
    return [current.damage] if current.damage else []
