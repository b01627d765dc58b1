"""The hook before a tool use: allowed only if the policy allows it."""

import asyncio
from typing import Any

import pytest

from treadle.adapters.agents.claude.tool_use_hook import answer_hook
from treadle.domain.agent import Allow, Decision, Deny, ToolUse

INPUT = {
    "tool_name": "Bash",
    "tool_input": {"command": "ls"},
    "tool_use_id": "t",
    "cwd": "/srv/clone/src",
}
REQUEST: dict[str, Any] = {
    "subtype": "hook_callback",
    "callback_id": "hook_0",
    "tool_use_id": "t",
    "input": INPUT,
}


def answer(permission: str, reason: str) -> dict[str, Any]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": permission,
            "permissionDecisionReason": reason,
        }
    }


def refusal(error: str) -> dict[str, Any]:
    return answer("deny", f"Treadle could not decide about this tool use ({error}): refused.")


async def allow(use: ToolUse) -> Decision:
    return Allow()


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

    assert await answer_hook(decide, REQUEST) == expected


@pytest.mark.parametrize("outer", ["t", None])
async def test_the_tool_use_is_named_by_the_request_or_by_its_input(outer: str | None) -> None:
    async def decide(use: ToolUse) -> Decision:
        return Deny(use.id)

    assert await answer_hook(decide, {**REQUEST, "tool_use_id": outer}) == answer("deny", "t")


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"subtype": "hook_callback"},
        {**REQUEST, "callback_id": "hook_1"},
        {**REQUEST, "callback_id": ["hook_0"]},
        {key: value for key, value in REQUEST.items() if key != "callback_id"},
        {**REQUEST, "input": {}},
        {**REQUEST, "input": None},
        {**REQUEST, "input": "Bash"},
        {**REQUEST, "input": [1]},
        {**REQUEST, "input": {"tool_name": "Bash", "tool_input": 5}},
        {**REQUEST, "input": {"tool_input": {}}},
    ],
)
async def test_a_malformed_request_is_refused(request_: dict[str, Any]) -> None:
    said = await answer_hook(allow, request_)

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (OSError("disk full"), "OSError('disk full')"),
        (RecursionError(), "RecursionError()"),
        (asyncio.CancelledError(), "CancelledError()"),
    ],
)
async def test_a_policy_that_fails_refuses_and_says_why(error: BaseException, shown: str) -> None:
    async def decide(use: ToolUse) -> Decision:
        raise error

    assert await answer_hook(decide, REQUEST) == refusal(shown)


@pytest.mark.parametrize("nothing", [None, "allow", True])
async def test_a_policy_that_returns_no_decision_refuses(nothing: Any) -> None:
    async def decide(use: ToolUse) -> Any:
        return nothing

    said = await answer_hook(decide, REQUEST)

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


async def test_a_hook_that_is_cancelled_gives_no_answer() -> None:
    asked = asyncio.Event()

    async def decide(use: ToolUse) -> Decision:
        asked.set()
        await asyncio.Event().wait()
        return Allow()

    answering = asyncio.create_task(answer_hook(decide, REQUEST))
    await asked.wait()
    answering.cancel()

    with pytest.raises(asyncio.CancelledError):
        await answering
