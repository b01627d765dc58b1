"""Decides about a tool use: the policy, then the user's hooks, then a person."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from treadle.domain.agent import Ask, Decide, Decision, Deny, PolicyDecision, ToolUse
from treadle.domain.hooks import HookExit, RunHook
from treadle.domain.signal import Role
from treadle.policy.available_tools import Toolset
from treadle.policy.command_limit import DecideLine, ParseShellLine, limit_commands
from treadle.policy.decide import DecisionContext, decide
from treadle.policy.file_tools import RealPath
from treadle.policy.permission_rules import PermissionRule
from treadle.policy.shell.syntax import ParseResult, UnreadableLine
from treadle.policy.tool_limit import ToolLimit
from treadle.policy.user_hooks import find_hook_denial, make_hook_input

# A line is judged in milliseconds; at the worst that is known, in seconds.
POLICY_LIMIT_S = 20.0
_TOO_SLOW = Deny(
    "Judging this use took too long, so it is refused. Write it more plainly, or in several steps.",
    "policy-timeout",
)

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


def parse_nothing(line: str) -> ParseResult:
    """Without a parser a list of commands allows none."""
    return UnreadableLine("Commands cannot be read here.", "no-parser")


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
    # Reads the commands of a line, for sessions with a list of commands.
    parse: ParseShellLine = parse_nothing
    limit_s: float = POLICY_LIMIT_S

    def decide_for(
        self, role: Role, workspace: str, toolset: Toolset, limit: ToolLimit | None = None
    ) -> Decide:
        """The decision function of one session."""
        decide_line = self.decide_line
        if limit is not None:
            decide_line = limit_commands(decide_line, limit, self.parse)
        context = DecisionContext(
            role=role,
            workspace=workspace,
            toolset=toolset,
            readable=self.readable,
            writable=self.writable,
            protected=self.protected,
            ask_before=self.ask_before,
            limit=limit,
        )

        async def decide_use(use: ToolUse) -> Decision:
            decide_now = partial(
                decide, use, context, real_path=self.real_path, decide_line=decide_line
            )
            decision = await _decide_within(self.limit_s, decide_now)
            if isinstance(decision, Deny):
                return decision
            # Hooks first: a person need not answer about what a hook denies anyway.
            if denial := await self.hooks.find_denial(use, role, workspace):
                return denial
            return await self.ask_person(use, decision) if isinstance(decision, Ask) else decision

        return decide_use


async def _decide_within(
    seconds: float, decide_now: Callable[[], PolicyDecision]
) -> PolicyDecision:
    """Decide in a thread, so that signals and limits act meanwhile; what takes too long is denied.

    A thread that is late is left to itself: it holds up neither the loop nor the process's end.
    """
    loop = asyncio.get_running_loop()
    decided: asyncio.Future[PolicyDecision] = loop.create_future()

    def finish(set_outcome: Callable[[], None]) -> None:
        if not decided.done():
            set_outcome()

    def work() -> None:
        try:
            outcome = partial(decided.set_result, decide_now())
        except Exception as error:
            outcome = partial(decided.set_exception, error)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(finish, outcome)

    threading.Thread(target=work, name="policy", daemon=True).start()
    try:
        return await asyncio.wait_for(decided, seconds)
    except TimeoutError:
        return _TOO_SLOW
