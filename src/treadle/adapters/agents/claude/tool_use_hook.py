"""The hook before every tool use: asks the policy, and denies when anything goes wrong."""

import asyncio
from collections.abc import Mapping
from typing import Any

from treadle.adapters.agents.claude.tool_server import Json
from treadle.domain.agent import Allow, Decide, Decision, Deny, ToolUse

# A person may be asked, and the agent must not give up before they have answered: after this time
# it refuses the use by itself. More than 24 days would be no time at all to some of its versions.
HOOK_S = 14 * 24 * 3600.0
CALLBACK = "hook_0"

# No matcher: every use of every tool, those of sub-agents included.
HOOKS: Json = {"PreToolUse": [{"matcher": None, "hookCallbackIds": [CALLBACK], "timeout": HOOK_S}]}


async def answer_hook(decide: Decide, request: Mapping[str, Any]) -> Json:
    """The answer to a `hook_callback` request.

    The agent runs a tool whose hook fails, so everything that goes wrong here is a denial.
    """
    try:
        return _answer(await decide(_parse_use(request)))
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # the agent has given up, or the session ends: nobody waits for an answer
        return _refuse(error)
    except Exception as error:
        return _refuse(error)


def _parse_use(request: Mapping[str, Any]) -> ToolUse:
    if request.get("callback_id") != CALLBACK:
        raise ValueError("unknown hook callback")
    fields = dict(request["input"])
    return ToolUse(
        id=str(request.get("tool_use_id") or fields.get("tool_use_id", "")),
        name=str(fields["tool_name"]),
        input=dict(fields.get("tool_input") or {}),
        directory=str(fields.get("cwd") or ""),
    )


def _refuse(error: BaseException) -> Json:
    return _answer(Deny(f"Treadle could not decide about this tool use ({error!r}): refused."))


def _answer(decision: Decision) -> Json:
    allowed = isinstance(decision, Allow)
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow" if allowed else "deny",
            "permissionDecisionReason": decision.reason,
        }
    }
