"""What a session of Claude Code needs is loaded lean, and does all that it must."""

import subprocess
import sys

PROGRAM = """
import asyncio, sys
from treadle.wiring.agents.claude_loading import load_late_modules

def tell(*names):
    print(*(name in sys.modules for name in names))

load_late_modules()
tell("claude_agent_sdk", "treadle.adapters.agents.claude.transport")
tell("mcp.client", "mcp.server.mcpserver", "jsonschema", "uvicorn")

from treadle.adapters.agents.claude.tools import tool_server
from treadle.domain.agent import Tool, ToolReply

async def greet(given):
    return ToolReply(f"hello {given['name']}")

schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
server = tool_server((Tool("greet", "Greets.", schema, greet),))["instance"]

async def main():
    import mcp  # its client is for this test alone, and brings the rest of the package

    async with mcp.Client(server) as client:
        for given in ({"name": "Ada"}, {"name": 1}):
            result = await client.call_tool("greet", given)
            print(result.is_error, result.content[0].text)

asyncio.run(main())
tell("mcp.client", "jsonschema")
"""


def test_our_tools_work_with_what_is_loaded_and_the_rest_comes_when_it_is_asked_for() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == [
        "True True",
        "False False False False",
        "False hello Ada",
        "True Input validation error: 1 is not of type 'string'",
        "True True",
    ]
