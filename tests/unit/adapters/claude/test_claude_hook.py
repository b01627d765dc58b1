"""The hook that asks our policy: a yes only if the policy says yes."""

from typing import Any

import pytest

from treadle.adapters.agents.claude.hook import before_tool_use
from treadle.domain.agent import Allow, Decision, Deny, ToolUse

GIVEN: Any = {
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "t",
    "cwd": "/srv/clone/src",
}
CONTEXT: Any = {"signal": None}


def answer(permission: str, reason: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": permission,
            "permissionDecisionReason": reason,
        }
    }


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        (Allow(), answer("allow", "")),
        (Allow("read only"), answer("allow", "read only")),
        (Deny("no, do that"), answer("deny", "no, do that")),
    ],
)
async def test_the_decision_is_passed_on(decision: Decision, expected: dict[str, Any]) -> None:
    async def decide(use: ToolUse) -> Decision:
        assert use == ToolUse("t", "Bash", {"command": "ls"}, "/srv/clone/src")
        return decision

    assert await before_tool_use(decide)(GIVEN, "t", CONTEXT) == expected


@pytest.mark.parametrize(
    "given",
    [{}, None, 5, {"tool_name": "Bash", "tool_input": 5}, {"tool_input": {}}],
)
async def test_a_question_that_makes_no_sense_is_refused(given: Any) -> None:
    async def decide(use: ToolUse) -> Decision:
        return Allow()

    said: Any = await before_tool_use(decide)(given, None, CONTEXT)

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


async def test_a_policy_that_fails_refuses_and_says_why() -> None:
    async def decide(use: ToolUse) -> Decision:
        raise OSError("disk full")

    assert await before_tool_use(decide)(GIVEN, "t", CONTEXT) == answer(
        "deny", "Treadle could not decide about this tool use (OSError('disk full')): refused."
    )


@pytest.mark.parametrize("nothing", [None, "allow", True])
async def test_a_policy_that_returns_no_decision_refuses(nothing: Any) -> None:
    async def decide(use: ToolUse) -> Any:
        return nothing

    said: Any = await before_tool_use(decide)(GIVEN, "t", CONTEXT)

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
