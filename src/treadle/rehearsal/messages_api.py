"""Formats a reply as the Messages API does: a stream of events, or one JSON body."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from treadle.domain.usage import Usage
from treadle.rehearsal.turns import (
    ContentBlock,
    ModelReply,
    ReplyText,
    ReplyThinking,
    StreamEvent,
    ToolCall,
)

WORKSPACE = "${workspace}"
# The real service signs its thinking; clients hand the signature back unread.
SIGNATURE = "c2NyaXB0ZWQ="

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """What a reply takes from the request it answers."""

    id: str  # unique; ids of the message and of its tool calls are made from it
    model: str
    workspace: str | None = None


def stream_events(reply: ModelReply, setting: ReplyContext) -> Iterator[JsonObject]:
    """The events of a streamed response, from `message_start` to `message_stop`."""
    opening = _message(reply, setting, [], _usage(reply.usage) | {"output_tokens": 1})
    yield {"type": "message_start", "message": opening | {"stop_reason": None}}
    yield {"type": "ping"}
    index = 0
    for block in reply.blocks:
        if isinstance(block, StreamEvent):
            yield block.body
            continue
        yield from _block_events(block, index, reply.chunk, setting)
        index += 1
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reply.stop_reason, "stop_sequence": None},
        "usage": {"output_tokens": reply.usage.output_tokens},
    }
    yield {"type": "message_stop"}


def message_body(reply: ModelReply, setting: ReplyContext) -> JsonObject:
    """The same response for a request that did not ask for a stream."""
    blocks = [block for block in reply.blocks if not isinstance(block, StreamEvent)]
    content = [_complete_block(block, index, setting) for index, block in enumerate(blocks)]
    return _message(reply, setting, content, _usage(reply.usage))


def _message(
    reply: ModelReply, setting: ReplyContext, content: list[JsonObject], usage: dict[str, Any]
) -> dict[str, Any]:
    return {
        "id": f"msg_{setting.id}",
        "type": "message",
        "role": "assistant",
        "model": reply.model or setting.model,
        "content": content,
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_tokens,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": usage.output_tokens,
        "service_tier": "standard",
    }


def _block_events(
    block: ReplyText | ReplyThinking | ToolCall,
    index: int,
    chunk: int | None,
    setting: ReplyContext,
) -> Iterator[JsonObject]:
    yield {
        "type": "content_block_start",
        "index": index,
        "content_block": _empty_block(block, index, setting),
    }
    for delta in _deltas(block, chunk, setting):
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _empty_block(
    block: ReplyText | ReplyThinking | ToolCall, index: int, setting: ReplyContext
) -> JsonObject:
    match block:
        case ReplyText():
            return {"type": "text", "text": ""}
        case ReplyThinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ToolCall():
            return _tool_use(block.name, {}, index, setting)
        case _:
            assert_never(block)


def _deltas(
    block: ReplyText | ReplyThinking | ToolCall, chunk: int | None, setting: ReplyContext
) -> Iterator[JsonObject]:
    match block:
        case ReplyText():
            for piece in split_text(block.text, chunk):
                yield {"type": "text_delta", "text": piece}
        case ReplyThinking():
            for piece in split_text(block.text, chunk):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": SIGNATURE}
        case ToolCall():
            written = json.dumps(fill_in_workspace(block.input, setting.workspace))
            for piece in split_text(written, chunk):
                yield {"type": "input_json_delta", "partial_json": piece}
        case _:
            assert_never(block)


def _complete_block(block: ContentBlock, index: int, setting: ReplyContext) -> JsonObject:
    match block:
        case ReplyText():
            return {"type": "text", "text": block.text}
        case ReplyThinking():
            return {"type": "thinking", "thinking": block.text, "signature": SIGNATURE}
        case ToolCall():
            filled = fill_in_workspace(block.input, setting.workspace)
            return _tool_use(block.name, filled, index, setting)
        case StreamEvent():
            return block.body
        case _:
            assert_never(block)


def _tool_use(name: str, filled: Any, index: int, setting: ReplyContext) -> JsonObject:
    return {"type": "tool_use", "id": f"toolu_{setting.id}_{index}", "name": name, "input": filled}


def split_text(text: str, size: int | None) -> tuple[str, ...]:
    """`text` cut into parts of `size` characters; without a size it is one part."""
    if size is None or len(text) <= size:
        return (text,)
    return tuple(text[start : start + size] for start in range(0, len(text), size))


def fill_in_workspace(value: Any, workspace: str | None) -> Any:
    """`value` with the path of the workspace wherever a string in it names that."""
    match value:
        case str():
            return value.replace(WORKSPACE, workspace) if workspace is not None else value
        case dict():
            return {key: fill_in_workspace(member, workspace) for key, member in value.items()}
        case list():
            return [fill_in_workspace(member, workspace) for member in value]
        case _:
            return value


def needs_workspace(reply: ModelReply) -> bool:
    """Whether an input cannot be sent before the workspace is known."""
    return any(
        fill_in_workspace(block.input, "") != block.input
        for block in reply.blocks
        if isinstance(block, ToolCall)
    )
