"""A board of deliverables over a real file, as the tests of its tools and of edits use it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.builders import NOON, RUN, FakeClock, deliverable
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import ToolReply
from treadle.domain.check import Check, CheckOrigin, CheckTiming, Evidence
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.verification import CheckFinished, DeliverableGraded
from treadle.domain.ports import StatusBoard
from treadle.verify.grades.grade import PinnedResult, grade_criterion, grade_deliverable
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.pass_rules import PASS_AT_ONCE, PassRules
from treadle.workflows.loop.run_history import RunHistory, read_history

COMMIT = "a1" * 20
ONE, TWO, THREE = deliverable("DL-1"), deliverable("DL-2"), deliverable("DL-3")


def with_checks(of: Deliverable, *commands: str, origin: CheckOrigin = "agent") -> Deliverable:
    """With a check for each of its first criteria."""
    checks = zip(of.acceptance_criteria, commands, strict=False)
    return replace(of, checks=tuple(Check(text, command, origin) for text, command in checks))


def finished(
    name: str, check: Check, when: CheckTiming = "before", *, exit_code: int = 1
) -> CheckFinished:
    """A run of the check, red unless another exit code is given."""
    evidence = Evidence(check.command, when, COMMIT, "tree", exit_code, 0.5, "environment", "log")
    return CheckFinished(name, check.criterion, evidence, "")


def graded(of: Deliverable, pinned: PinnedResult | None = None) -> DeliverableGraded:
    """The grade of a deliverable whose checks end like this on the pinned tree; green if not."""
    result = pinned or PinnedResult("passed")
    return grade_deliverable(of, [grade_criterion(check, result) for check in of.checks], None)


def new_entry(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "description": f"What {name} is about",
        "acceptanceCriteria": [f"{name} can be seen"],
    }


@dataclass
class BoardHarness:
    """A board over a real file, with everything it recorded."""

    path: Path
    file: StatusBoard
    board: DeliverableBoard
    events: list[Event] = field(default_factory=list)

    async def use(self, tool: str, **arguments: Any) -> ToolReply:
        found = {each.name: each for each in self.board.tools()}[tool]
        return await found.call(arguments)

    async def create(self, *names: str) -> ToolReply:
        return await self.use("create_deliverable", deliverables=[new_entry(n) for n in names])

    async def set_status(self, name: str, status: str) -> ToolReply:
        return await self.use("set_deliverable_status", deliverableId=name, status=status)

    async def add_check(self, name: str, criterion: str, command: str) -> ToolReply:
        return await self.use("add_check", deliverableId=name, criterion=criterion, command=command)

    def saved(self) -> tuple[Deliverable, ...]:
        return StatusFile(self.path).read()

    def edit(self, *deliverables: Deliverable) -> None:
        """As a person would, with an editor."""
        person = StatusFile(self.path)
        person.read()
        assert person.write(deliverables, today="2026-01-01")


def make_board_harness(
    directory: Path,
    file: Callable[[Path], StatusBoard] = StatusFile,
    *,
    left: Sequence[Deliverable] = (),
    rehearsed: bool = False,
    rules: PassRules = PASS_AT_ONCE,
    clean: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda arguments: arguments,
) -> BoardHarness:
    """A fresh run's harness, on what an earlier run left."""
    path = directory / ".treadle" / "status.json"
    if left:
        assert StatusFile(path).write(left, today="2026-01-01")
    events: list[Event] = []
    board_file = file(path)
    board = DeliverableBoard(
        board_file, events.append, FakeClock(), rehearsed=rehearsed, clean=clean, rules=rules
    )
    board.open()
    return BoardHarness(path, board_file, board, events)


def history_of(*events: Event) -> RunHistory:
    return read_history(RecordedEvent(RUN, n, NOON, event) for n, event in enumerate(events, 1))


def reopen_board(
    harness: BoardHarness,
    *unwritten: Event,
    rehearsed: bool = False,
    rules: PassRules = PASS_AT_ONCE,
) -> BoardHarness:
    """The next process: it knows what the last one stored; `unwritten` was never written."""
    events: list[Event] = []
    file = StatusFile(harness.path)
    board = DeliverableBoard(file, events.append, FakeClock(), rehearsed=rehearsed, rules=rules)
    board.reopen(history_of(*harness.events, *unwritten))
    return BoardHarness(harness.path, file, board, events)
