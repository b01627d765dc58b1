"""Every tool of a real session that succeeds was asked about first, so the guard never errs."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.builders import FAULTS, SESSION_LIMITS, VENDOR_PRICES, FakeClock
from tests.unit.adapters.agents.claude.real_sessions import BUNDLED, OLDER, agent_on, brief_in
from tests.unit.adapters.agents.claude.test_agent_misbehaving import CONNECT, RESULT
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.domain.agent import SessionBrief
from treadle.domain.events.agent import ToolCalled, ToolDecided, ToolFinished
from treadle.domain.events.all_events import Event
from treadle.domain.session import Completed, SessionResult, UnguardedTool
from treadle.policy.available_tools import BASELINE_TOOLS
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi
from treadle.session.driver import SessionDriver

pytestmark = pytest.mark.slow

TODO = {"content": "look", "status": "pending", "activeForm": "looking"}
AGENT = {"description": "look", "prompt": "Look", "subagent_type": "general-purpose"}
NOTED = {"kind": "note", "text": "a note"}
TURNS: list[dict[str, Any]] = [
    {"tool": "Write", "input": {"file_path": "${workspace}/a", "content": "one\n"}},
    {"tool": "Read", "input": {"file_path": "${workspace}/a"}},
    {"tools": [{"Bash": {"command": "ls"}}, {"Bash": {"command": "pwd"}}]},
    {
        "tool": "Edit",
        "input": {"file_path": "${workspace}/a", "old_string": "one", "new_string": "two"},
    },
    {"tool": "Glob", "input": {"pattern": "*"}},
    {"tool": "Grep", "input": {"pattern": "two"}},
    {"tool": "TodoWrite", "input": {"todos": [TODO]}},
    {"tool": "mcp__treadle__signal", "input": NOTED},
    {"tool": "Bash", "input": {"command": "cat a", "run_in_background": True}},
    {"tool": "Read", "input": {"file_path": 5}},
    {"tool": "Teleport", "input": {"to": "mars"}},
    {"tool": "Agent", "input": {**AGENT, "run_in_background": False}},
    {"text": "finished"},
]
SUBAGENT = [
    {"tools": [{"Bash": {"command": "ls"}}, {"Read": {"file_path": "${workspace}/a"}}]},
    {"text": "nothing to see"},
]


async def drive(agent: ClaudeAgent, brief: SessionBrief) -> tuple[SessionResult, list[Event]]:
    events: list[Event] = []
    driver = SessionDriver(
        agent, FakeClock(), events.append, asyncio.Event(), FAULTS, VENDOR_PRICES
    )
    result = await driver.run(brief, SESSION_LIMITS)
    await agent.gone()
    return result, events


@pytest.mark.parametrize("binary", [BUNDLED, OLDER], ids=["newest", "oldest"])
async def test_every_use_that_succeeds_was_allowed_also_in_a_sub_agent(
    binary: Path, tmp_path: Path
) -> None:
    script = {"version": 1, "sessions": [{"turns": TURNS, "subagent": SUBAGENT}]}
    brief = replace(brief_in(tmp_path), builtin_tools=(*BASELINE_TOOLS, "Agent"))
    async with ScriptedApi(parse_script(json.dumps(script), source="turns")) as api:
        result, events = await drive(agent_on(api, binary), brief)
        assert api.problems() == ()

    succeeded = {e.id for e in events if isinstance(e, ToolFinished) and not e.is_error}
    names = {e.name for e in events if isinstance(e, ToolCalled) and e.id in succeeded}
    decided = {e.id for e in events if isinstance(e, ToolDecided) and e.decision == "allow"}
    assert result.outcome == Completed("finished")
    assert names >= {"Agent", "Bash", "Edit", "Read", "Write", "mcp__treadle__signal"}
    assert len([e for e in events if isinstance(e, ToolCalled) and e.parent is not None]) == 2
    assert succeeded <= decided


async def test_a_binary_that_does_not_ask_is_ended(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "u", "name": "Bash", "input": {"command": "id"}}
    got = {"type": "tool_result", "tool_use_id": "u", "content": "root"}
    called = json.dumps({"type": "assistant", "message": {"id": "m", "content": [use]}})
    finished = json.dumps({"type": "user", "message": {"content": [got]}})
    binary = tmp_path / "claude"
    binary.write_text(f"#!/bin/sh\n{CONNECT}\necho '{called}'; echo '{finished}'\n{RESULT}\ncat\n")
    binary.chmod(0o755)
    result, _ = await drive(ClaudeAgent(binary, {"PATH": "/usr/bin:/bin"}), brief_in(tmp_path))

    assert result.outcome == UnguardedTool("Bash")
