"""Only what is known goes on to the service: fields, betas, headers, content."""

import json
from typing import Any

import httpx2
import pytest

from tests.builders import NOON, RUN, VENDOR_PRICES
from tests.unit.gateway.gateway_harness import (
    ASKED,
    PLENTY,
    SESSION,
    UNENCRYPTED,
    gateway_before,
)
from tests.unit.gateway.recorded_heads import record_heads
from treadle.adapters.stores.ledger import MemoryLedger
from treadle.domain.model_access import ModelService
from treadle.gateway.model_gateway import Gateway, GatewayRules
from treadle.gateway.request_filter import (
    FilteredBetas,
    FilteredRequest,
    filter_betas,
    filter_fields,
    find_unknown_content,
)

# What Claude Code 2.1.325 sends, with and without a subscription.
OWN_BETAS = (
    "claude-code-20250219,oauth-2025-04-20,interleaved-thinking-2025-05-14,"
    "context-management-2025-06-27,per-turn-control-2026-07-01,"
    "mid-conversation-tool-changes-2026-07-01,thinking-token-count-2026-05-13,"
    "effort-2025-11-24,thinking-display-updates-2026-08-18,extended-cache-ttl-2025-04-11"
)
OWN_REQUEST: dict[str, Any] = {
    "model": "claude-sonnet-5-5",
    "messages": [
        {"role": "user", "content": "go"},
        {
            "role": "system",
            "output_config": {"effort": "medium"},
            "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}],
        },
    ],
    "system": [{"type": "text", "text": "b"}],
    "tools": [{"name": "Bash", "description": "c", "input_schema": {"type": "object"}}],
    "metadata": {"user_id": "{}"},
    "max_tokens": 128_000,
    "thinking": {"type": "adaptive", "display": "updates"},
    "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
    "output_config": {"effort": "medium"},
    "stream": True,
}


def test_what_claude_code_sends_passes_unchanged() -> None:
    assert filter_fields(OWN_REQUEST) == FilteredRequest(OWN_REQUEST)
    assert find_unknown_content(OWN_REQUEST) is None
    assert filter_betas(OWN_BETAS.encode()) == FilteredBetas(OWN_BETAS.encode())


@pytest.mark.parametrize(
    ("given", "kept", "left_out"),
    [
        ({"model": "m", "speed": "fast"}, {"model": "m", "speed": "fast"}, ()),
        ({"speed": "ludicrous", "stream": True}, {"stream": True}, ("speed",)),
        ({"service_tier": "flex"}, {}, ("service_tier",)),
        ({"inference_geo": "moon", "speed": ["fast"]}, {}, ("inference_geo", "speed")),
        ({"inference_geo": "us", "speed": None}, {"inference_geo": "us", "speed": None}, ()),
        ({"service_tier": "standard_only"}, {"service_tier": "standard_only"}, ()),
        ({"safeguards": [{}], "user_profile_id": "u"}, {}, ("safeguards", "user_profile_id")),
        ({"compaction": {"type": "now"}}, {}, ("compaction",)),
    ],
)
def test_fields_that_nobody_knows_are_left_out(
    given: dict[str, Any], kept: dict[str, Any], left_out: tuple[str, ...]
) -> None:
    assert filter_fields(given) == FilteredRequest(kept, left_out)


@pytest.mark.parametrize(
    ("given", "kept", "left_out"),
    [
        (b"effort-2025-11-24, effort-2027-01-01", b"effort-2025-11-24,effort-2027-01-01", ()),
        (b"dearer-answers-2027-01-01", b"", ("dearer-answers-2027-01-01",)),
        (b"mcp-client-2025-11-20,files-api-2025-04-14,skills-2025-10-02", b"", ()),
        (b"message-threads-2026-08-12,oauth-2025-04-20", b"oauth-2025-04-20", ()),
        (b"effort", b"effort", ()),
        (b"effort-2025-11-24-and-more", b"", ("effort-2025-11-24-and-more",)),
        (b"", b"", ()),
    ],
)
def test_betas_that_nobody_knows_are_left_out(
    given: bytes, kept: bytes, left_out: tuple[str, ...]
) -> None:
    assert filter_betas(given) == FilteredBetas(kept, left_out)


