"""Implements the sandbox port without a sandbox, for users who turn it off."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.sandbox import (
    ConfinedCommand,
    Confinement,
    ProbePassed,
    ProbeResult,
    SandboxFailed,
)

WARNING = "no sandbox: the agent can do whatever you can"


@dataclass(frozen=True, slots=True)
class Unsandboxed:
    """Gives a process its own home and environment, and restricts nothing."""

    @property
    def name(self) -> str:
        return "unsandboxed"

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        return ConfinedCommand(tuple(command), {**environment, "HOME": str(within.home)})

    def launcher(self) -> tuple[str, ...]:
        return ()

    def failure(self, report: Path, said: str = "") -> SandboxFailed | None:
        return None

    def first_process(self, report: Path) -> int | None:
        return None

    async def probe(self) -> ProbeResult:
        return ProbePassed((WARNING,))
