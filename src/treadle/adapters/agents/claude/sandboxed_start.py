"""Prepares the start of a session's process, in a sandbox or without one."""

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from treadle.domain.agent import SANDBOX_FAULT, Fault, SessionBrief
from treadle.domain.sandbox import ConfinedCommand, Confinement, Sandbox, SandboxFailed

# Claude Code puts this before each command of a tool, each stdio server and each command hook.
SHELL_PREFIX = "CLAUDE_CODE_SHELL_PREFIX"

# Where Claude Code would listen to what other agents tell it, and believe them: any program inside
# could speak to it there, past the log and the policy.
PEER_SOCKETS = ("/tmp/cc-socks", "/tmp/cc-socks-0", "/tmp/cc-socks-1000")  # noqa: S108


@dataclass(frozen=True, slots=True)
class AgentSandbox:
    """The sandbox of an agent's sessions, and what each of them can reach in it."""

    sandbox: Sandbox
    confinement_for: Callable[[SessionBrief], Confinement]
    # Sockets outside, by the path that they have inside; those of one session.
    sockets: Mapping[str, Path] = field(default_factory=dict)
    # Becomes the agent after it has made ready what the agent needs inside.
    entry: tuple[str, ...] = ()

    def confine(
        self, command: list[str], environment: Mapping[str, str], brief: SessionBrief
    ) -> ConfinedCommand | SandboxFailed:
        """How to start the agent so that what it starts cannot touch the agent itself, either."""
        within = self.confinement_for(brief)
        within = replace(within, sockets={**within.sockets, **self.sockets}, barred=PEER_SOCKETS)
        launcher = self.sandbox.launcher()
        given = {**environment, SHELL_PREFIX: shlex.join(launcher)} if launcher else environment
        return self.sandbox.confine([*self.entry, *command], given, within)

    def read_fault(self, report: Path, said: str) -> Fault | None:
        """The sandbox's failure, if that is why the agent did not run; `said`: what came on the
        standard error."""
        failed = self.sandbox.failure(report, said)
        return None if failed is None else _as_fault(failed)

    def first_process(self, report: Path) -> int | None:
        """The process with which everything in the session's sandbox has ended."""
        return self.sandbox.first_process(report)


class NotConfined(Exception):
    """The sandbox cannot take the agent, so it is not started."""

    def __init__(self, failed: SandboxFailed) -> None:
        super().__init__(failed.message)
        self.fault = _as_fault(failed)


def prepare_start(
    enclosure: AgentSandbox | None,
    command: list[str],
    *,
    environment: Mapping[str, str],
    brief: SessionBrief,
) -> ConfinedCommand:
    """The way to start the agent in there; without an enclosure, the command as it is."""
    if enclosure is None:
        return ConfinedCommand(tuple(command), environment)
    start = enclosure.confine(command, environment, brief)
    if isinstance(start, SandboxFailed):
        raise NotConfined(start)
    return start


def _as_fault(failed: SandboxFailed) -> Fault:
    told = f"{failed.message} ({failed.hint})" if failed.hint else failed.message
    return Fault(told, subtype=SANDBOX_FAULT)
