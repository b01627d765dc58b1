"""Parses the keys of a turn into the model's reply: its blocks, and how they are sent."""

from collections.abc import Iterator, Mapping
from typing import Any

from treadle.domain.usage import Usage
from treadle.rehearsal.turns import (
    DEFAULT_USAGE,
    ContentBlock,
    ModelReply,
    QuotaWarning,
    QuotaWindow,
    ReplyText,
    ReplyThinking,
    ServiceIteration,
    Speed,
    StopReason,
    StreamEvent,
    ToolCall,
)
from treadle.rehearsal.yaml_nodes import YamlNode, parse_headers

SHORT_FORMS = ("text", "text_of", "thinking", "tool", "tools", "event")
BLOCK_KEYS = ("content", "input", *SHORT_FORMS)
_TOKENS = ("input", "output", "cache_write", "cache_read")
SENDING_KEYS = (
    "usage",
    "model",
    "stop_reason",
    "chunk",
    "delay_between",
    "headers",
    "quota_warning",
)


def parse_reply(turn: YamlNode, fields: Mapping[str, YamlNode]) -> ModelReply:
    """Parse the keys of a turn into a whole reply, with defaults."""
    blocks = _parse_blocks(turn, fields)
    uses_tool = any(isinstance(block, ToolCall) for block in blocks)
    stop_reason: StopReason = "tool_use" if uses_tool else "end_turn"
    if node := fields.get("stop_reason"):
        stop_reason = node.choice(StopReason)
    chunk, delay_between, headers = (
        fields.get("chunk"),
        fields.get("delay_between"),
        fields.get("headers"),
    )
    model, warning = fields.get("model"), fields.get("quota_warning")
    usage_node = fields.get("usage")
    usage = usage_node.fields((*_TOKENS, "speed", "iterations")) if usage_node else {}
    further = usage["iterations"].items("an iteration") if "iterations" in usage else []
    return ModelReply(
        blocks=blocks,
        stop_reason=stop_reason,
        usage=_usage(usage),
        speed=usage["speed"].choice(Speed) if "speed" in usage else None,
        further=tuple(_further_answer(node) for node in further),
        model=model.non_empty_text() if model else None,
        chunk=chunk.integer(minimum=1) if chunk else None,
        delay_between_s=delay_between.seconds() if delay_between else 0.0,
        headers=parse_headers(headers) if headers else {},
        quota_warning=_quota_warning(warning) if warning else None,
    )


def _parse_blocks(turn: YamlNode, fields: Mapping[str, YamlNode]) -> tuple[ContentBlock, ...]:
    if "content" not in fields:
        return tuple(_blocks_in_order(turn, fields))
    if short := next((key for key in fields if key in (*SHORT_FORMS, "input")), None):
        raise fields[short].error(f"'content' and {short!r} cannot be in the same turn")
    blocks: list[ContentBlock] = []
    for node in fields["content"].items("a content block"):
        members = node.fields((*SHORT_FORMS, "input"))
        if sum(key in SHORT_FORMS for key in members) != 1:
            raise node.error(f"a content block needs exactly one of {', '.join(SHORT_FORMS)}")
        blocks += _blocks_in_order(node, members)
    return tuple(blocks)


def _blocks_in_order(owner: YamlNode, fields: Mapping[str, YamlNode]) -> Iterator[ContentBlock]:
    if "input" in fields and "tool" not in fields:
        raise fields["input"].error(f"'input' needs a 'tool' beside it in {owner.label}")
    for key, node in fields.items():
        if key == "tool":
            yield _tool(node, fields.get("input"))
        elif key == "tools":
            yield from (_short_tool(entry) for entry in node.items("a tool"))
        elif key in SHORT_FORMS:
            yield _simple_block(key, node)


def _simple_block(key: str, node: YamlNode) -> ContentBlock:
    match key:
        case "text_of":
            return ReplyText(_filler_text(node))
        case "thinking":
            return ReplyThinking(node.text())
        case "event":
            return _event(node)
        case _:
            return ReplyText(node.text())


def _tool(node: YamlNode, input_node: YamlNode | None) -> ToolCall:
    if not node.is_mapping():
        return ToolCall(node.non_empty_text(), _input(input_node) if input_node else {})
    if input_node:
        raise input_node.error("this tool has its input already: write 'input' inside 'tool' only")
    members = node.with_label("a tool").fields(("name", "input"))
    if "name" not in members:
        raise node.error("a tool needs a 'name'")
    return ToolCall(
        members["name"].non_empty_text(), _input(members["input"]) if "input" in members else {}
    )


def _short_tool(node: YamlNode) -> ToolCall:
    if not node.is_mapping():
        return ToolCall(node.non_empty_text())
    pairs = node.pairs()
    if len(pairs) != 1:
        raise node.error("a tool is one name with its input, like {Write: {file_path: a.txt}}")
    ((name, input_node),) = pairs.items()
    return ToolCall(name, _input(input_node))


def _input(node: YamlNode) -> Mapping[str, Any]:
    value = node.with_label("a tool's input").value()
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise node.error("a tool's input must be a mapping of keys to values")
    return value


def _event(node: YamlNode) -> StreamEvent:
    node.pairs()
    body = node.value()
    if not isinstance(body.get("type"), str):
        raise node.error("an event needs a 'type'")
    return StreamEvent(body)


def _filler_text(node: YamlNode) -> str:
    """Filler text of an exact size; `line` is the length of its lines, 0 for a single line."""
    members = node.fields(("size", "line"))
    if "size" not in members:
        raise node.error("'text_of' needs a 'size'")
    size = members["size"].integer(minimum=1, maximum=50_000_000)
    line = members["line"].integer(minimum=0) if "line" in members else 80
    row = "treadle " * (line // 8 + 1)
    pattern = row[: line - 1] + "\n" if line else row
    return (pattern * (size // len(pattern) + 1))[:size]


def _usage(fields: Mapping[str, YamlNode]) -> Usage:
    given = {key: fields[key].integer(minimum=0) for key in _TOKENS if key in fields}
    return Usage(
        input_tokens=given.get("input", DEFAULT_USAGE.input_tokens),
        output_tokens=given.get("output", DEFAULT_USAGE.output_tokens),
        cache_write_tokens=given.get("cache_write", 0),
        cache_read_tokens=given.get("cache_read", 0),
    )


def _further_answer(node: YamlNode) -> ServiceIteration:
    members = node.fields(("type", "model", *_TOKENS))
    if "type" not in members:
        raise node.error("an iteration needs a 'type', such as compaction")
    model = members.get("model")
    return ServiceIteration(
        members["type"].non_empty_text(),
        _usage(members),
        model.non_empty_text() if model else None,
    )


def _quota_warning(node: YamlNode) -> QuotaWarning:
    members = node.fields(("used", "resets_in", "window"))
    return QuotaWarning(
        used=members["used"].fraction() if "used" in members else 0.9,
        resets_in_s=members["resets_in"].seconds() if "resets_in" in members else 3600.0,
        window=parse_quota_window(members.get("window")),
    )


def parse_quota_window(node: YamlNode | None) -> QuotaWindow:
    if node is None:
        return "five_hour"
    window: QuotaWindow = node.choice(QuotaWindow)
    return window
