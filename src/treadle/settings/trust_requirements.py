"""Settings of a file that count only once a person has trusted them. Pure.

A stranger may have written the `treadle.toml` of a repository. Flags and variables come from the
user and need no trust.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treadle.domain.errors import SettingsError
from treadle.domain.storage import without_password
from treadle.settings.keys import known_keys, toml_value
from treadle.settings.load import ResolvedSettings
from treadle.settings.origin import ValueOrigin
from treadle.settings.sandbox_definitions import SandboxSettings

HINT = "review and accept it with `treadle trust`"
# What a value of each key allows, unless it is one of `_HARMLESS`.
EFFECTS: Mapping[str, str] = {
    "agent.binary": "this program runs as you, outside the sandbox",
    "sandbox.network": "the agent can reach more than its model",
    "sandbox.hosts": "the agent can send anything that it can read to these hosts",
    "sandbox.readable": "the agent, and what it runs, can read this",
    "sandbox.writable": "the agent, and what it runs, can read and change this",
    "workspace.include": "setup, checks and tests, which an agent writes, can read these files",
    "workspace.include_for_agent": "the agent, and what it runs, can read these files",
    "allowed_tools": "the agent can search the web through the model's service",
    "permissions.allow": "the agent can search the web through the model's service",
    "gateway.allow": "requests may have costs that Treadle does not count",
    "land_name": "files that your tools run by themselves can land",
    "database.url": "this server receives all events and can answer questions in your name",
}
_NETWORK_EFFECTS = {
    "allowlist": "the agent can reach the hosts of sandbox.hosts",
    "open": "the agent reaches whatever this machine can, services on its loopback included",
}
# The kind of agent whose binary is a program; trust of before there were others is in it.
_FIRST_KIND = "claude"
_HARMLESS: tuple[object, ...] = ("", (), "gateway", "none")
# Tools that the model's service runs, outside of the sandbox.
SERVED_TOOLS = frozenset({"WebSearch"})
_TOOL_LISTS = frozenset({"allowed_tools", "permissions.allow"})


@dataclass(frozen=True, slots=True)
class TrustRequirement:
    """A value of a file that needs trust; of a list of tools, only those that need it."""

    key: str
    value: Any
    origin: ValueOrigin
    # Of `agent.binary`: what the file is read as.
    agent_kind: str = _FIRST_KIND

    @property
    def effect(self) -> str:
        if self.key == "agent.binary" and self.agent_kind != _FIRST_KIND:
            return "this file replaces the agent: it decides what a run writes"
        return _NETWORK_EFFECTS[self.value] if self.key == "sandbox.network" else EFFECTS[self.key]

    @property
    def text(self) -> str:
        """The value as TOML, without a password and without control characters."""
        hidden = known_keys()[self.key].rule == "database_url"
        text = toml_value(without_password(self.value) if hidden else self.value)
        return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)


def find_trust_requirements(resolved: ResolvedSettings) -> tuple[TrustRequirement, ...]:
    """The values in force that come from a file and need trust, in the order of `EFFECTS`."""
    candidates = (
        TrustRequirement(
            name,
            _relevant_value(name, resolved),
            resolved.origins[name],
            resolved.settings.agent.kind,
        )
        for name in EFFECTS
    )
    return tuple(
        each for each in candidates if each.origin.source == "file" and _needs_trust(each.value)
    )


def fingerprint(project: Path, requirement: TrustRequirement) -> str:
    """Identifies this value in this project without revealing it."""
    parts: list[object] = [str(project), requirement.key, requirement.value]
    if requirement.key == "agent.binary" and requirement.agent_kind != _FIRST_KIND:
        # Trust in a recording is none in a program of the same name.
        parts.append(requirement.agent_kind)
    text = json.dumps(parts)
    return hashlib.sha256(text.encode()).hexdigest()


def find_untrusted(
    project: Path, resolved: ResolvedSettings, trusted: Collection[str]
) -> tuple[TrustRequirement, ...]:
    """Requirements whose fingerprint is not among the trusted ones."""
    return tuple(
        each
        for each in find_trust_requirements(resolved)
        if fingerprint(project, each) not in trusted
    )


def require_trusted(project: Path, resolved: ResolvedSettings, trusted: Collection[str]) -> None:
    """Raises SettingsError for the first value that nobody has trusted."""
    for each in find_untrusted(project, resolved, trusted):
        raise SettingsError(f"{each.origin}: {each.key} needs your approval", hint=HINT)


def sandbox_notice(sandbox: SandboxSettings) -> str:
    """The notice of a run whose sandbox is opened, by whatever source; else empty."""
    network = ""
    if sandbox.network == "allowlist":
        network = f"network to {', '.join(sandbox.hosts)}" if sandbox.hosts else ""
    elif sandbox.network == "open":
        network = "network open"
    parts = [
        network,
        *(f"readable {path}" for path in sandbox.readable),
        *(f"writable {path}" for path in sandbox.writable),
    ]
    text = "; ".join(part for part in parts if part)
    return f"the sandbox is opened: {text}" if text else ""


def _relevant_value(name: str, resolved: ResolvedSettings) -> Any:
    value = resolved.value(name)
    if name not in _TOOL_LISTS:
        return value
    # The pattern of a rule narrows nothing: it is matched against what the agent claims to do.
    return tuple(text for text in value if text.strip().partition("(")[0] in SERVED_TOOLS)


def _needs_trust(value: object) -> bool:
    return value not in _HARMLESS
