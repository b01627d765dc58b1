"""Loads what the first session of Claude Code needs, and of libraries little that it does not."""

from contextlib import suppress
from importlib import import_module

from treadle.wiring.bare_packages import bare_package

# What the first session needs and nothing before it.
LATE_MODULES = (
    "treadle.adapters.agents.claude.transport",
    "treadle.adapters.agents.claude.hook",
)

# What the SDK itself imports when it is first spoken through, as far as this release has it.
SPOKEN_THROUGH = (
    "claude_agent_sdk.client",
    "claude_agent_sdk._internal.query",
    "claude_agent_sdk._internal.session_resume",
    "claude_agent_sdk._internal.transport.subprocess_cli",
)

# Of the SDK we use the client. As a whole it also brings a server for tools, with a library for it
# that takes nine tenths of the time; ours answers by itself (`tool_server.py`).
BARE_PACKAGES = {
    "claude_agent_sdk": {
        "ClaudeAgentOptions": "claude_agent_sdk.types",
        "ClaudeSDKClient": "claude_agent_sdk.client",
        "Transport": "claude_agent_sdk._internal.transport",
    },
    "claude_agent_sdk._internal.sdk_mcp_bridge": {
        "SdkMcpBridge": "treadle.adapters.agents.claude.no_bridge"
    },
}


def load_late_modules() -> None:
    """For a thread of its own. A session that needs them earlier imports them itself, as wholes."""
    for name, names in BARE_PACKAGES.items():
        bare_package(name, names)
    for name in LATE_MODULES:
        import_module(name)
    for name in SPOKEN_THROUGH:
        with suppress(ImportError):
            import_module(name)
