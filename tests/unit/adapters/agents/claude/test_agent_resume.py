"""Conversations that go on, and sessions that are ended from outside, on real binaries."""

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.adapters.agents.claude.real_sessions import (
    BUNDLED,
    OLDER,
    agent_on,
    alive,
    api_of,
    brief_in,
    opened,
    play,
    play_and_note,
    resumed,
    texts_in,
    until,
)
from treadle.adapters.processes.marked_processes import marked_processes
from treadle.domain.agent import AgentEnded, Fault, TextStreamed
from treadle.domain.events.agent import ToolCalled
from treadle.domain.session import Completed
from treadle.domain.usage import Usage

pytestmark = pytest.mark.slow

BINARIES = pytest.mark.parametrize("binary", [BUNDLED, OLDER], ids=["newest", "oldest"])


@BINARIES
async def test_a_resumed_session_knows_what_was_said_and_costs_only_what_is_new(
    binary: Path, tmp_path: Path
) -> None:
    async with api_of("{text: I am Ada.}", "{text: Ada., usage: {input: 10, output: 2}}") as api:
        agent, brief = agent_on(api, binary), brief_in(tmp_path)
        first = await play_and_note(agent, replace(brief, prompt="Who are you?"))
        cost = first.ended.cost_usd or 0.0
        second = await play(agent, resumed(brief, "Again?", cost))

        asked = api.requests[1].json()
        assert [text for text in texts_in(asked, "user") if text in ("Who are you?", "Again?")] == [
            "Who are you?",
            "Again?",
        ]
        assert texts_in(asked, "assistant") == ["I am Ada."]
    assert (first.ended.outcome, first.ended.usage) == (Completed("I am Ada."), Usage(100, 20))
    # Ten and two tokens where the first took a hundred and twenty: a tenth of the price.
    assert second.ended == AgentEnded(Completed("Ada."), round(cost / 10, 8), None, 1)


@BINARIES
async def test_a_conversation_that_does_not_exist_cannot_be_resumed(
    binary: Path, tmp_path: Path
) -> None:
    async with api_of("{text: never, optional: true}") as api:
        brief = replace(brief_in(tmp_path), resume=True)
        played = await play(agent_on(api, binary), brief)

    (ended,) = played.events
    assert isinstance(ended, AgentEnded)
    assert isinstance(ended.outcome, Fault)
    assert f"No conversation found with session ID: {brief.session}" in ended.outcome.message


async def test_closing_while_the_model_speaks_leaves_nothing_and_can_be_resumed(
    tmp_path: Path,
) -> None:
    turns = ("{hang: middle, text: this is not finished, chunk: 4}", "{text: I go on.}")
    async with api_of(*turns) as api:
        agent, brief = agent_on(api), brief_in(tmp_path)
        async with opened(agent, brief) as session:
            await until(session.events(), TextStreamed)
            assert (await session.close(), await session.close()) == ([], [])
        again = await play(agent, resumed(brief, "Go on.", 0.0))

        assert "Please begin." in texts_in(api.requests[1].json(), "user")
    assert again.ended.outcome == Completed("I go on.")


@BINARIES
async def test_closing_while_a_tool_runs_leaves_no_process(binary: Path, tmp_path: Path) -> None:
    command = "echo $$ > pid; exec tail -f pid"
    async with api_of(f"{{tool: Bash, input: {{command: '{command}'}}}}") as api:
        brief = brief_in(tmp_path)
        os.mkfifo(brief.workspace / "pid")
        async with opened(agent_on(api, binary), brief) as session:
            await until(session.events(), ToolCalled)
            pid = int(await asyncio.to_thread((brief.workspace / "pid").read_text))
            assert alive(pid)
            left = await session.close()

    assert (left, alive(pid), api.problems()) == ([], False, ())


async def test_a_session_ends_at_its_result_although_a_background_task_is_open(
    tmp_path: Path,
) -> None:
    command = "echo $$ > pid; exec tail -f /dev/null"
    turns = (
        f"{{tool: Bash, input: {{command: '{command}', run_in_background: true}}}}",
        "{text: It runs.}",
    )
    async with api_of(*turns) as api:
        brief = brief_in(tmp_path)
        os.mkfifo(brief.workspace / "pid")
        async with opened(agent_on(api), brief) as session:
            reading = asyncio.to_thread((brief.workspace / "pid").read_text)
            pid, events = await asyncio.gather(reading, until(session.events(), AgentEnded))
            assert alive(int(pid))

    (ended,) = [event for event in events if isinstance(event, AgentEnded)]
    assert (ended.outcome, alive(int(pid))) == (Completed("It runs."), False)


async def test_the_second_interrupt_kills_every_process_at_once(tmp_path: Path) -> None:
    async with api_of("{hang: true}") as api:
        agent, brief = agent_on(api), brief_in(tmp_path)
        async with opened(agent, brief) as session:
            await api.wait_for_requests(1)
            agent.kill()
            *_, ended = [event async for event in session.events()]

            assert marked_processes(brief.session) == []
    assert isinstance(ended, AgentEnded)
