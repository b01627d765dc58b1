"""Leaves out of a request what is not known, and refuses content that is not known. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from treadle.gateway import known_requests as known

RequestBody = dict[str, Any]

# A beta's name with its date, such as effort-2025-11-24 or claude-code-20250219.
_DATED = re.compile(r"(.+?)-(?:20\d{6}|20\d\d-\d\d-\d\d)", re.ASCII)
_DATED_EDIT = re.compile(r"([a-z_]+?)_\d{8}", re.ASCII)
_LONGEST_NAME = 60
# Of fields that change the price.
_KNOWN_VALUES = {
    "inference_geo": known.PLACES,
    "service_tier": known.SERVICE_TIERS,
    "speed": known.SPEEDS,
}


@dataclass(frozen=True, slots=True)
class FilteredRequest:
    """A body with known fields alone, and the names of those that were left out."""

    body: RequestBody
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FilteredBetas:
    """The value of an `anthropic-beta` header with known betas alone, and the unknown ones."""

    value: bytes
    left_out: tuple[str, ...] = ()


def filter_fields(body: RequestBody, allowed: frozenset[str] = frozenset()) -> FilteredRequest:
    """The body without fields, and values of fields, that are neither known nor allowed."""
    kept = {name: body[name] for name in body if _is_known_field(name, body[name], allowed)}
    left_out = [name[:_LONGEST_NAME] for name in body if name not in kept]
    return FilteredRequest(kept, tuple(left_out))


def find_unknown_content(body: RequestBody, allowed: frozenset[str] = frozenset()) -> str | None:
    """The first part of a request whose cost cannot be known, as a phrase, or None."""
    for name in sorted(known.KEPT_BY_THE_SERVICE - allowed):
        if body.get(name) is not None:
            return f"{name}, a prompt that the service keeps"
    thinking = body.get("thinking")
    if isinstance(thinking, dict) and _name(thinking) not in known.THINKING | allowed:
        return f"thinking of the kind {_name(thinking)!r}"
    for edit in _edits(body):
        match = _DATED_EDIT.fullmatch(_name(edit))
        if (match[1] if match else "") not in known.EDITS and _name(edit) not in allowed:
            return f"the edit {_name(edit)!r}"
    for block in content_blocks(body):
        if _name(block) not in known.BLOCKS and _name(block) not in allowed:
            return f"content of the kind {_name(block)!r}"
    return None


def find_odd_limit(body: RequestBody) -> str | None:
    """A limit of tokens in which the service may read a number, where none is seen here."""
    thinking = body.get("thinking")
    limits = {"max_tokens": body.get("max_tokens")}
    if isinstance(thinking, dict):
        limits["thinking.budget_tokens"] = thinking.get("budget_tokens")
    for name, limit in limits.items():
        if limit is not None and not is_whole_number(limit):
            return f"{name} that is not a whole number"
    return None


def is_whole_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def filter_betas(value: bytes, allowed: frozenset[str] = frozenset()) -> FilteredBetas:
    """The header's value without betas that are neither known nor allowed."""
    names = [name.strip() for name in value.decode("latin-1").split(",")]
    kept = [name for name in names if name in allowed or _family(name) in known.BETAS]
    left_out = [
        name[:_LONGEST_NAME]
        for name in names
        if name and name not in kept and _family(name) not in known.REFUSED_BETAS
    ]
    return FilteredBetas(",".join(kept).encode("latin-1"), tuple(left_out))


def is_known_header(name: bytes) -> bool:
    return name in known.HEADERS or name.startswith(tuple(known.HEADER_PREFIXES))


def _is_known_field(name: str, value: object, allowed: frozenset[str]) -> bool:
    if name in allowed:
        return True
    values = _KNOWN_VALUES.get(name)
    if values is None:
        return name in known.FIELDS
    return value in values if isinstance(value, str) else value is None


def _edits(body: RequestBody) -> list[dict[str, Any]]:
    management = body.get("context_management")
    edits = management.get("edits") if isinstance(management, dict) else None
    return [each for each in edits if isinstance(each, dict)] if isinstance(edits, list) else []


def content_blocks(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every content block: members of a `content` or of the system prompt. Not recursive."""
    queue: list[Any] = [body.get("system"), *_contents(body.get("messages"))]
    while queue:
        node = queue.pop()
        if not isinstance(node, list):
            continue
        for block in node:
            if isinstance(block, dict):
                yield block
                source = block.get("source")
                queue += [block.get("content")]
                queue += [source.get("content")] if isinstance(source, dict) else []


def _contents(messages: object) -> list[Any]:
    if not isinstance(messages, list):
        return []
    return [message.get("content") for message in messages if isinstance(message, dict)]


def _name(node: dict[str, Any]) -> str:
    return str(node.get("type", ""))[:_LONGEST_NAME]


def _family(beta: str) -> str:
    match = _DATED.fullmatch(beta)
    return match[1] if match else beta
