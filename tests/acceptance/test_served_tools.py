"""Claude Code has the service search for it; that is done only where a user allows it."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.builders import FAULTS, RUN, SESSION_LIMITS, VENDOR_PRICES, FakeClock
from tests.unit.adapters.agents.claude.real_sessions import HEADERS, brief_in
from tests.unit.gateway.test_metered_agent import ledger_in
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.model_access import held_login
from treadle.domain.events.agent import ToolFinished
from treadle.domain.events.all_events import Event
from treadle.domain.model_access import ModelService
from treadle.domain.session import Completed
from treadle.gateway.metered_agent import MeteredAgent, Metering, MeterRules
from treadle.session.driver import SessionDriver

from .test_metered_agent import BINARIES, KEY, NOWHERE, WORLD, scripted, through_the_socket

REFUSED = (
    "Treadle: the model's service may not contact anybody else for this: the tool"
    " web_search_20250305"
)


@pytest.mark.parametrize(
    ("served", "asked_with", "told"),
    [
        (frozenset({"web_search"}), [[], ["web_search_20250305"], []], "found"),
        (frozenset(), [[], []], REFUSED),
    ],
    ids=["allowed", "not allowed"],
)
@BINARIES
async def test_a_search_by_the_service_is_done_where_it_is_allowed_and_nowhere_else(
    binary: Path,
    served: frozenset[str],
    asked_with: list[list[str]],
    told: str,
    tmp_path: Path,
) -> None:
    agent = ClaudeAgent(binary, {**WORLD, **KEY, **NOWHERE}, "", HEADERS)
    terms = MeterRules(RUN, 100.0, VENDOR_PRICES, rehearsal=True, served=served)
    answers = "{text: found}, {text: done}" if served else "{text: done}"
    events: list[Event] = []

    with scripted(f"{{tool: WebSearch, input: {{query: how to knit}}}}, {answers}") as api:
        open_ledger = ledger_in(tmp_path / "root")
        metering = Metering(
            ModelService(api.base_url), open_ledger, terms, held_login(agent.environment)
        )
        reached = MeteredAgent(agent, metering, through_the_socket)
        driver = SessionDriver(
            reached,
            FakeClock(),
            events.append,
            asyncio.Event(),
            FAULTS,
            VENDOR_PRICES,
            bill=metering.bill,
        )
        brief = replace(brief_in(tmp_path), builtin_tools=("Bash", "WebSearch"))
        result = await driver.run(brief, SESSION_LIMITS)
        await reached.gone()

    bodies = [request.json() for request in api.requests]
    named = [[tool["type"] for tool in body["tools"] if "type" in tool] for body in bodies]
    (output,) = (event.output for event in events if isinstance(event, ToolFinished))
    assert (result.outcome, api.problems()) == (Completed("done"), ())
    assert (named, told in output) == (asked_with, True)
