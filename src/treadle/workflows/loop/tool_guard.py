"""Decides about a tool use: the policy, then the user's hooks, then a person."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from treadle.domain.agent import Ask, Decide, Decision, Deny, ToolUse
from treadle.domain.hooks import HookExit, RunHook
from treadle.domain.signal import Role
from treadle.policy.available_tools import Toolset
from treadle.policy.decide import DecideLine, DecisionContext, decide
from treadle.policy.file_tools import RealPath
from treadle.policy.permission_rules import PermissionRule
from treadle.policy.user_hooks import find_hook_denial, make_hook_input

AskPerson: TypeAlias = Callable[[ToolUse, Ask], Awaitable[Decision]]


@dataclass(frozen=True, slots=True)
class UserHooks:
    """The user's own guards; they can only forbid."""

    commands: Sequence[str] = ()
    run: RunHook | None = None

    async def objection(self, use: ToolUse, role: Role, workspace: str) -> Deny | None:
        """The first objection. A hook that nobody can run is one."""
        for command in self.commands:
            given = make_hook_input(use, role, workspace)
            ended = HookExit(None) if self.run is None else await self.run(command, given)
            if denied := find_hook_denial(command, ended):
                return denied
        return None


async def deny_without_person(use: ToolUse, ask: Ask) -> Decision:
    """Where no question can be put, a question is a no."""
    return Deny(f"A person must allow this, and nobody can be asked. {ask.reason}", ask.rule)


@dataclass(frozen=True, slots=True)
class ToolGuard:
    """What decides about the tool uses of every session of a run."""

    real_path: RealPath
    judge_line: DecideLine
    ask_person: AskPerson = deny_without_person
    hooks: UserHooks = UserHooks()
    # See `policy.decide.Context`.
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    ask_before: tuple[PermissionRule, ...] = ()

    def decide_for(self, role: Role, workspace: str, toolset: Toolset) -> Decide:
        """The decisions of one session."""
        context = DecisionContext(
            role=role,
            workspace=workspace,
            toolset=toolset,
            readable=self.readable,
            writable=self.writable,
            protected=self.protected,
            ask_before=self.ask_before,
        )

        async def decided(use: ToolUse) -> Decision:
            judging = partial(
                decide, use, context, real_path=self.real_path, decide_line=self.judge_line
            )
            # A line may keep the program that reads it busy for a second; the loop has other work.
            judged = await asyncio.to_thread(judging) if use.name == "Bash" else judging()
            if isinstance(judged, Deny):
                return judged
            # Nobody is asked about what a hook forbids anyway.
            if denied := await self.hooks.objection(use, role, workspace):
                return denied
            return await self.ask_person(use, judged) if isinstance(judged, Ask) else judged

        return decided
