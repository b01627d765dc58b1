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
    """The user's hooks; they can only deny."""

    commands: Sequence[str] = ()
    run: RunHook | None = None

    async def find_denial(self, use: ToolUse, role: Role, workspace: str) -> Deny | None:
        """The first denial. A hook that cannot run denies."""
        for command in self.commands:
            hook_input = make_hook_input(use, role, workspace)
            hook_exit = HookExit(None) if self.run is None else await self.run(command, hook_input)
            if denial := find_hook_denial(command, hook_exit):
                return denial
        return None


async def deny_without_person(use: ToolUse, ask: Ask) -> Decision:
    """Deny what a person would have to allow, because none can be asked."""
    return Deny(f"A person must allow this, and nobody can be asked. {ask.reason}", ask.rule)


@dataclass(frozen=True, slots=True)
class ToolGuard:
    """Decides about the tool uses of all sessions of a run."""

    real_path: RealPath
    decide_line: DecideLine
    ask_person: AskPerson = deny_without_person
    hooks: UserHooks = UserHooks()
    # See `policy.decide.DecisionContext`.
    readable: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    ask_before: tuple[PermissionRule, ...] = ()

    def decide_for(self, role: Role, workspace: str, toolset: Toolset) -> Decide:
        """The decision function of one session."""
        context = DecisionContext(
            role=role,
            workspace=workspace,
            toolset=toolset,
            readable=self.readable,
            writable=self.writable,
            protected=self.protected,
            ask_before=self.ask_before,
        )

        async def decide_use(use: ToolUse) -> Decision:
            decide_now = partial(
                decide, use, context, real_path=self.real_path, decide_line=self.decide_line
            )
            # In a thread, because parsing a line may take a second.
            decision = await asyncio.to_thread(decide_now) if use.name == "Bash" else decide_now()
            if isinstance(decision, Deny):
                return decision
            # Hooks first: a person need not answer about what a hook denies anyway.
            if denial := await self.hooks.find_denial(use, role, workspace):
                return denial
            return await self.ask_person(use, decision) if isinstance(decision, Ask) else decision

        return decide_use
