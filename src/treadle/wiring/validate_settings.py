"""Rejects settings that no run can use; shared by run, doctor and trust."""

from pathlib import Path

from treadle.domain.errors import SettingsError
from treadle.gateway.allowed_hosts import parse_entries
from treadle.policy.permission_rules import PermissionRule, parse_rule
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment, agent_environment
from treadle.wiring.agent import require_free_names
from treadle.wiring.agents.claude_model import Elsewhere, model_service
from treadle.wiring.protected_paths import configured_paths
from treadle.wiring.sandbox_paths import sandbox_paths


def require_valid(settings: Settings, environment: Environment, project: Path) -> None:
    """Raises SettingsError for the first invalid value."""
    parse_entries(settings.sandbox.hosts)
    permission_rules(settings)
    configured_paths(settings)
    require_free_names(settings.mcp_servers or {})
    sandbox_paths(settings.sandbox, environment, project)


def require_way_to_model(settings: Settings, environment: Environment, *, rehearsal: bool) -> None:
    """Raises SettingsError if an agent in the sandbox could not reach its model."""
    network = settings.sandbox.network
    if network == "none":
        raise SettingsError(
            'sandbox.network = "none" leaves the agent without its model',
            hint='use "gateway": the model, and nothing else',
        )
    service = None if rehearsal else model_service(agent_environment(environment.raw))
    if isinstance(service, Elsewhere) and network == "gateway":
        raise SettingsError(
            f"the model is on {service.cloud}, to which the gateway knows no way",
            hint='set sandbox.network = "allowlist" and name its hosts in sandbox.hosts',
        )


def permission_rules(settings: Settings) -> list[PermissionRule]:
    """The rules of `permissions.allow`; raises SettingsError for a malformed rule."""
    rules = []
    for text in settings.permissions.allow:
        rule = parse_rule(text)
        if rule is None:
            raise SettingsError(
                f"permissions.allow: {text!r} is not a rule",
                hint="write Tool or Tool(pattern), for example WebFetch(https://example.com/*)",
            )
        rules.append(rule)
    return rules
