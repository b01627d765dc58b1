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
# The real service signs its thinking; clients return the signature unread.
SIGNATURE = "c2NyaXB0ZWQ="

JsonObject = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """What a reply takes from its request."""

    id: str  # unique; ids of the message and of its tool calls are made from it
    model: str
    workspace: str | None = None


@dataclass(frozen=True, slots=True)
class BilledAnswer:
    """What the service bills for one answer, whether or not anybody reads it to its end."""

    model: str
    usage: Usage
    fast: bool = False


def billed_answers(reply: ModelReply, context: ReplyContext) -> tuple[BilledAnswer, ...]:
    """The answers that one reply is billed as."""
    model, fast = reply.model or context.model, reply.speed == "fast"
    further = (BilledAnswer(each.model or model, each.usage, fast) for each in reply.further)
    return (*further, BilledAnswer(model, reply.usage, fast))


def stream_events(reply: ModelReply, context: ReplyContext) -> Iterator[JsonObject]:
    """The events of a streamed response, from `message_start` to `message_stop`."""
    start_message = _message(reply, context, [], _usage(reply) | {"output_tokens": 1})
    yield {"type": "message_start", "message": start_message | {"stop_reason": None}}
    yield {"type": "ping"}
    index = 0
    for block in reply.blocks:
        if isinstance(block, StreamEvent):
            yield block.body
            continue
        yield from _block_events(block, index, reply.chunk, context)
        index += 1
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": reply.stop_reason, "stop_sequence": None},
        "usage": {"output_tokens": reply.usage.output_tokens} | _rest_of_usage(reply),
    }
    yield {"type": "message_stop"}


def message_body(reply: ModelReply, context: ReplyContext) -> JsonObject:
    """The response to a request without streaming."""
    blocks = [block for block in reply.blocks if not isinstance(block, StreamEvent)]
    content = [_complete_block(block, index, context) for index, block in enumerate(blocks)]
    return _message(reply, context, content, _usage(reply))


def _message(
    reply: ModelReply, context: ReplyContext, content: list[JsonObject], usage: dict[str, Any]
) -> dict[str, Any]:
    return {
        "id": f"msg_{context.id}",
        "type": "message",
        "role": "assistant",
        "model": reply.model or context.model,
        "content": content,
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _usage(reply: ModelReply) -> dict[str, Any]:
    return _tokens(reply.usage) | {"service_tier": "standard"} | _rest_of_usage(reply)


def _rest_of_usage(reply: ModelReply) -> dict[str, Any]:
    """What only some replies tell: their speed, and answers that were made on the way."""
    further = [
        {"type": each.kind, **({"model": each.model} if each.model else {}), **_tokens(each.usage)}
        for each in reply.further
    ]
    whole = {"type": "message", **_tokens(reply.usage)}
    return ({"speed": reply.speed} if reply.speed else {}) | (
        {"iterations": [*further, whole]} if further else {}
    )


def _tokens(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_tokens,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": usage.output_tokens,
    }


def _block_events(
    block: ReplyText | ReplyThinking | ToolCall,
    index: int,
    chunk: int | None,
    context: ReplyContext,
) -> Iterator[JsonObject]:
    yield {
        "type": "content_block_start",
        "index": index,
        "content_block": _empty_block(block, index, context),
    }
    for delta in _deltas(block, chunk, context):
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def _empty_block(
    block: ReplyText | ReplyThinking | ToolCall, index: int, context: ReplyContext
) -> JsonObject:
    match block:
        case ReplyText():
            return {"type": "text", "text": ""}
        case ReplyThinking():
            return {"type": "thinking", "thinking": "", "signature": ""}
        case ToolCall():
            return _tool_use(block.name, {}, index, context)
        case _:
            assert_never(block)


def _deltas(
    block: ReplyText | ReplyThinking | ToolCall, chunk: int | None, context: ReplyContext
) -> Iterator[JsonObject]:
    match block:
        case ReplyText():
            for chunk_ in split_text(block.text, chunk):
                yield {"type": "text_delta", "text": chunk_}
        case ReplyThinking():
            for chunk_ in split_text(block.text, chunk):
                yield {"type": "thinking_delta", "thinking": chunk_}
            yield {"type": "signature_delta", "signature": SIGNATURE}
        case ToolCall():
            input_json = json.dumps(fill_in_workspace(block.input, context.workspace))
            for chunk_ in split_text(input_json, chunk):
                yield {"type": "input_json_delta", "partial_json": chunk_}
        case _:
            assert_never(block)


def _complete_block(block: ContentBlock, index: int, context: ReplyContext) -> JsonObject:
    match block:
        case ReplyText():
            return {"type": "text", "text": block.text}
        case ReplyThinking():
            return {"type": "thinking", "thinking": block.text, "signature": SIGNATURE}
        case ToolCall():
            filled_input = fill_in_workspace(block.input, context.workspace)
            return _tool_use(block.name, filled_input, index, context)
        case StreamEvent():
            return block.body
        case _:
            assert_never(block)


def _tool_use(name: str, filled_input: Any, index: int, context: ReplyContext) -> JsonObject:
    return {
        "type": "tool_use",
        "id": f"toolu_{context.id}_{index}",
        "name": name,
        "input": filled_input,
    }


def split_text(text: str, size: int | None) -> tuple[str, ...]:
    """Split `text` into parts of `size` characters; one part if `size` is None."""
    if size is None or len(text) <= size:
        return (text,)
    return tuple(text[start : start + size] for start in range(0, len(text), size))


def fill_in_workspace(value: Any, workspace: str | None) -> Any:
    """Replace `${workspace}` in every string of `value`."""
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
    """Whether a tool input of the reply names the workspace."""
    return any(
        fill_in_workspace(block.input, "") != block.input
        for block in reply.blocks
        if isinstance(block, ToolCall)
    )
