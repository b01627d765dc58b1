"""Runs the checks of deliverables on commits, and records each result."""

from dataclasses import dataclass, field, replace

from treadle.domain.check import Check, CheckTiming
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.verification import CheckFinished
from treadle.domain.pin_plan import PinPlan
from treadle.domain.ports import Log
from treadle.verify.grades.flaky_results import flaky_commit, flaky_failure, untried_failure
from treadle.verify.grades.grade import NO_ACCESS_TIMES, PinnedResult, needs_pinned_run
from treadle.verify.pins.judge_pins import JudgePins, NoJudgePins
from treadle.verify.pins.pin_text import mixed_failure, pinned_failure
from treadle.verify.results.before_look import UnknownLook, before_look, inconclusive_reason
from treadle.verify.results.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.verify.results.runner_end import unfinished_reason

# Where a red result may say nothing about the project.
CAN_BE_UNKNOWN: tuple[CheckTiming, ...] = ("before", "pinned")
# Files that an event names.
MAX_READ_FILES = 20


class VerificationStopped(Exception):
    """The run was asked to stop before everything was verified."""


@dataclass(slots=True)
class CheckRuns:
    """The checks of one run. `base` is the commit whose judges are the user's."""

    runner: CheckRunner
    log: Log
    check_s: float
    base: str
    judges: JudgePins = field(default_factory=NoJudgePins)
    # Results on the work, and on pinned trees, that were green; and those that were red.
    green: list[CheckFinished] = field(default_factory=list)
    red: list[CheckFinished] = field(default_factory=list)

    async def run(
        self,
        command: str,
        commit: str,
        when: CheckTiming,
        *,
        pins: PinPlan | None = None,
        find_program: str = "",
    ) -> CommandResult:
        """Run a command; raises if the run is asked to stop."""
        watched = () if when == "before" else await self.judges.changed_paths(self.base, commit)
        check = CheckCommand(
            command,
            commit,
            when,
            self.check_s,
            pins=pins,
            watched=tuple(watched),
            find_program=find_program,
        )
        result = await self.runner.run(check)
        if isinstance(result, CommandStopped):
            raise VerificationStopped
        return result

    async def on_work(
        self,
        deliverable: Deliverable,
        check: Check,
        tip: str,
        when: CheckTiming,
        *,
        find_program: str = "",
    ) -> CheckFinished:
        """The result on a commit of the work; one that was green there is not run again.

        `find_program` was not found before the work; the result names it if the work lacks it, too.
        """
        green = self.green_on(check.command, tip)
        if green is None:
            result = await self.run(check.command, tip, when, find_program=find_program)
            missing = "" if result.program_present else find_program
            event = replace(finished_event(deliverable.id, check, result), missing_program=missing)
        else:
            event = replace(green, deliverable=deliverable.id, criterion=check.criterion)
        return self.record(event)

    async def on_pinned(self, deliverable: Deliverable, check: Check, tip: str) -> PinnedResult:
        """The result on the pinned tree of a check that is green on the work."""
        if not needs_pinned_run(check):
            return PinnedResult("")
        if commit := await self._flaky_commit(deliverable, check):
            return PinnedResult("failed", flaky_failure(commit))
        plan = await self.judges.plan(check.command, self.base, tip)
        if plan.mixed:
            return PinnedResult("failed", mixed_failure(plan))
        if plan.is_empty:
            return PinnedResult("passed")
        green = self.green_on(check.command, tip, "pinned")
        if green is None:
            result = await self.run(check.command, tip, "pinned", pins=plan)
            event = finished_event(deliverable.id, check, result)
        else:
            event = replace(green, deliverable=deliverable.id, criterion=check.criterion)
        self.record(event)
        if not event.is_green:
            return PinnedResult("failed", pinned_failure(plan, event.inconclusive))
        return PinnedResult("failed" if event.inconclusive else "passed", event.inconclusive)

    def green_on(
        self, command: str, commit: str, when: CheckTiming | None = None
    ) -> CheckFinished | None:
        """A green result of this command on this commit; `when` tells the pinned tree apart."""
        for event in self.green:
            evidence = event.evidence
            if (evidence.command, evidence.commit) == (command, commit) and (
                (evidence.when == "pinned") == (when == "pinned")
            ):
                return event
        return None

    async def _flaky_commit(self, deliverable: Deliverable, check: Check) -> str:
        """A commit on which the check failed and passed; one on which it failed is tried again."""
        if known := flaky_commit((*self.red, *self.green), check.command):
            return known
        if commit := untried_failure(self.red, check.command):
            result = await self.run(check.command, commit, "bisect")
            self.record(finished_event(deliverable.id, check, result))
        return flaky_commit((*self.red, *self.green), check.command)

    def record(self, event: CheckFinished) -> CheckFinished:
        """Record a result; one that is known already is not recorded again."""
        if event in self.green:
            return event
        self.log.record(event)
        (self.green if event.is_green else self.red).append(event)
        return event


def finished_event(deliverable: str, check: Check, result: CommandResult) -> CheckFinished:
    """The event of a result. A red check on the work itself is a fault of the work."""
    inconclusive = _why_inconclusive(result) if result.evidence.when in CAN_BE_UNKNOWN else ""
    look = before_look(result) if inconclusive else None
    return CheckFinished(
        deliverable,
        check.criterion,
        result.evidence,
        result.output,
        inconclusive,
        tuple(result.read_files or ())[:MAX_READ_FILES],
        unfinished_reason(result, check.command),
        look.program if isinstance(look, UnknownLook) else "",
    )


def _why_inconclusive(result: CommandResult) -> str:
    """Why a run before the work or on the pinned tree says nothing, green or red."""
    if result.evidence.is_green and result.read_files is None:
        return NO_ACCESS_TIMES
    return inconclusive_reason(result)
