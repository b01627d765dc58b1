"""Port for planning pinned trees: the work of a commit with the judges of the base."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from treadle.domain.pin_plan import PinPlan


class JudgePins(Protocol):
    """Compares two commits of the project."""

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        """The pinned tree of a command on `tip`, with the judges of `base`."""
        ...

    async def changed_paths(self, base: str, tip: str) -> Sequence[str]:
        """The files that the work changed or added."""
        ...


@dataclass(frozen=True, slots=True)
class NoJudgePins:
    """For work that changes no judge."""

    async def plan(self, command: str, base: str, tip: str) -> PinPlan:
        return PinPlan(base)

    async def changed_paths(self, base: str, tip: str) -> Sequence[str]:
        return ()
