"""What a run's evidence said, against what is found now: which of it still holds, and why not."""

import shlex
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from treadle.domain.check import Evidence, When
from treadle.domain.events.all_events import Event
from treadle.domain.events.verification import CheckFinished, SuiteFinished

# On the work itself: not on the tree before it, and not on the way to a culprit.
ON_THE_WORK: frozenset[When] = frozenset({"after", "again"})

Kind = Literal["check", "tests"]
Log = Literal["kept", "missing", "changed"]
Surroundings = Literal["same", "differs", "unknown"]
# So much of a name is enough to tell it by.
_SHORT = 12


@dataclass(frozen=True, slots=True)
class Recalled:
    """Evidence that a run relies on."""

    kind: Kind
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
class Found:
    """What there is of it now."""

    log: Log
    # Empty: the repository has no such commit.
    tree: str
    # Of running it again; None where there was nothing to run it on.
    now: Evidence | None = None
    # Why what the repository has is not what the commit's name says.
    damage: str = ""
    output: str = ""
    # Of what the command said before the work.
    log_before: Log = "kept"


@dataclass(frozen=True, slots=True)
class Compared:
    """One piece of evidence, then and now; it agrees if nothing speaks against it."""

    recalled: Recalled
    found: Found
    reasons: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        return not self.reasons

    @property
    def surroundings(self) -> Surroundings:
        if self.found.now is None:
            return "unknown"
        same = self.found.now.fingerprint == self.recalled.evidence.fingerprint
        return "same" if same else "differs"


def recall(events: Iterable[Event], passed: Collection[str]) -> tuple[Recalled, ...]:
    """The last green evidence for each check of the deliverables that passed, and what the tests
    said last."""
    checks: dict[tuple[str, str], Recalled] = {}
    tests: Recalled | None = None
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
                    checks[name, criterion] = Recalled("check", name, criterion, evidence)
            case SuiteFinished(evidence=evidence) if evidence.when in ON_THE_WORK:
                tests = Recalled("tests", "", "", evidence)
            case _:
                pass
    found = (*checks.values(), *((replace(tests, flaky=tuple(flaky)),) if tests else ()))
    return tuple(
        replace(each, before=before.get((each.deliverable, each.criterion, each.evidence.command)))
        for each in found
    )


def set_back(events: Iterable[Event]) -> tuple[str, ...]:
    """Ids of what was shown by a check, for when none of it has passed in the end."""
    shown = (
        event.deliverable
        for event in events
        if isinstance(event, CheckFinished)
        and event.evidence.is_green
        and event.evidence.when in ON_THE_WORK
    )
    return tuple(dict.fromkeys(name for name in shown if name))


def worth_a_second_try(recalled: Recalled, now: Evidence) -> bool:
    """Whether the tests ended otherwise than they did, and some of them were known to be flaky:
    those may be all that speaks against it. What was not done in time is not begun again."""
    ended_so = now.exit_code is not None and now.exit_code != recalled.evidence.exit_code
    return bool(recalled.flaky) and ended_so


def compare(recalled: Recalled, found: Found, *, origin: str) -> Compared:
    """`origin`: the repository that the run worked on."""
    then = recalled.evidence
    reasons = [*_about_log("its log", then, found.log), *_about_tree(then, found, origin)]
    if recalled.before is not None and recalled.before.log != then.log:
        reasons += _about_log("its log of before the work", recalled.before, found.log_before)
    if (now := found.now) is not None and now.exit_code != then.exit_code:
        around = "" if now.fingerprint == then.fingerprint else ", in another environment"
        reasons.append(f"it {ended(now.exit_code)} now, and {ended(then.exit_code)} then{around}")
    return Compared(recalled, found, tuple(reasons))


def ended(exit_code: int | None) -> str:
    return "was not done in time" if exit_code is None else f"ended with exit code {exit_code}"


def _about_log(what: str, then: Evidence, log: Log) -> list[str]:
    match log:
        case "kept":
            return []
        case "missing":
            return [f"{what} {then.log[:_SHORT]} is missing"]
        case "changed":
            return [f"{what} {then.log[:_SHORT]} was changed: its SHA-256 is another now"]


def _about_tree(then: Evidence, found: Found, origin: str) -> list[str]:
    commit = then.commit[:_SHORT]
    if not found.tree:
        fetch = f"git fetch {shlex.quote(origin)} {then.commit}"
        return [f"commit {commit} is not in this repository: {fetch}"]
    if found.tree != then.tree:
        here, there = found.tree[:_SHORT], then.tree[:_SHORT]
        return [f"the tree of commit {commit} is {here} here, and was {there} then"]
    return [found.damage] if found.damage else []
