"""Rejects settings that no run can use; shared by run, doctor and trust."""

from pathlib import Path

from treadle.adapters.agents.registry import find_kind
from treadle.domain.errors import SettingsError
from treadle.domain.model_access import CloudModel
from treadle.gateway.allowed_hosts import parse_entries
from treadle.policy.available_tools import merge_tools
from treadle.policy.commands.unknown_commands import NEVER
from treadle.policy.permission_rules import PermissionRule, parse_rule
from treadle.policy.profiles import PROFILES
from treadle.policy.roles import BROWSER
from treadle.policy.tool_limit import InvalidEntry, ToolLimit, parse_limit
from treadle.settings.definitions import PolicySettings, Settings
from treadle.settings.environment import Environment, agent_environment
from treadle.wiring.agent import require_free_names
from treadle.wiring.protected_paths import (
    configured_paths,
    require_included_paths,
    tool_file_settings,
)
from treadle.wiring.sandbox_paths import sandbox_paths


def require_valid(settings: Settings, environment: Environment, project: Path) -> None:
    """Raises SettingsError for the first invalid value."""
    parse_entries(settings.sandbox.hosts)
    permission_rules(settings)
    execution_limit(settings)
    require_effect(settings.policy)
    configured_paths(settings)
    require_included_paths(settings)
    tool_file_settings(settings)
    require_free_names(settings.mcp_servers or {})
    sandbox_paths(settings.sandbox, environment, project)


def require_effect(policy: PolicySettings) -> None:
    """Raises SettingsError for a value of the policy that would change nothing."""
    for key, names in (
        ("allow_commands", policy.allow_commands),
        ("allow_pkill_targets", policy.allow_pkill_targets),
    ):
        if names and policy.mode == "light":
            raise SettingsError(
                f'policy.{key} has no effect with policy.mode = "light"',
                hint=f'remove policy.{key}, or set policy.mode = "auto"',
            )
        for name in names:
            if len(name.split()) != 1:
                raise SettingsError(
                    f"policy.{key}: {name!r} is not one name, so nothing matches it",
                    hint="write only the name, without arguments",
                )
    _require_known_names(policy)


def _require_known_names(policy: PolicySettings) -> None:
    for name in policy.profiles:
        if name not in PROFILES:
            raise SettingsError(
                f"policy.profiles: there is no profile {name!r}",
                hint=f"known: {', '.join(PROFILES)}",
            )
    for name in policy.allow_commands:
        if name in NEVER:
            raise SettingsError(
                f"policy.allow_commands: {name!r} has no effect: it runs commands that the "
                "policy cannot read",
                hint='remove it; policy.mode = "auto" runs scripts in the sandbox',
            )
    if any(not pattern.strip() for pattern in policy.ask_before):
        raise SettingsError("policy.ask_before: an empty pattern matches nothing", hint="remove it")


def require_sandbox_for(policy: PolicySettings) -> None:
    """Raises SettingsError if the policy relies on a sandbox; for a run without one."""
    if policy.mode == "light":
        raise SettingsError(
            'policy.mode = "light" relies on the sandbox, which this run does not have',
            hint='set policy.mode = "auto", or leave out --no-sandbox',
        )


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
            f"the model is on {service.cloud}, which the gateway does not support",
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


def execution_limit(settings: Settings) -> ToolLimit | None:
    """The list of `execution.allowed_tools`; raises SettingsError for an entry without effect."""
    servers = (BROWSER, *(settings.mcp_servers or ()))
    toolset = merge_tools(settings.allowed_tools, permission_rules(settings), {})
    known = {*toolset.names, *toolset.builtin, *(f"mcp__{name}" for name in servers)}
    limit = parse_limit(settings.execution.allowed_tools, known)
    if isinstance(limit, InvalidEntry):
        raise SettingsError(
            f"execution.allowed_tools: {limit.entry!r} allows nothing: {limit.problem}",
            hint="correct or remove it; an empty list leaves all tools",
        )
    return limit
