"""Which requests of an agent pass: known routes, and no tools run by the service. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import orjson

RequestBody = dict[str, Any]

_MOST_PARTS = 1_000_000

# Tools that the service runs itself and that a user may allow, by the agent's name for them. The
# agent needs no other kind.
SERVER_TOOLS = {"WebSearch": "web_search"}

# The type of a tool that the service defines, such as web_search_20250305.
_DATED_TOOL = re.compile(r"([a-z_]+)_\d{8}", re.ASCII)
_SERVER_FIELDS = ("mcp_servers", "container")
_SERVER_BLOCKS = frozenset({"mcp_toolset", "container_upload"})
# Content inside the request; other sources are URLs or files of the account.
_INLINE_SOURCES = frozenset({"base64", "text", "content"})
# Fields that hold no content blocks; some hold dated names that are not tools.
_FIELDS_WITHOUT_BLOCKS = frozenset(
    {"context_management", "metadata", "output_config", "output_format", "tools"}
)
# Blocks with an `input` of any shape; it is not searched for blocks.
_TOOL_USE_TYPES = ("tool_use", "server_tool_use", "mcp_tool_use")


def parse_body(body: bytes) -> RequestBody | None:
    """None for a body that is no JSON object or has too many parts: parsed, a part takes thirty
    times its size in the host's memory."""
    if sum(map(body.count, (b",", b"[", b"{"))) > _MOST_PARTS:
        return None
    try:
        request = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return request if isinstance(request, dict) else None


def serialize_body(request: RequestBody) -> bytes | None:
    """Serialize the checked body, because the service might read a duplicate key differently.

    None if it is nested too deep, which no conversation is."""
    try:
        return orjson.dumps(request)
    except orjson.JSONEncodeError:
        return None


def find_forbidden_use(
    request: RequestBody, server_tools: frozenset[str] = frozenset()
) -> str | None:
    """The first use of the service beyond the model, as a phrase, or None. The kinds of server
    tools in `server_tools` are allowed."""
    for name in _SERVER_FIELDS:
        if request.get(name):
            return name
    tools = request.get("tools") or []
    if not isinstance(tools, list):
        return "tools in a form of their own"
    for tool in tools:
        if (kind := _forbidden_tool(tool, server_tools)) is not None:
            return f"the tool {kind}"
    for node in _content_blocks(request):
        if (kind := _forbidden_block(node, server_tools)) is not None:
            return kind
    return None


def _forbidden_tool(tool: object, server_tools: frozenset[str]) -> str | None:
    kind = tool.get("type") if isinstance(tool, dict) else "without a form"
    if kind in (None, "custom") or (isinstance(kind, str) and _tool_family(kind) in server_tools):
        return None
    return str(kind)[:60]


def _forbidden_block(node: Mapping[str, Any], server_tools: frozenset[str]) -> str | None:
    kind, source = node.get("type"), node.get("source")
    if isinstance(kind, str):
        family = _tool_family(kind)
        if kind in _SERVER_BLOCKS or (family is not None and family not in server_tools):
            return f"the tool {kind[:60]}"
    if isinstance(source, dict) and source.get("type") not in _INLINE_SOURCES:
        return "content that is to be fetched"
    return None


def _tool_family(kind: str) -> str | None:
    match = _DATED_TOOL.fullmatch(kind)
    return None if match is None else match[1]


def _content_blocks(request: RequestBody) -> Iterator[Mapping[str, Any]]:
    """Every object in a request that may be a content block. Not recursive: it may be deep."""
    queue: list[Any] = [
        value for name, value in request.items() if name not in _FIELDS_WITHOUT_BLOCKS
    ]
    while queue:
        node = queue.pop()
        if isinstance(node, list):
            queue += node
        elif isinstance(node, dict):
            yield node
            skipped = "input" if node.get("type") in _TOOL_USE_TYPES else "input_schema"
            queue += [value for name, value in node.items() if name != skipped]


RequestKind = Literal["message", "count", "greeting"]

_ROUTES: dict[tuple[str, str], RequestKind] = {
    ("POST", "/v1/messages"): "message",
    ("POST", "/v1/messages/count_tokens"): "count",
    # The agent's health check at start; the gateway answers it.
    ("HEAD", "/"): "greeting",
    ("GET", "/"): "greeting",
    ("HEAD", "/api/hello"): "greeting",
    ("GET", "/api/hello"): "greeting",
}
_KNOWN_QUERY = "beta=true"


def request_kind(method: str, target: str) -> RequestKind | None:
    """None for a request that is not forwarded."""
    return _ROUTES.get((method, target.partition("?")[0]))


def service_target(target: str) -> str:
    """The target as the service gets it: of a query, only the one that agents need goes on."""
    path, _, query = target.partition("?")
    return f"{path}?{_KNOWN_QUERY}" if query == _KNOWN_QUERY else path


def split_token(target: str) -> tuple[str, str]:
    """Split the session's token, the first part of the path, from the service's target."""
    path, mark, query = target.partition("?")
    token, slash, rest = path.lstrip("/").partition("/")
    return token, (slash + rest or "/") + mark + query
