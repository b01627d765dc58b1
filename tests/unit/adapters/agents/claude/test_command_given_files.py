"""Secrets of MCP servers and the project's instructions reach the agent in files of its owner's."""

import json
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.adapters.agents.claude.real_sessions import (
    BUNDLED,
    OLDER,
    agent_on,
    api_of,
    brief_in,
    play,
)
from treadle.adapters.agents.claude.command import write_session_files
from treadle.domain.session import Completed

pytestmark = pytest.mark.slow

TOKEN = "t-o-k-e-n"
CONTEXT = "Tabs, never spaces: @given."

# An MCP server that tells its token, and whether its parent's command line tells it too.
SERVER = """
import json, os, pathlib, sys
line = pathlib.Path(f"/proc/{os.getppid()}/cmdline").read_text()
told = f"{os.environ['TOKEN']} {os.environ['TOKEN'] in line} {'Tabs' in line}"
tool = {"name": "tell", "description": "Tells.", "inputSchema": {"type": "object"}}
answers = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "tiny", "version": "1"}},
    "tools/list": {"tools": [tool]},
    "tools/call": {"content": [{"type": "text", "text": told}]},
}
for asked in map(json.loads, sys.stdin):
    if "id" in asked:
        answer = answers.get(asked["method"], {})
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


@pytest.mark.parametrize("binary", [BUNDLED, OLDER], ids=["newest", "oldest"])
async def test_a_server_and_the_context_arrive_and_nobody_else_can_read_them(
    binary: Path, tmp_path: Path
) -> None:
    command = {"command": sys.executable, "args": ["-c", SERVER], "env": {"TOKEN": TOKEN}}
    brief = replace(brief_in(tmp_path), mcp_servers={"tiny": command}, context=CONTEXT)
    async with api_of("{tool: mcp__tiny__tell, input: {}}", "{text: ok}") as api:
        played = await play(agent_on(api, binary), brief)

        assert CONTEXT in json.dumps(api.requests[0].json()["system"])
    assert (played.finished, played.ended.outcome) == (
        [(f"{TOKEN} False False", False)],
        Completed("ok"),
    )
    assert list(brief.home.glob("given-*")) == []


def test_the_files_are_their_owners_alone_and_go_when_they_were_read(tmp_path: Path) -> None:
    brief = replace(brief_in(tmp_path), context=CONTEXT, mcp_servers={"tiny": {"command": "x"}})
    brief.home.mkdir()
    with write_session_files(brief, brief.mcp_servers) as given:
        paths = [given.servers, given.context or Path()]
        modes = [stat.S_IMODE(path.stat().st_mode) for path in paths]

        assert (modes, [path.parent for path in paths]) == ([0o600] * 2, [brief.home] * 2)
        assert json.loads(paths[0].read_text())["mcpServers"]["tiny"] == {"command": "x"}
        assert paths[1].read_text() == CONTEXT
    assert list(brief.home.iterdir()) == []


def test_no_context_is_no_file(tmp_path: Path) -> None:
    brief = brief_in(tmp_path)
    brief.home.mkdir()
    with write_session_files(brief, brief.mcp_servers) as given:
        assert given.context is None
