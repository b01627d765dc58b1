"""One run as a line of the list: what can be told of it without reading its log."""

from dataclasses import dataclass
from typing import Literal

from treadle.domain.ids import RunId

RunState = Literal["running", "succeeded", "ended", "lost"]


@dataclass(frozen=True, slots=True)
class RunRow:
    """Kept up to date event by event; times are texts in ISO 8601, empty while there is none."""

    id: RunId
    workflow: str
    project_path: str
    project_key: str
    state: RunState
    reason: str
    sandbox: str
    rehearsal: int
    planned: str
    started_at: str
    ended_at: str
    rounds: int
    passed: int
    blocked: int
    total: int
    cost_usd: float
    branch: str
    snapshot: str
    landed: str

    @property
    def alive(self) -> bool:
        return self.state == "running"
