"""The tool calls of the session that runs, folded from the log event by event. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime

from treadle.domain.events.agent import ToolCalled, ToolDecided, ToolFinished
from treadle.views.tool_summary import main_argument, tool_title


@dataclass(frozen=True, slots=True)
class PendingToolCall:
    """A tool call whose result has not come yet."""

    id: str
    title: str
    argument: str
    since: datetime


@dataclass(frozen=True, slots=True)
class ToolState:
    """The calls without a result, and those that were denied."""

    pending: tuple[PendingToolCall, ...] = ()
    # The last call, and the call that this event answers if another one came between the two.
    last_call: str = ""
    answered: PendingToolCall | None = None
    denied: frozenset[str] = frozenset()


def apply_tool_event(
    state: ToolState, event: ToolCalled | ToolDecided | ToolFinished, at: datetime, workspace: str
) -> ToolState:
    """The state after one more event of a tool."""
    others = tuple(tool for tool in state.pending if tool.id != event.id)
    is_last = event.id == state.last_call
    called = next((tool for tool in state.pending if tool.id == event.id), None)
    state = replace(state, answered=None if is_last else called)
    match event:
        case ToolCalled():
            argument = main_argument(event.name, event.input, workspace=workspace)
            tool = PendingToolCall(event.id, tool_title(event.name), argument, at)
            return replace(state, pending=(*others, tool), last_call=event.id, answered=None)
        case ToolDecided():
            if event.decision == "allow":
                return state
            return replace(state, pending=others, denied=state.denied | {event.id})
        case ToolFinished():
            return replace(state, pending=others)
