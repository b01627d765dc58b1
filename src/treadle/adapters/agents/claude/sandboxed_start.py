"""Prepares the start of a session's process, in a sandbox or without one."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from treadle.domain.agent import SANDBOX_FAULT, AgentEnded, AgentEvent, Fault, SessionBrief
from treadle.domain.agent_kind import SessionSandbox
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed

# Claude Code puts this before each command of a tool, each stdio server and each command hook.
SHELL_PREFIX = "CLAUDE_CODE_SHELL_PREFIX"

# Where Claude Code would listen to what other agents tell it, and believe them: any program inside
# could speak to it there, past the log and the policy.
PEER_SOCKETS = ("/tmp/cc-socks", "/tmp/cc-socks-0", "/tmp/cc-socks-1000")  # noqa: S108


class NotConfined(Exception):
    """The sandbox cannot take the agent, so it is not started."""

    def __init__(self, failed: SandboxFailed) -> None:
        super().__init__(failed.message)
        self.fault = _as_fault(failed)


def prepare_start(
    sessions: SessionSandbox | None,
    command: list[str],
    *,
    environment: Mapping[str, str],
    brief: SessionBrief,
    sockets: Mapping[str, Path] | None = None,
) -> ConfinedCommand:
    """How to start the agent so that what it starts cannot touch the agent itself, either; without
    a sandbox, the command as it is. `sockets`: those of this session alone, by the path inside."""
    if sessions is None:
        return ConfinedCommand(tuple(command), environment)
    within = sessions.confinement_for(brief)
    reachable = {**within.sockets, **sessions.sockets, **(sockets or {})}
    within = replace(within, sockets=reachable, barred=PEER_SOCKETS)
    launcher = sessions.sandbox.launcher()
    given = {**environment, SHELL_PREFIX: shlex.join(launcher)} if launcher else environment
    start = sessions.sandbox.confine([*sessions.entry, *command], given, within)
    if isinstance(start, SandboxFailed):
        raise NotConfined(start)
    return start


def sandbox_fault(sessions: SessionSandbox, report: Path, stderr: str) -> Fault | None:
    """The sandbox's failure, if that is why the agent did not run."""
    failed = sessions.sandbox.failure(report, stderr)
    return None if failed is None else _as_fault(failed)


def name_limit(events: Sequence[AgentEvent], exceeded: str) -> list[AgentEvent]:
    """The events, in which the end of a process names the limit that ended it, if one did."""
    return [
        replace(event, outcome=replace(event.outcome, message=exceeded))
        if exceeded
        and isinstance(event, AgentEnded)
        and isinstance(event.outcome, Fault)
        and event.outcome.exit_code not in (None, 0)
        else event
        for event in events
    ]


def _as_fault(failed: SandboxFailed) -> Fault:
    told = f"{failed.message} ({failed.hint})" if failed.hint else failed.message
    return Fault(told, subtype=SANDBOX_FAULT)
