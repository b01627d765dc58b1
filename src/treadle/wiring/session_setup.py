"""What every session of a run is given, from the settings."""

from pathlib import Path

from treadle.adapters.stores.run_list import run_directory
from treadle.policy.available_tools import merge_tools
from treadle.runs.active_run import ActiveRun
from treadle.runs.credentials import known_secrets
from treadle.runs.request import CheckedRequest
from treadle.wiring.browser import Servers, provide_servers
from treadle.wiring.validate_settings import permission_rules
from treadle.workflows.deliver.briefing import SessionSetup
from treadle.workflows.loop.instructions import PromptFacts
from treadle.workspace.disk_tree import NOTES_FILE


def session_setup(telling: ActiveRun) -> SessionSetup:
    ready = telling.ready
    settings = ready.settings
    servers = servers_of(telling).table
    return SessionSetup(
        model=settings.agent.model,
        plan_model=settings.agent.plan_model,
        thinking_tokens=settings.agent.thinking or None,
        toolset=merge_tools(settings.allowed_tools, permission_rules(settings), servers),
        mcp_servers=servers,
        identity=ready.identity,
        home=private_home(ready),
        facts=PromptFacts(
            spec=settings.project.spec,
            notes=NOTES_FILE,
            setup=settings.project.setup,
            check=settings.project.check,
            test=settings.project.test,
        ),
    )


def servers_of(telling: ActiveRun) -> Servers:
    """The MCP servers of the run's sessions, and what comes with them."""
    ready = telling.ready
    if telling.servers is None:
        telling.servers = provide_servers(
            ready.settings.mcp_servers,
            ready.environment,
            ready.project.root,
            home=private_home(ready),
            confined=not ready.unconfined,
        )
    return telling.servers


def private_home(ready: CheckedRequest) -> Path:
    """The home of the run's agent: its transcripts are there, and nothing of the user's."""
    return run_directory(ready.environment.root, ready.request.run) / "home"


def secrets_of(ready: CheckedRequest) -> list[str]:
    """Values that must not be stored or shown: all that are known here, and what servers are
    given. Not a value that is part of the project's own place: hidden there, nobody finds it."""
    servers = ready.settings.mcp_servers or {}
    given = [
        str(value)
        for server in servers.values()
        for part in ("env", "headers")
        for value in dict(server.get(part) or {}).values()
    ]
    place = str(ready.project.root)
    known = known_secrets(ready.environment, place)
    return [*known, *(value for value in given if value not in place)]
