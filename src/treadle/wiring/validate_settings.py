"""Rejects settings that no run can use; shared by run, doctor and trust."""

from pathlib import Path

from treadle.adapters.agents.registry import find_kind
from treadle.domain.errors import SettingsError
from treadle.domain.model_access import CloudModel
from treadle.gateway.allowed_hosts import parse_entries
from treadle.policy.permission_rules import PermissionRule, parse_rule
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment, agent_environment
from treadle.wiring.agent import require_free_names
from treadle.wiring.protected_paths import configured_paths, require_included_paths
from treadle.wiring.sandbox_paths import sandbox_paths


def require_valid(settings: Settings, environment: Environment, project: Path) -> None:
    """Raises SettingsError for the first invalid value."""
    parse_entries(settings.sandbox.hosts)
    permission_rules(settings)
    configured_paths(settings)
    require_included_paths(settings)
    require_free_names(settings.mcp_servers or {})
    sandbox_paths(settings.sandbox, environment, project)


def require_way_to_model(settings: Settings, environment: Environment, *, rehearsal: bool) -> None:
    """Raises SettingsError if an agent in the sandbox could not reach its model."""
    kind, network = find_kind(settings.agent.kind), settings.sandbox.network
    if kind.model is None:
        return
    if network == "none":
        raise SettingsError(
            'sandbox.network = "none" leaves the agent without its model',
            hint='use "gateway": the model, and nothing else',
        )
    variables = agent_environment(environment.raw, kind.variables.passed)
    service = None if rehearsal else kind.model.service(variables)
    if isinstance(service, CloudModel) and network == "gateway":
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
