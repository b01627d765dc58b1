"""A board of deliverables over a real file, as the tests of its tools and of edits use it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.builders import FakeClock, deliverable
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.agent import ToolReply
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.ports import StatusBoard
from treadle.workflows.deliver.board import Board

ONE, TWO, THREE = deliverable("DL-1"), deliverable("DL-2"), deliverable("DL-3")


def given_entry(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "description": f"What {name} is about",
        "acceptanceCriteria": [f"{name} can be seen"],
    }


@dataclass
class Desk:
    """A board over a real file, with everything it recorded."""

    path: Path
    file: StatusBoard
    board: Board
    events: list[Event] = field(default_factory=list)

    async def use(self, tool: str, **arguments: Any) -> ToolReply:
        found = {each.name: each for each in self.board.tools()}[tool]
        return await found.call(arguments)

    async def create(self, *names: str) -> ToolReply:
        return await self.use("create_deliverable", deliverables=[given_entry(n) for n in names])

    async def set_status(self, name: str, status: str) -> ToolReply:
        return await self.use("set_deliverable_status", deliverableId=name, status=status)

    def saved(self) -> tuple[Deliverable, ...]:
        return StatusFile(self.path).read()

    def edit(self, *deliverables: Deliverable) -> None:
        """As a person would, with an editor."""
        person = StatusFile(self.path)
        person.read()
        assert person.write(deliverables, today="2026-01-01")


def desk_in(
    directory: Path,
    file: Callable[[Path], StatusBoard] = StatusFile,
    *,
    left: Sequence[Deliverable] = (),
    rehearsed: bool = False,
) -> Desk:
    """A fresh run's desk, on what an earlier run left."""
    path = directory / ".treadle" / "status.json"
    if left:
        assert StatusFile(path).write(left, today="2026-01-01")
    events: list[Event] = []
    board_file = file(path)
    board = Board(board_file, events.append, FakeClock(), rehearsed=rehearsed)
    board.open()
    return Desk(path, board_file, board, events)
