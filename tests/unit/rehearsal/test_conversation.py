"""The answers in a conversation that a real binary sends, whose session was cut off in a call."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.unit.adapters.agents.claude.real_sessions import agent_on, allow, api_of, brief_in
from treadle.adapters.agents.claude.command import command_line, servers_of, write_session_files
from treadle.adapters.agents.claude.control import Control
from treadle.adapters.agents.claude.transport import ProcessTransport
from treadle.domain.agent import Decision, SessionBrief, Tool, ToolReply, ToolUse
from treadle.domain.sandbox import ConfinedCommand
from treadle.rehearsal.conversation import count_answers
from treadle.rehearsal.scripted_api import ScriptedApi

pytestmark = pytest.mark.slow

BASH = "{tool: Bash, input: {command: 'true'}}"
PASS = "{tool: mcp__treadle__pass, input: {}}"


class UnansweredCall:
    """A question of the agent that nobody answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def decide(self, use: ToolUse) -> Decision:
        await self._wait()

    async def call(self, given: object) -> ToolReply:
        await self._wait()

    async def _wait(self) -> NoReturn:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody answers")


async def messages_after(api: ScriptedApi, brief: SessionBrief, call: UnansweredCall) -> list[Any]:
    """What the agent says next if its input ends while it waits for the answer."""
    agent = agent_on(api)
    (brief.home / "tmp").mkdir(parents=True)
    with write_session_files(brief, servers_of(brief)) as given:
        command = command_line(agent.binary, brief, given, attribution="")
        start = ConfinedCommand(tuple(command), agent.child_environment(brief))
        transport = ProcessTransport(start, directory=brief.workspace)
        control = Control(transport, decide=brief.decide, tools=brief.tools)
        await transport.connect()
        try:
            await control.initialize()
            await control.send_prompt(brief.prompt)
            await call.asked.wait()
            await transport.end_input()
            await api.wait_for_requests(2)
        finally:
            await transport.kill()
            with suppress(OSError):
                await control.close()
    messages: list[Any] = api.requests[1].json()["messages"]
    return messages


async def test_a_call_that_waited_for_a_decision_is_not_answered(tmp_path: Path) -> None:
    call = UnansweredCall()
    brief = replace(brief_in(tmp_path), decide=call.decide)

    async with api_of(BASH, "{hang: true}") as api:
        messages = await messages_after(api, brief, call)

    assert count_answers(messages) == 0


async def test_a_call_of_our_tools_that_was_at_work_is_not_answered(tmp_path: Path) -> None:
    call = UnansweredCall()
    tool = Tool("pass", "Passes.", {"type": "object"}, call.call)
    brief = replace(brief_in(tmp_path), decide=allow, tools=(tool,))

    async with api_of(PASS, "{hang: true}") as api:
        messages = await messages_after(api, brief, call)

    assert count_answers(messages) == 0