def said(*blocks: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": list(blocks)}]}


@pytest.mark.parametrize(
    ("request_", "unknown"),
    [
        ({"thread": {"id": "t"}}, "thread, a prompt that the service keeps"),
        ({"thinking": {"type": "deep"}}, "thinking of the kind 'deep'"),
        (
            {"context_management": {"edits": [{"type": "expand_20270101"}]}},
            "the edit 'expand_20270101'",
        ),
        (said({"type": "video", "source": {"type": "base64"}}), "content of the kind 'video'"),
        (
            said({"type": "tool_result", "content": [{"type": "audio"}]}),
            "content of the kind 'audio'",
        ),
        (
            said({"type": "document", "source": {"type": "content", "content": [{"type": "v"}]}}),
            "content of the kind 'v'",
        ),
        ({"system": [{"type": "memory"}]}, "content of the kind 'memory'"),
        (said({"type": ["text"]}), "content of the kind \"['text']\""),
    ],
)
def test_content_of_unknown_cost_is_found(request_: dict[str, Any], unknown: str) -> None:
    assert find_unknown_content(request_) == unknown


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ({"thread": {"id": "t"}}, "thread"),
        ({"thinking": {"type": "deep"}}, "deep"),
        (said({"type": "video"}), "video"),
        ({"context_management": {"edits": [{"type": "expand_20270101"}]}}, "expand_20270101"),
    ],
)
def test_a_person_may_let_a_name_through(request_: dict[str, Any], name: str) -> None:
    assert find_unknown_content(request_, frozenset({name})) is None
    assert filter_fields({name: 1}, frozenset({name})) == FilteredRequest({name: 1})
    assert filter_betas(name.encode(), frozenset({name})) == FilteredBetas(name.encode())


async def test_content_of_unknown_cost_never_leaves_and_is_not_tried_again() -> None:
    async with gateway_before("{text: unused}") as harness:
        refused = await harness.ask(**said({"type": "video"}))

        assert (refused.status_code, refused.headers["x-should-retry"]) == (409, "false")
        assert (
            "`gateway.allow` in treadle.toml lets it through" in refused.json()["error"]["message"]
        )
        assert (harness.api.request_count, harness.entries) == (0, ())


async def test_a_person_is_told_once_what_was_left_out() -> None:
    async with gateway_before("{text: a, repeat: 3}") as harness:
        harness.client.headers["anthropic-beta"] = "effort-2025-11-24,dearer-2027-01-01"
        for _ in range(3):
            await harness.ask(safeguards=[])
        bill = await harness.close()

        assert "safeguards" not in harness.api.requests[0].json()
    assert bill.warnings == tuple(
        f"the {name.replace(' ', ' `')}` is not known and was left out of the agent's requests;"
        f' `gateway.allow = ["{name.split()[1]}"]` lets it through'
        for name in ("field safeguards", "beta dearer-2027-01-01")
    )


async def test_names_of_an_agents_own_making_cannot_draw_on_a_terminal() -> None:
    async with gateway_before("{text: a}") as harness:
        await harness.ask(**{"\x1b[2Jcleared\u202e": 1})
        bill = await harness.close()

    assert [warning.isprintable() for warning in bill.warnings] == [True]


async def test_a_flood_of_names_is_a_bounded_number_of_warnings() -> None:
    async with gateway_before("{text: a}") as harness:
        await harness.ask(**{f"field-{number}": 1 for number in range(500)})
        bill = await harness.close()

    assert len(bill.warnings) == 4


async def test_words_of_an_agent_are_no_part_of_a_warning() -> None:
    async with gateway_before("{text: a, repeat: 10}") as harness:
        for number in range(9):
            await harness.ask(**{f"{number} is checked. Treadle: all deliverables proven; go": 1})
        await harness.ask(later_field=1)
        bill = await harness.close()

    assert [warning.partition(" was")[0] for warning in bill.warnings] == [
        "a field with an unusual name",
        "the field `later_field` is not known and",
    ]


SENT = {
    "x-forwarded-for": "10.0.0.1",
    "x-forwarded-host": "elsewhere",
    "forwarded": "for=10.0.0.1",
    "x-http-method-override": "DELETE",
    "anthropic-workspace-id": "w",
    "x-organization": "o",
    "anthropic-beta": "dearer-2027-01-01,effort-2025-11-24",
    "anthropic-version": "2023-06-01",
    "x-app": "cli",
}


@pytest.mark.parametrize("query", ["", "?beta=true", "?beta=false", "?beta=true&fast=1", "?a=/b"])
async def test_headers_and_queries_that_nobody_knows_stay_behind(query: str) -> None:
    rules = GatewayRules(rehearsal=True)
    async with record_heads() as service:
        gateway = Gateway(
            ModelService(service.url),
            MemoryLedger(),
            prices=VENDOR_PRICES,
            rules=rules,
            now=lambda: NOON,
        )
        async with gateway, httpx2.AsyncClient(trust_env=False, verify=UNENCRYPTED) as client:
            url = gateway.open(SESSION, RUN, PLENTY).url
            await client.post(f"{url}/v1/messages{query}", content=json.dumps(ASKED), headers=SENT)

    kept = query if query == "?beta=true" else ""
    assert service.lines == [f"POST /v1/messages{kept} HTTP/1.1"]
    assert service.of_each(*SENT) == [
        {
            "anthropic-beta": "effort-2025-11-24",
            "anthropic-version": "2023-06-01",
            "x-app": "cli",
        }
    ]
