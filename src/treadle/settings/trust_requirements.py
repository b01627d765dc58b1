"""Settings of a file that count only once a person has trusted them. Pure.

A `treadle.toml` comes with a repository, so a stranger may have written it. What a person says by
flag or variable is their own word, and asked after nowhere.
"""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treadle.domain.errors import SettingsError
from treadle.domain.storage import without_password
from treadle.settings.definitions import SandboxSettings
from treadle.settings.keys import known_keys, toml_value
from treadle.settings.load import ResolvedSettings
from treadle.settings.origin import ValueOrigin

HINT = "`treadle trust` shows what it opens and lets it"
# What each key opens. A value among `_CLOSED` opens nothing.
EFFECTS: Mapping[str, str] = {
    "agent.binary": "this program runs as you, outside of any sandbox",
    "sandbox.network": "the agent reaches more of the network than its model",
    "sandbox.hosts": "the agent can send to these hosts whatever it can read",
    "sandbox.readable": "the agent, and what it runs, can read this",
    "sandbox.writable": "the agent, and what it runs, can read and change this",
    "allowed_tools": "the agent can have the model's service search the web for any words",
    "permissions.allow": "the agent can have the model's service search the web for any words",
    "database.url": "this server is told all events, and can answer questions in your name",
}
_NETWORK_EFFECTS = {
    "allowlist": "the agent reaches the hosts of sandbox.hosts besides its model",
    "open": "the agent reaches whatever this machine can, services on its loopback included",
}
_HARMLESS: tuple[object, ...] = ("", (), "gateway", "none")
# Of the tools that a list names, those that the model's service runs: no sandbox is around it.
SERVED_TOOLS = frozenset({"WebSearch"})
_TOOL_LISTS = frozenset({"allowed_tools", "permissions.allow"})


@dataclass(frozen=True, slots=True)
class TrustRequirement:
    """A value of a file that opens something; of a list of tools, those that do."""

    key: str
    value: Any
    origin: ValueOrigin

    @property
    def effect(self) -> str:
        return _NETWORK_EFFECTS[self.value] if self.key == "sandbox.network" else EFFECTS[self.key]

    @property
    def text(self) -> str:
        """As TOML, without a password; no character of it can change how the rest looks."""
        hidden = known_keys()[self.key].rule == "address"
        text = toml_value(without_password(self.value) if hidden else self.value)
        return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)


def find_trust_requirements(resolved: ResolvedSettings) -> tuple[TrustRequirement, ...]:
    """What is in force by the word of a file, in the order of `OPENS`."""
    found = (
        TrustRequirement(name, _relevant_value(name, resolved), resolved.origins[name])
        for name in EFFECTS
    )
    return tuple(
        each for each in found if each.origin.source == "file" and _needs_trust(each.value)
    )


def fingerprint(project: Path, opening: TrustRequirement) -> str:
    """Stands for this value in this project, and tells nothing of it."""
    said = json.dumps([str(project), opening.key, opening.value])
    return hashlib.sha256(said.encode()).hexdigest()


def find_untrusted(
    project: Path, resolved: ResolvedSettings, trusted: Collection[str]
) -> tuple[TrustRequirement, ...]:
    """Openings of which no fingerprint is among the trusted ones."""
    return tuple(
        each
        for each in find_trust_requirements(resolved)
        if fingerprint(project, each) not in trusted
    )


def require_trusted(project: Path, resolved: ResolvedSettings, trusted: Collection[str]) -> None:
    """Raises SettingsError for the first opening that nobody has trusted."""
    for each in find_untrusted(project, resolved, trusted):
        raise SettingsError(
            f"{each.origin}: {each.key} opens something, and you have not trusted it yet", hint=HINT
        )


def sandbox_notice(sandbox: SandboxSettings) -> str:
    """What a run says of its sandbox, whoever opened it; empty if nobody did."""
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
    said = "; ".join(part for part in parts if part)
    return f"the sandbox is opened: {said}" if said else ""


def _relevant_value(name: str, resolved: ResolvedSettings) -> Any:
    value = resolved.value(name)
    if name not in _TOOL_LISTS:
        return value
    # A rule opens as much as its tool: the pattern is held against what the agent says it does.
    return tuple(text for text in value if text.strip().partition("(")[0] in SERVED_TOOLS)


def _needs_trust(value: object) -> bool:
    return value not in _HARMLESS
