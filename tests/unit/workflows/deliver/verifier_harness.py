"""One verification over a real board, with preset results of commands and preset judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.builders import MemoryLog, deliverable
from tests.unit.workflows.deliver.board_harness import BoardHarness, make_board_harness, with_checks
from treadle.domain.check import RequiredGrade
from treadle.domain.deliverable import Claim, Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import (
    CheckFinished,
    ClaimRefused,
    DeliverableGraded,
    SuiteFinished,
)
from treadle.domain.events.work import DeliverableChanged
from treadle.domain.pin_plan import PinPlan
from treadle.verify.results.memory_check_runner import MemoryCheckRunner, PresetResult
from treadle.verify.suites.suite import SuiteCommand
from treadle.verify.suites.suite_comparison import RegressionRules
from treadle.workflows.deliver.check_runs import CheckRuns
from treadle.workflows.deliver.pass_rules import PassRules
from treadle.workflows.deliver.verifier import DeliverableVerifier
from treadle.workflows.loop.findings import RoundCommit, RoundCommits, VerificationFindings
from treadle.workflows.loop.suite_verifier import SuiteVerifier

BASE, WORK, LATER, LAST = "a0" * 20, "b1" * 20, "c2" * 20, "d3" * 20
ONE = with_checks(deliverable("DL-1"), "make one", origin="spec")
TWO = with_checks(deliverable("DL-2"), "make two", origin="spec")
TESTS = SuiteCommand("python3 -m unittest -v", 60.0)
ACCEPTED: Sequence[str] = ()
TIPS: RoundCommits = (RoundCommit(0, BASE), RoundCommit(1, WORK), RoundCommit(2, LATER))


@dataclass
class PresetJudges:
    """Plans by command and commit of the work; all other work changed no judge."""

    plans: dict[tuple[str, str], PinPlan] = field(default_factory=dict)
    changed: tuple[str, ...] = ()

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        return self.plans.get((command, tip), PinPlan(base))

    async def changed_paths(self, base: str, tip: str) -> Sequence[str]:
        return self.changed


@dataclass
class VerifierHarness:
    """A verification, its board and its runner."""

    harness: BoardHarness
    runner: MemoryCheckRunner
    judges: PresetJudges
    verification: DeliverableVerifier

    @property
    def commands_run(self) -> list[tuple[str, str, str]]:
        return [(each.command, each.commit, each.when) for each in self.runner.commands]

    @property
    def recorded(self) -> list[Event]:
        """What was recorded besides the results of commands and the grades."""
        others = (CheckFinished, SuiteFinished, DeliverableGraded)
        return [event for event in self.harness.events if not isinstance(event, others)]

    @property
    def grades(self) -> list[DeliverableGraded]:
        return [event for event in self.harness.events if isinstance(event, DeliverableGraded)]

    async def claims(self, *names: str) -> None:
        for name in names:
            await self.harness.set_status(name, "passed")
        self.harness.events.clear()

    async def shows(
        self, *, before: str = BASE, accepted: Sequence[str] = ACCEPTED
    ) -> VerificationFindings:
        return await self.verification.verify_round(before, WORK, accepted)


def make_verifier_harness(
    directory: Path,
    *left: Deliverable,
    said: Mapping[tuple[str, str], PresetResult],
    suite: SuiteCommand | None = None,
    judges: PresetJudges | None = None,
    required: RequiredGrade = "self-tested",
) -> VerifierHarness:
    terms = PassRules("after_round" if suite else "at_once")
    harness = make_board_harness(directory, left=left, rules=terms)
    harness.events.clear()
    runner, pins = MemoryCheckRunner(dict(said)), judges or PresetJudges()

    def rules() -> RegressionRules:
        return RegressionRules("", 80.0)

    record = harness.events.append
    gate = None if suite is None else SuiteVerifier(runner, suite, BASE, rules, record)
    verification = DeliverableVerifier(
        checks=CheckRuns(runner, MemoryLog(harness.events), 60.0, BASE, pins),
        board=harness.board,
        suite=gate,
        checks_before_work=harness.board.checks_before_work,
        must_hold=harness.board.not_blocked,
        required=required,
    )
    return VerifierHarness(harness, runner, pins, verification)


def turned(name: str, *way: str, commit: str = "") -> DeliverableChanged:
    previous, status, *proof = way
    changed = DeliverableChanged(name, f"What {name} is about", previous, status)  # type: ignore[arg-type]
    return replace(changed, proof=proof[0], commit=commit) if proof else changed  # type: ignore[arg-type]


def refused(name: str, *, red: int) -> ClaimRefused:
    return ClaimRefused(name, f"What {name} is about", red)


def set_back(*names: str) -> RunWarned:
    why = "a check of it that was green is red"
    return RunWarned(f"pending again, because {why}: {', '.join(names)}")


def passed(of: Deliverable, commit: str = WORK) -> Deliverable:
    """Proven, on this commit."""
    seen = tuple(replace(check, before="failed", pinned="passed") for check in of.checks)
    return replace(of, status="passed", checks=seen, claim=Claim(commit), proof="proven")
