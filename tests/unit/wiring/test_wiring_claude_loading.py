"""What a session of Claude Code needs is loaded lean, and does all that it must."""

import subprocess
import sys

LOADED = """
import sys
from treadle.wiring.agents.claude_loading import load_late_modules

def tell(*names):
    print(*(name in sys.modules for name in names))

load_late_modules()
tell("claude_agent_sdk.types", "treadle.adapters.agents.claude.transport")

tell("claude_agent_sdk.client", "claude_agent_sdk._internal.query")
tell("mcp", "mcp_types", "jsonschema", "uvicorn")
"""

WHOLE = """
from claude_agent_sdk import create_sdk_mcp_server
print(create_sdk_mcp_server("other")["name"])
tell("mcp")
"""


def printed(program: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_of_the_sdk_its_client_comes_and_not_its_server_of_tools() -> None:
    assert printed(LOADED) == ["True True", "True True", "False False False False"]


def test_other_names_of_the_sdk_are_still_found() -> None:
    assert printed(LOADED + WHOLE)[3:] == ["other", "True"]
