"""Loads what the first session of Claude Code needs, and of libraries little that it does not."""

from importlib import import_module

from treadle.durable.deferred import deferred
from treadle.wiring.bare_packages import bare_package

# What the first session needs and nothing before it.
LATE_MODULES = (
    "treadle.adapters.agents.claude.transport",
    "treadle.adapters.agents.claude.tools",
)

# The SDK takes types and a server for tools from these. As wholes they also bring clients, log-in
# and web servers: 14 MB and a fifth of the time.
BARE_PACKAGES = {"mcp": {}, "mcp.server": {"Server": "mcp.server.lowlevel.server"}}


def load_late_modules() -> None:
    """For a thread of its own. A session that needs them earlier imports them itself, as wholes."""
    for name, names in BARE_PACKAGES.items():
        bare_package(name, names)
    # The one checks what our tools are given, once one is called; the other is only asked whether
    # it is there, to be told of its end, and nothing is served here.
    with deferred("jsonschema"), deferred("uvicorn"):
        for name in LATE_MODULES:
            import_module(name)
