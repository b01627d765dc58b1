"""The model's service is no way out: a request that would make it turn to somebody is refused."""

from typing import Any

import pytest

from tests.builders import RUN
from tests.unit.gateway.gateway_harness import PLENTY, SESSION, gateway_before
from treadle.gateway.request_rules import find_forbidden_use, parse_body, serialize_body
from treadle.settings.definitions import PermissionSettings, Settings
from treadle.wiring.gateway import served_tools

SEARCH = {"type": "web_search_20250305", "name": "web_search"}
FETCHED = {"type": "image", "source": {"type": "url", "url": "https://a.example/?secret"}}
FILED = {"type": "document", "source": {"type": "file", "file_id": "f"}}
ADDED = {"type": "tool_addition", "tool": {"type": "tool_definition", "definition": SEARCH}}
TO_FETCH = "content that is to be fetched"


def said(*blocks: Any, role: str = "user") -> dict[str, Any]:
    return {"messages": [{"role": role, "content": list(blocks)}]}


def deep(levels: int) -> Any:
    block: Any = FETCHED
    for _ in range(levels):
        block = {"type": "tool_result", "content": [block]}
    return block


@pytest.mark.parametrize(
    ("request_", "beyond"),
    [
        ({"mcp_servers": [{"type": "url", "url": "https://a.example"}]}, "mcp_servers"),
        ({"container": "c"}, "container"),
        ({"container": {"skills": []}}, "container"),
        ({"tools": [{"name": "Bash"}, SEARCH]}, "the tool web_search_20250305"),
        ({"tools": [{"type": "web_fetch_20250910"}]}, "the tool web_fetch_20250910"),
        ({"tools": [{"type": "code_execution_20250825"}]}, "the tool code_execution_20250825"),
        ({"tools": [{"type": "computer_20250124"}]}, "the tool computer_20250124"),
        ({"tools": [{"type": "mcp_toolset"}]}, "the tool mcp_toolset"),
        ({"tools": [{"type": ["custom"]}]}, "the tool ['custom']"),
        ({"tools": ["web_search_20250305"]}, "the tool without a form"),
        ({"tools": {"0": SEARCH}}, "tools in a form of their own"),
        (said(FETCHED), TO_FETCH),
        (said(FILED), TO_FETCH),
        (said({"type": "tool_result", "content": [{"type": "text"}, FETCHED]}), TO_FETCH),
        (said({"type": "document", "source": {"type": "content", "content": [FETCHED]}}), TO_FETCH),
        (said(deep(400)), TO_FETCH),
        (said({"type": "container_upload", "file_id": "f"}), "the tool container_upload"),
        (said(ADDED, role="system"), "the tool web_search_20250305"),
        ({"messages": [{"role": "system", "tools": [SEARCH]}]}, "the tool web_search_20250305"),
        ({"system": [FETCHED]}, TO_FETCH),
        ({"a field of tomorrow": [{"tools": [SEARCH]}]}, "the tool web_search_20250305"),
    ],
)
def test_a_request_tells_by_what_the_service_would_turn_to_others(
    request_: dict[str, Any], beyond: str
) -> None:
    assert find_forbidden_use(request_) == beyond


SCHEMA = {"type": "object", "properties": {"source": {"type": "string"}}}


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"mcp_servers": [], "container": None, "tools": None},
        {"tools": [{"name": "Bash", "input_schema": SCHEMA}, {"type": "custom", "name": "b"}]},
        {"context_management": {"edits": [{"type": "clear_thinking_20251015"}]}},
        {"messages": [{"role": "user", "content": "web_search_20250305"}]},
        said({"type": "text", "text": "web_search_20250305"}),
        said({"type": "image", "source": {"type": "base64", "data": "aGk="}}),
        said({"type": "tool_use", "name": "mcp__files__add", "input": FETCHED}, role="assistant"),
        said({"type": "search_result", "source": "https://a.example"}),
        said({"type": "tool_addition", "tool": {"name": "b", "input_schema": SCHEMA}}),
    ],
)
def test_whatever_the_model_answers_alone_goes_on(request_: dict[str, Any]) -> None:
    assert find_forbidden_use(request_) is None


