"""Compares the evidence that a run recorded with what is found now, and says what differs."""

import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.check import CheckTiming, Evidence
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import CheckFinished, SuiteFinished

# On the work itself: not on the tree before it, and not on the way to a culprit.
ON_THE_WORK: frozenset[CheckTiming] = frozenset({"after", "again"})

EvidenceKind = Literal["check", "tests"]
LogStatus = Literal["kept", "missing", "changed"]
EnvironmentMatch = Literal["same", "differs", "unknown"]
# So much of a name is enough to tell it by.
_SHORT = 12


@dataclass(frozen=True, slots=True)
class RecordedEvidence:
    """Evidence that a run relies on."""

    kind: EvidenceKind
    # Of a check.
    deliverable: str
    criterion: str
    evidence: Evidence
    # The same command on the tree before the work, if this run has seen that.
    before: Evidence | None = None
    # Tests that the run saw end in two ways on one tree: they are given a second try, as they were.
    flaky: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        if self.kind == "tests":
            return "tests"
        return f"{self.deliverable}: {self.criterion}" if self.deliverable else self.criterion


@dataclass(frozen=True, slots=True)
class CurrentEvidence:
    """What there is of it now."""

    log: LogStatus
    # Empty: the repository has no such commit.
    tree: str
    # Of running it again; None where there was nothing to run it on.
    now: Evidence | None = None
    # Why what the repository has is not what the commit's name says.
    damage: str = ""
    output: str = ""
    # Of what the command said before the work.
    log_before: LogStatus = "kept"


@dataclass(frozen=True, slots=True)
class EvidenceDiff:
    """One piece of evidence, then and now; it agrees if nothing speaks against it."""

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
    """The last green evidence for each check of the deliverables that passed, and what the tests
    said last."""
    checks: dict[tuple[str, str], RecordedEvidence] = {}
    tests: RecordedEvidence | None = None
    before: dict[tuple[str, str, str], Evidence] = {}
    flaky: dict[str, None] = {}
    for event in events:
        if isinstance(event, SuiteFinished):
            flaky |= dict.fromkeys(event.flaky)
        match event:
            case CheckFinished(evidence=evidence) if evidence.when == "before":
                before[event.deliverable, event.criterion, evidence.command] = evidence
            case SuiteFinished(evidence=evidence) if evidence.when == "before":
                before["", "", evidence.command] = evidence
            case CheckFinished(deliverable=name, criterion=criterion, evidence=evidence):
                counts = evidence.is_green and evidence.when in ON_THE_WORK
                if counts and (name in passed or not name):
                    checks[name, criterion] = RecordedEvidence("check", name, criterion, evidence)
            case SuiteFinished(evidence=evidence) if evidence.when in ON_THE_WORK:
                tests = RecordedEvidence("tests", "", "", evidence)
            case _:
                pass
    found = (*checks.values(), *((replace(tests, flaky=tuple(flaky)),) if tests else ()))
    return tuple(
        replace(each, before=before.get((each.deliverable, each.criterion, each.evidence.command)))
        for each in found
    )


def find_once_verified(events: Iterable[Event]) -> tuple[str, ...]:
    """Ids of what was shown by a check, for when none of it has passed in the end."""
    shown = (
        event.deliverable
        for event in events
        if isinstance(event, CheckFinished)
        and event.evidence.is_green
        and event.evidence.when in ON_THE_WORK
    )
    return tuple(dict.fromkeys(name for name in shown if name))


def needs_second_try(recalled: RecordedEvidence, now: Evidence) -> bool:
    """Whether the tests ended otherwise than they did, and some of them were known to be flaky:
    those may be all that speaks against it. What was not done in time is not begun again."""
    ended_so = now.exit_code is not None and now.exit_code != recalled.evidence.exit_code
    return bool(recalled.flaky) and ended_so


def compare_evidence(
    recalled: RecordedEvidence, found: CurrentEvidence, *, origin: str
) -> EvidenceDiff:
    """`origin`: the repository that the run worked on."""
    then = recalled.evidence
    reasons = [*_log_reasons("its log", then, found.log), *_tree_reasons(then, found, origin)]
    if recalled.before is not None and recalled.before.log != then.log:
        reasons += _log_reasons("its log of before the work", recalled.before, found.log_before)
    if (now := found.now) is not None and now.exit_code != then.exit_code:
        around = "" if now.fingerprint == then.fingerprint else ", in another environment"
        before, after = describe_exit(then.exit_code), describe_exit(now.exit_code)
        reasons.append(f"it {after} now, and {before} then{around}")
    return EvidenceDiff(recalled, found, tuple(reasons))


def describe_exit(exit_code: int | None) -> str:
    return "was not done in time" if exit_code is None else f"ended with exit code {exit_code}"


def _log_reasons(what: str, then: Evidence, log: LogStatus) -> list[str]:
    match log:
        case "kept":
            return []
        case "missing":
            return [f"{what} {then.log[:_SHORT]} is missing"]
        case "changed":
            return [f"{what} {then.log[:_SHORT]} was changed: its SHA-256 is another now"]


def _tree_reasons(then: Evidence, found: CurrentEvidence, origin: str) -> list[str]:
    commit = then.commit[:_SHORT]
    if not found.tree:
        fetch = f"git fetch {shlex.quote(origin)} {then.commit}"
        return [f"commit {commit} is not in this repository: {fetch}"]
    if found.tree != then.tree:
        here, there = found.tree[:_SHORT], then.tree[:_SHORT]
        return [f"the tree of commit {commit} is {here} here, and was {there} then"]
    return [found.damage] if found.damage else []
