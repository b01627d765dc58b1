"""What the sessions of a run are given and held to, from the settings."""

from pathlib import Path

from treadle.adapters.stores.runs import run_directory
from treadle.domain.storage import passwords_in
from treadle.policy.available_tools import merge_servers, merge_tools
from treadle.settings.environment import credentials
from treadle.wiring.agent import baseline_servers
from treadle.wiring.deliver_request import Ready, permission_rules
from treadle.workflows.deliver.briefing import Equipment
from treadle.workflows.deliver.instructions import Facts
from treadle.workspace.contents import NOTES


def equipment_of(ready: Ready) -> Equipment:
    settings = ready.settings
    servers = merge_servers(baseline_servers(ready.environment.path), settings.mcp_servers)
    return Equipment(
        model=settings.agent.model,
        plan_model=settings.agent.plan_model,
        thinking_tokens=settings.agent.thinking or None,
        toolset=merge_tools(settings.allowed_tools, permission_rules(settings), servers),
        mcp_servers=servers,
        identity=ready.identity,
        home=private_home(ready),
        facts=Facts(
            spec=settings.project.spec,
            notes=NOTES,
            setup=settings.project.setup,
            check=settings.project.check,
            test=settings.project.test,
        ),
    )


def private_home(ready: Ready) -> Path:
    """The home of the run's agent: its transcripts are there, and nothing of the user's."""
    return run_directory(ready.environment.root, ready.request.run) / "home"


def secrets_of(ready: Ready) -> list[str]:
    """Values that must not be stored or shown: the agent's login, what servers are given, and the
    password of the database."""
    servers = ready.settings.mcp_servers or {}
    given = [
        str(value)
        for server in servers.values()
        for part in ("env", "headers")
        for value in dict(server.get(part) or {}).values()
    ]
    database = passwords_in(ready.environment.database_url)
    return [*credentials(ready.environment.raw), *given, *database]
