"""What in a request would make the model's service itself turn to somebody else. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

Body = dict[str, Any]

# Below so many bytes it does not matter how many parts there are.
_SMALL = 4 * 1024 * 1024
_MOST_PARTS = 1_000_000

# Kinds of tools that the service runs itself, by the name that a user knows them under. Every other
# kind stays shut: the agent needs none of them. It fetches pages by itself, for example.
SERVED = {"WebSearch": "web_search"}

# Tools of this form are known to the service by name; the ones of an agent are described in full.
_DATED = re.compile(r"([a-z_]+)_\d{8}", re.ASCII)
_FIELDS = ("mcp_servers", "container")
_KINDS = frozenset({"mcp_toolset", "container_upload"})
# Whatever comes with the request itself; an address or a file of the account's does not.
_AT_HAND = frozenset({"base64", "text", "content"})
# Fields of a request without blocks in them; some have dated names of another meaning.
_PLAIN = frozenset({"context_management", "metadata", "output_config", "output_format", "tools"})
# What a tool was used with may be of any form, and so may the description of what it takes.
_USES = ("tool_use", "server_tool_use", "mcp_tool_use")
_BETAS = (
    "agent-memory-",
    "code-execution-",
    "computer-use-",
    "environments-",
    "files-api-",
    "managed-agents-",
    "mcp-",
    "skills-",
    "web-fetch-",
)


def read(body: bytes) -> Body | None:
    """None for what is no object in JSON, or has more parts than any conversation: each takes
    thirty times as much of the host's memory as of the body."""
    if len(body) > _SMALL and sum(map(body.count, (b",", b"[", b"{"))) > _MOST_PARTS:
        return None
    try:
        request = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return request if isinstance(request, dict) else None


def written(request: Body) -> bytes:
    """The body that goes on. It is written anew because of a name that stands in an object twice:
    the service might take the one that was not looked at."""
    return orjson.dumps(request)


def turns_to(request: Body, served: frozenset[str] = frozenset()) -> str | None:
    """The first thing by which the service would reach beyond the model, in words; None: it does
    not. `served`: the kinds of its own tools that it may use all the same."""
    for name in _FIELDS:
        if request.get(name):
            return name
    tools = request.get("tools") or []
    if not isinstance(tools, list):
        return "tools in a form of their own"
    for tool in tools:
        if (kind := _foreign_tool(tool, served)) is not None:
            return f"the tool {kind}"
    for node in _nodes(request):
        if (kind := _foreign_node(node, served)) is not None:
            return kind
    return None


def without_reach(betas: bytes) -> bytes:
    """A header's list of abilities, without those that exist to reach beyond the model."""
    names = [name.strip() for name in betas.decode("latin-1").split(",")]
    return ",".join(name for name in names if not name.startswith(_BETAS)).encode("latin-1")


def _foreign_tool(tool: object, served: frozenset[str]) -> str | None:
    kind = tool.get("type") if isinstance(tool, dict) else "without a form"
    if kind in (None, "custom") or (isinstance(kind, str) and _family(kind) in served):
        return None
    return str(kind)[:60]


def _foreign_node(node: Mapping[str, Any], served: frozenset[str]) -> str | None:
    kind, source = node.get("type"), node.get("source")
    if isinstance(kind, str):
        family = _family(kind)
        if kind in _KINDS or (family is not None and family not in served):
            return f"the tool {kind[:60]}"
    if isinstance(source, dict) and source.get("type") not in _AT_HAND:
        return "content that is to be fetched"
    return None


def _family(kind: str) -> str | None:
    found = _DATED.fullmatch(kind)
    return None if found is None else found[1]


def _nodes(request: Body) -> Iterator[Mapping[str, Any]]:
    """Every object of a request that may be a block of it. No recursion: it may be very deep."""
    waiting: list[Any] = [value for name, value in request.items() if name not in _PLAIN]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            yield node
            words = "input" if node.get("type") in _USES else "input_schema"
            waiting += [value for name, value in node.items() if name != words]
