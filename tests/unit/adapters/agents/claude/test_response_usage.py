"""Every response that began is paid for: counted by the service, or estimated when it was cut."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import FAULTS, SESSION_LIMITS, VENDOR_PRICES, FakeClock
from tests.unit.adapters.agents.claude.real_sessions import (
    BUNDLED,
    OLDER,
    agent_on,
    api_of,
    brief_in,
)
from treadle.adapters.agents.claude.stream_parser import StreamParser
from treadle.domain.agent import AgentEnded, AgentEvent, ResponseUsed, TextStreamed
from treadle.domain.events.all_events import Event
from treadle.domain.session import Completed, SessionResult
from treadle.domain.usage import Usage
from treadle.session.driver import SessionDriver

USAGE = {"input_tokens": 300_000, "output_tokens": 1, "cache_read_input_tokens": 7}
SAID = {"type": "text_delta", "text": "x" * 40}
THOUGHT = {"type": "thinking_delta", "thinking": "y" * 41}
CALLED = {"type": "input_json_delta", "partial_json": "z" * 8}
PONDERED = {"type": "system", "subtype": "thinking_tokens", "estimated_tokens_delta": 500}
RETRY = {"type": "system", "subtype": "api_retry", "attempt": 1}
RESULT = {"type": "result", "subtype": "success", "result": "ok"}


def streamed(kind: str, parent: str | None = None, **fields: Any) -> dict[str, Any]:
    event = {"type": kind, **fields}
    return {"type": "stream_event", "event": event, "parent_tool_use_id": parent}


def began(model: str = "m", parent: str | None = None) -> dict[str, Any]:
    message = {"id": f"of {model}", "model": model, "usage": USAGE}
    return streamed("message_start", parent, message=message)


def wrote(delta: dict[str, Any], parent: str | None = None) -> dict[str, Any]:
    return streamed("content_block_delta", parent, delta=delta)


def counted(output: int, parent: str | None = None) -> dict[str, Any]:
    return streamed("message_delta", parent, usage={"output_tokens": output})


def owed(output: int, model: str = "m") -> ResponseUsed:
    return ResponseUsed(model, Usage(300_000, output, cache_read_tokens=7))


def parsed(messages: list[dict[str, Any]]) -> list[AgentEvent]:
    parser = StreamParser(max_cost_usd=1.0)
    events = [event for message in messages for event in parser.parse(message)]
    if messages[-1] is not RESULT:
        events += parser.end_of_stream(exit_code=1, stderr="")
    return events


@pytest.mark.parametrize(
    ("messages", "used"),
    [
        ([began(), wrote(SAID), counted(12), RESULT], [owed(12)]),
        ([began(), RESULT], [owed(1)]),
        ([began(), wrote(SAID)], [owed(10)]),  # the stream broke off
        ([began(), wrote(SAID), RESULT], [owed(10)]),
        ([began(), wrote(SAID), wrote(CALLED), RETRY, RESULT], [owed(12)]),
        ([began(), wrote(SAID), began("n"), counted(5), RESULT], [owed(10), owed(5, "n")]),
        ([began(), wrote(THOUGHT), wrote(SAID)], [owed(21)]),
        ([began(), wrote(THOUGHT), PONDERED, wrote(SAID)], [owed(510)]),  # told, not shown
        ([wrote(SAID), PONDERED, RETRY, RESULT], []),
    ],
)
def test_what_was_used(messages: list[dict[str, Any]], used: list[ResponseUsed]) -> None:
    events = parsed(messages)

    assert [event for event in events if isinstance(event, ResponseUsed)] == used
    assert isinstance(events[-1], AgentEnded)


def test_responses_of_sub_agents_are_told_apart() -> None:
    messages = [
        began("own"),
        began("one", "1"),
        began("two", "2"),
        wrote(SAID, "1"),
        wrote(SAID),
        counted(7, "2"),
        counted(8),
        RESULT,
    ]

    events = parsed(messages)
    assert [event for event in events if isinstance(event, ResponseUsed)] == [
        owed(7, "two"),
        owed(8, "own"),
        owed(10, "one"),
    ]
    assert [event for event in events if isinstance(event, TextStreamed)] == [
        TextStreamed("x" * 40)
    ]


def test_a_sub_agent_that_begins_does_not_repeat_what_was_said() -> None:
    text = [{"type": "text", "text": "x" * 40}]
    whole = {"type": "assistant", "message": {"id": "of own", "content": text}}
    messages = [began("own"), began("one", "1"), wrote(SAID), whole, RESULT]

    said = [event for event in parsed(messages) if isinstance(event, TextStreamed)]
    assert said == [TextStreamed("x" * 40)]


async def driven(turn: dict[str, Any], binary: Path, place: Path) -> SessionResult:
    events: list[Event] = []
    async with api_of(json.dumps(turn)) as api:
        agent = agent_on(api, binary)
        driver = SessionDriver(
            agent, FakeClock(), events.append, asyncio.Event(), FAULTS, VENDOR_PRICES
        )
        result = await driver.run(brief_in(place), SESSION_LIMITS)
        await agent.gone()
    assert [event.type for event in events].count("usage.reported") == 1
    return result


@pytest.mark.parametrize("binary", [BUNDLED, OLDER], ids=["newest", "oldest"])
async def test_a_response_cut_by_its_last_word_costs_what_a_whole_one_costs(
    binary: Path, tmp_path: Path
) -> None:
    text, usage = "<DONE>built</DONE> and so on", {"input": 300_000, "output": 20}
    cut = {"text": text, "usage": usage, "chunk": 20, "hang": "middle"}
    whole = {"text": text.replace("DONE", "THEN"), "usage": usage}
    (tmp_path / "cut").mkdir()
    (tmp_path / "whole").mkdir()
    short = await driven(cut, binary, tmp_path / "cut")
    full = await driven(whole, binary, tmp_path / "whole")

    assert short.outcome == Completed("built")
    assert (short.usage.input_tokens, full.usage.input_tokens) == (300_000, 300_000)
    assert short.cost_usd == pytest.approx(0.6, abs=0.001)
    assert short.cost_usd <= full.cost_usd
