"""Who is asked about a use, in which order, and who can only say no."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from treadle.domain.agent import Allow, Ask, Decision, Deny, PolicyDecision, ToolUse
from treadle.domain.hooks import HookExit
from treadle.policy.available_tools import merge_tools
from treadle.policy.roles import ShellSet
from treadle.workflows.loop.tool_guard import ToolGuard, UserHooks

JUDGED: dict[str, PolicyDecision] = {
    "ls": Allow(rule="shell"),
    "ship": Ask("It ships.", "", "gate"),
    "rm": Deny("No.", "shell.rm"),
}


@dataclass
class Asked:
    """A guard whose every part says what it was asked."""

    ends: Sequence[HookExit] = ()
    told: list[str] = field(default_factory=list)

    async def run(self, command: str, given: bytes) -> HookExit:
        self.told.append(f"hook {command}")
        return self.ends[int(command)]

    async def settle(self, use: ToolUse, ask: Ask) -> Decision:
        self.told.append("person")
        return Allow("ada allowed it", ask.rule, "q1")

    async def decide(self, command: str) -> Decision:
        guard = ToolGuard(
            real_path=str,
            decide_line=lambda line, allowed, directory: JUDGED[line],
            ask_person=self.settle,
            hooks=UserHooks([str(n) for n in range(len(self.ends))], self.run),
        )
        decide = guard.decide_for("implementer", "/srv/clone", merge_tools((), (), {}))
        return await decide(ToolUse("1", "Bash", {"command": command}))


FINE, FORBIDDEN = HookExit(0), HookExit(2, "Not so.")


@pytest.mark.parametrize(
    ("command", "ends", "told", "decision"),
    [
        ("ls", (), [], Allow(rule="shell")),
        ("ls", (FINE, FINE), ["hook 0", "hook 1"], Allow(rule="shell")),
        ("ls", (FINE, FORBIDDEN), ["hook 0", "hook 1"], Deny("Not so.", "hook-by-settings")),
        ("ls", (FORBIDDEN, FINE), ["hook 0"], Deny("Not so.", "hook-by-settings")),
        ("ship", (), ["person"], Allow("ada allowed it", "gate", "q1")),
        ("ship", (FINE,), ["hook 0", "person"], Allow("ada allowed it", "gate", "q1")),
        ("ship", (FORBIDDEN,), ["hook 0"], Deny("Not so.", "hook-by-settings")),
        ("rm", (FINE,), [], Deny("No.", "shell.rm")),
    ],
)
async def test_the_policy_first_then_hooks_then_a_person(
    command: str, ends: Sequence[HookExit], told: list[str], decision: Decision
) -> None:
    asked = Asked(ends)

    assert (await asked.decide(command), asked.told) == (decision, told)


async def test_hooks_that_nobody_can_run_let_nothing_pass() -> None:
    hooks = UserHooks(["guard"])

    found = await hooks.find_denial(ToolUse("1", "Read", {}), "planner", "/srv/clone")

    assert isinstance(found, Deny)


async def test_where_nobody_can_be_asked_a_question_is_a_no() -> None:
    guard = ToolGuard(str, lambda line, allowed, directory: JUDGED[line])
    decide = guard.decide_for("implementer", "/srv/clone", merge_tools((), (), {}))

    assert await decide(ToolUse("1", "Bash", {"command": "ship"})) == Deny(
        "A person must allow this, and nobody can be asked. It ships.", "gate"
    )


async def test_the_loop_goes_on_while_a_line_is_judged() -> None:
    going_on = threading.Event()

    def judge_line(line: str, allowed: ShellSet, directory: str) -> PolicyDecision:
        return Allow(rule="shell") if going_on.wait(10) else Deny("Nobody came.")

    guard = ToolGuard(str, judge_line)
    decide = guard.decide_for("implementer", "/srv/clone", merge_tools((), (), {}))
    deciding = asyncio.ensure_future(decide(ToolUse("1", "Bash", {"command": "ls"})))
    asyncio.get_running_loop().call_soon(going_on.set)

    assert await deciding == Allow(rule="shell")


async def test_a_use_that_is_not_judged_in_time_is_denied_and_holds_up_nothing() -> None:
    judged = threading.Event()

    def never(line: str, allowed: ShellSet, directory: str) -> PolicyDecision:
        judged.wait()
        return Allow()

    guard = ToolGuard(real_path=str, decide_line=never, limit_s=0.01)
    decide = guard.decide_for("implementer", "/srv/clone", merge_tools((), (), {}))

    decision = await decide(ToolUse("1", "Bash", {"command": "ls"}))

    judged.set()
    assert (type(decision), decision.rule) == (Deny, "policy-timeout")
