"""Parses Claude Code's stream messages into our events, and skips what it does not know."""

from typing import Any

from treadle.adapters.agents.claude.json_fields import (
    count,
    number,
    shorten,
    shorten_input,
    shorten_middle,
    table,
    tables,
    text,
    texts,
    time_from_unix,
)
from treadle.adapters.agents.claude.response_usage import ResponseTracker
from treadle.adapters.agents.claude.result_message import ResultParser
from treadle.domain.agent import (
    AgentEvent,
    Heartbeat,
    ResponseStarted,
    TextClosed,
    TextStreamed,
)
from treadle.domain.events.agent import (
    AgentStarted,
    AgentThought,
    ApiRetried,
    MessageSkipped,
    QuotaReported,
    ToolCalled,
    ToolFinished,
)

MAX_THOUGHT = 2000
MAX_NAME = 200
MAX_TOOLS = 1000

# System messages that say no more than that the agent lives.
HEARTBEAT_SUBTYPES = frozenset(
    {
        "status",
        "session_state_changed",
        "informational",
        "notification",
        "permission_denied",
        "model_fallback",
        "hook_started",
        "hook_response",
        "task_started",
        "task_progress",
        "task_updated",
        "task_notification",
        "compact_boundary",
        "thinking_tokens",
    }
)


class StreamParser:
    """Holds what one message needs of earlier ones: which texts have been streamed already."""

    def __init__(
        self, *, max_cost_usd: float, cost_before_usd: float = 0.0, resumed: bool = False
    ) -> None:
        self._result_parser = ResultParser(
            max_cost_usd=max_cost_usd, cost_before_usd=cost_before_usd, resumed=resumed
        )
        self._responses = ResponseTracker()
        self._streamed: set[str] = set()
        self._text_is_open = False

    def parse(self, message: dict[str, Any]) -> list[AgentEvent]:
        """The events in one message; never raises, whatever the message holds."""
        match message.get("type"):
            case "stream_event":
                return self._stream(message)
            case "assistant":
                return self._assistant(message)
            case "user":
                return self._user(message)
            case "system":
                return self._system(message)
            case "rate_limit_event":
                return [self._quota(message)]
            case "result":
                return [
                    *self._responses.close_all_unfinished(),
                    self._result_parser.parse_result(message),
                ]
            case kind:
                return [_parse_unknown(kind)]

    def end_of_stream(self, *, exit_code: int | None, stderr: str) -> list[AgentEvent]:
        """The end of a stream that brought no result, and what is owed for its last response."""
        end = self._result_parser.end_without_result(exit_code=exit_code, stderr=stderr)
        return [*self._responses.close_all_unfinished(), end]

    def _system(self, message: dict[str, Any]) -> list[AgentEvent]:
        subtype = text(message, "subtype")
        if subtype == "init":
            return [
                AgentStarted(
                    model=shorten(text(message, "model"), MAX_NAME),
                    version=shorten(text(message, "claude_code_version"), MAX_NAME),
                    tools=tuple(
                        shorten(name, MAX_NAME) for name in texts(message.get("tools"))[:MAX_TOOLS]
                    ),
                )
            ]
        if subtype == "api_retry":
            return [
                *self._close_text(),
                *self._responses.close_unfinished(message.get("parent_tool_use_id")),
                ApiRetried(
                    attempt=count(message, "attempt") or 0,
                    max_attempts=count(message, "max_retries") or 0,
                    delay_s=(number(message, "retry_delay_ms") or 0) / 1000,
                    status=count(message, "error_status"),
                    error=shorten(text(message, "error"), MAX_NAME),
                ),
            ]
        if subtype == "thinking_tokens":
            self._responses.add_thinking_tokens(None, count(message, "estimated_tokens_delta") or 0)
        if subtype in HEARTBEAT_SUBTYPES:
            return [Heartbeat()]
        return [MessageSkipped(shorten(f"system/{subtype}", 100))]

    def _stream(self, message: dict[str, Any]) -> list[AgentEvent]:
        event, parent = table(message, "event"), message.get("parent_tool_use_id")
        match event.get("type"):
            case "message_start":
                closed = self._close_text() if parent is None else []
                owed = self._responses.start(parent, table(event, "message"))
                return [*closed, *owed, ResponseStarted()]
            case "content_block_delta":
                self._responses.add_delta(parent, table(event, "delta"))
                if parent is not None or text(event, "delta", "type") != "text_delta":
                    return [Heartbeat()]
                self._streamed.add(self._responses.message_id(parent))
                self._text_is_open = True
                return [TextStreamed(text(event, "delta", "text"))]
            case "message_delta":
                return [self._responses.finish(parent, table(event, "usage"))]
            case _:
                return [Heartbeat()]

    def _close_text(self) -> list[AgentEvent]:
        """Close a text whose response broke off: the next one does not go on with it."""
        cut, self._text_is_open = self._text_is_open, False
        return [TextClosed()] if cut else []

    def _assistant(self, message: dict[str, Any]) -> list[AgentEvent]:
        self._result_parser.note_assistant(message)
        parent = message.get("parent_tool_use_id")
        events: list[AgentEvent] = []
        for block in tables(table(message, "message").get("content")):
            events += self._block(block, text(message, "message", "id"), parent)
        return events or [Heartbeat()]

    def _block(self, block: dict[str, Any], message: str, parent: object) -> list[AgentEvent]:
        match block.get("type"):
            case "text" if parent is None and message in self._streamed:
                self._text_is_open = False
                return [TextClosed()]
            case "text" if parent is None:
                return [TextStreamed(text(block, "text")), TextClosed()]
            case "thinking":
                return [AgentThought(shorten(text(block, "thinking"), MAX_THOUGHT))]
            case "tool_use":
                return [
                    ToolCalled(
                        id=shorten(text(block, "id"), MAX_NAME),
                        name=shorten(text(block, "name"), MAX_NAME),
                        input=shorten_input(block.get("input")),
                        parent=shorten(parent, MAX_NAME) if isinstance(parent, str) else None,
                    )
                ]
            case _:
                return [Heartbeat()]

    def _user(self, message: dict[str, Any]) -> list[AgentEvent]:
        events: list[AgentEvent] = [
            ToolFinished(
                id=shorten(text(block, "tool_use_id"), MAX_NAME),
                output=shorten_middle(_output_text(block.get("content"))),
                is_error=block.get("is_error") is True,
            )
            for block in tables(table(message, "message").get("content"))
            if block.get("type") == "tool_result"
        ]
        return events or [Heartbeat()]

    def _quota(self, message: dict[str, Any]) -> QuotaReported:
        limit = table(message, "rate_limit_info")
        window = text(limit, "rateLimitType")
        reported = QuotaReported(
            status=shorten(text(limit, "status"), 100),
            window=shorten(window, 100),
            resets_at=time_from_unix(number(limit, "resetsAt")),
            utilization=number(limit, "unifiedWindows", window, "utilization")
            or number(limit, "utilization"),
        )
        self._result_parser.note_quota(reported)
        return reported


def _output_text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text(block, "text") or f"[{text(block, 'type')}]" for block in tables(content))


def _parse_unknown(kind: object) -> AgentEvent:
    """What has nothing to say, or nothing that is known."""
    if kind in ("tool_progress", "keep_alive"):
        return Heartbeat()
    return MessageSkipped(shorten(kind, 100) if isinstance(kind, str) else "untyped")