@pytest.mark.parametrize(
    ("request_", "beyond"),
    [
        ({"tools": [SEARCH]}, None),
        (said(ADDED), None),
        ({"tools": [{"type": "web_fetch_20250910"}]}, "the tool web_fetch_20250910"),
        (said(FETCHED), TO_FETCH),
    ],
)
def test_a_search_that_the_user_allows_is_the_services_to_do(
    request_: dict[str, Any], beyond: str | None
) -> None:
    assert find_forbidden_use(request_, frozenset({"web_search"})) == beyond


@pytest.mark.parametrize(
    ("settings", "served"),
    [
        (Settings(), set()),
        (Settings(allowed_tools=("WebFetch", "Skill")), set()),
        (Settings(allowed_tools=("WebSearch",)), {"web_search"}),
        (Settings(permissions=PermissionSettings(allow=("WebSearch(python *)",))), {"web_search"}),
    ],
)
def test_the_settings_say_what_the_service_may_do(settings: Settings, served: set[str]) -> None:
    assert served_tools(settings) == served


@pytest.mark.parametrize("body", [b"", b"no json", b"[]", b'"a"', b'{"a": 1} {}', b"\x1f\x8b\x08"])
def test_what_is_no_object_is_not_read(body: bytes) -> None:
    assert parse_body(body) is None


def test_what_has_more_parts_than_any_conversation_is_not_read() -> None:
    text = "a picture" * 1_000_000

    assert parse_body(b'{"a": [' + b"[]," * 2_000_000 + b"[]]}") is None
    assert parse_body(b'{"a": "' + text.encode() + b'"}') == {"a": text}


def test_a_name_that_stands_there_twice_goes_on_as_it_was_read() -> None:
    found = parse_body(b'{"tools": [{"type": "web_fetch_20250910"}], "tools": []}')

    assert found is not None
    assert (find_forbidden_use(found), serialize_body(found)) == (None, b'{"tools":[]}')


@pytest.mark.parametrize("path", ["/v1/messages", "/v1/messages/count_tokens"])
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b'{"tools": [{"type": "web_search_20250305"}]}', 403),
        (b'{"mcp_servers": [{"type": "url"}]}', 403),
        (b'{"messages": [', 400),
        # Nested deeper than the service is sent, and more parts in few bytes than are parsed.
        (b'{"metadata": ' + b"[" * 400 + b"]" * 400 + b"}", 400),
        (b'{"metadata": [' + b'{"":0},' * 590_000 + b"0]}", 400),
        *(
            (b'{"max_tokens": ' + number + b"}", 409)
            for number in (b'"128_000"', b'" 9"', b'"64000"', b"64000.0", b"1e300", b"true", b"[9]")
        ),
        (b'{"thinking": {"type": "enabled", "budget_tokens": "9"}}', 409),
    ],
)
async def test_a_refused_request_never_leaves(path: str, body: bytes, status: int) -> None:
    async with gateway_before("{text: unused}") as harness:
        refused = await harness.client.post(harness.url + path, content=body)

        assert (refused.status_code, refused.headers["x-should-retry"]) == (status, "false")
        assert refused.json()["error"]["message"].startswith("Treadle: ")
        assert (harness.api.request_count, harness.entries) == (0, ())


async def test_one_session_may_search_and_another_may_not() -> None:
    async with gateway_before("{text: found}") as harness:
        shut = await harness.ask(tools=[SEARCH])
        served = frozenset({"web_search"})
        harness.url = harness.gateway.open(SESSION, RUN, PLENTY, server_tools=served).url

        assert (shut.status_code, (await harness.ask(tools=[SEARCH])).status_code) == (403, 200)
