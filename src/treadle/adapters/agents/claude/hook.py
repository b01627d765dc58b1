"""Our policy as the SDK wants it: a hook before every use of a tool."""

from collections.abc import Awaitable, Callable
from typing import Any

from claude_agent_sdk.types import HookContext, HookInput, HookJSONOutput, HookMatcher

from treadle.domain.agent import Allow, Decide, Decision, Deny, ToolUse

Hook = Callable[[HookInput, str | None, HookContext], Awaitable[HookJSONOutput]]

# A person may be asked, and the agent must not give up before they have answered: after this time
# it refuses the use by itself. More than 24 days would be no time at all to some of its versions.
HOOK_S = 14 * 24 * 3600.0


def guarding(decide: Decide) -> HookMatcher:
    """Every use of every tool goes through `decide`, those of sub-agents included."""
    return HookMatcher(hooks=[before_tool_use(decide)], timeout=HOOK_S)


def before_tool_use(decide: Decide) -> Hook:
    """A hook that asks `decide`, and denies when anything at all goes wrong with the asking."""

    async def hook(given: HookInput, tool_use_id: str | None, _: HookContext) -> HookJSONOutput:
        try:
            return _answer(await decide(_use(given, tool_use_id)))
        except Exception as error:  # whatever it is, an unanswered question is a no
            return _answer(
                Deny(f"Treadle could not decide about this tool use ({error!r}): refused.")
            )

    return hook


def _use(given: HookInput, tool_use_id: str | None) -> ToolUse:
    fields: dict[str, Any] = dict(given)
    return ToolUse(
        id=tool_use_id or str(fields.get("tool_use_id", "")),
        name=str(fields["tool_name"]),
        input=dict(fields.get("tool_input") or {}),
        directory=str(fields.get("cwd") or ""),
    )


def _answer(decision: Decision) -> HookJSONOutput:
    allowed = isinstance(decision, Allow)
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow" if allowed else "deny",
            "permissionDecisionReason": decision.reason,
        }
    }
