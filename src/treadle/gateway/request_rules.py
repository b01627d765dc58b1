"""Which requests of an agent pass: known routes, and no tools run by the service. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import orjson

RequestBody = dict[str, Any]

# Below so many bytes it does not matter how many parts there are.
_SMALL = 4 * 1024 * 1024
_MOST_PARTS = 1_000_000

# Kinds of tools that the service runs itself, by the name that a user knows them under. Every other
# kind stays shut: the agent needs none of them. It fetches pages by itself, for example.
SERVER_TOOLS = {"WebSearch": "web_search"}

# Tools of this form are known to the service by name; the ones of an agent are described in full.
_DATED_TOOL = re.compile(r"([a-z_]+)_\d{8}", re.ASCII)
_SERVER_FIELDS = ("mcp_servers", "container")
_SERVER_BLOCKS = frozenset({"mcp_toolset", "container_upload"})
# Whatever comes with the request itself; an address or a file of the account's does not.
_INLINE_SOURCES = frozenset({"base64", "text", "content"})
# Fields of a request without blocks in them; some have dated names of another meaning.
_FIELDS_WITHOUT_BLOCKS = frozenset(
    {"context_management", "metadata", "output_config", "output_format", "tools"}
)
# What a tool was used with may be of any form, and so may the description of what it takes.
_TOOL_USE_TYPES = ("tool_use", "server_tool_use", "mcp_tool_use")
_SERVER_TOOL_BETAS = (
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


def parse_body(body: bytes) -> RequestBody | None:
    """None for what is no object in JSON, or has more parts than any conversation: each takes
    thirty times as much of the host's memory as of the body."""
    if len(body) > _SMALL and sum(map(body.count, (b",", b"[", b"{"))) > _MOST_PARTS:
        return None
    try:
        request = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return request if isinstance(request, dict) else None


def serialize_body(request: RequestBody) -> bytes:
    """The body that goes on. It is written anew because of a name that stands in an object twice:
    the service might take the one that was not looked at."""
    return orjson.dumps(request)


def find_forbidden_use(request: RequestBody, served: frozenset[str] = frozenset()) -> str | None:
    """The first thing by which the service would reach beyond the model, in words; None: it does
    not. `served`: the kinds of its own tools that it may use all the same."""
    for name in _SERVER_FIELDS:
        if request.get(name):
            return name
    tools = request.get("tools") or []
    if not isinstance(tools, list):
        return "tools in a form of their own"
    for tool in tools:
        if (kind := _forbidden_tool(tool, served)) is not None:
            return f"the tool {kind}"
    for node in _content_blocks(request):
        if (kind := _forbidden_block(node, served)) is not None:
            return kind
    return None


def drop_server_tool_betas(betas: bytes) -> bytes:
    """A header's list of abilities, without those that exist to reach beyond the model."""
    names = [name.strip() for name in betas.decode("latin-1").split(",")]
    return ",".join(name for name in names if not name.startswith(_SERVER_TOOL_BETAS)).encode(
        "latin-1"
    )


def _forbidden_tool(tool: object, served: frozenset[str]) -> str | None:
    kind = tool.get("type") if isinstance(tool, dict) else "without a form"
    if kind in (None, "custom") or (isinstance(kind, str) and _tool_family(kind) in served):
        return None
    return str(kind)[:60]


def _forbidden_block(node: Mapping[str, Any], served: frozenset[str]) -> str | None:
    kind, source = node.get("type"), node.get("source")
    if isinstance(kind, str):
        family = _tool_family(kind)
        if kind in _SERVER_BLOCKS or (family is not None and family not in served):
            return f"the tool {kind[:60]}"
    if isinstance(source, dict) and source.get("type") not in _INLINE_SOURCES:
        return "content that is to be fetched"
    return None


def _tool_family(kind: str) -> str | None:
    found = _DATED_TOOL.fullmatch(kind)
    return None if found is None else found[1]


def _content_blocks(request: RequestBody) -> Iterator[Mapping[str, Any]]:
    """Every object of a request that may be a block of it. No recursion: it may be very deep."""
    waiting: list[Any] = [
        value for name, value in request.items() if name not in _FIELDS_WITHOUT_BLOCKS
    ]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            yield node
            words = "input" if node.get("type") in _TOOL_USE_TYPES else "input_schema"
            waiting += [value for name, value in node.items() if name != words]


RequestKind = Literal["message", "count", "greeting"]

_ROUTES: dict[tuple[str, str], RequestKind] = {
    ("POST", "/v1/messages"): "message",
    ("POST", "/v1/messages/count_tokens"): "count",
    # Asked once at the start, whether anybody is there: the gateway is, and says so itself.
    ("HEAD", "/"): "greeting",
    ("GET", "/"): "greeting",
    ("HEAD", "/api/hello"): "greeting",
    ("GET", "/api/hello"): "greeting",
}


def request_kind(method: str, target: str) -> RequestKind | None:
    """None for what is not passed on."""
    return _ROUTES.get((method, target.partition("?")[0]))


def split_token(target: str) -> tuple[str, str]:
    """A session's secret, which is the first part of the path, and what is asked of the service."""
    path, question, query = target.partition("?")
    token, slash, rest = path.lstrip("/").partition("/")
    return token, (slash + rest or "/") + question + query
