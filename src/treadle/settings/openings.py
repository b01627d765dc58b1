"""Which settings open something, and that those of a file count only where they are trusted. Pure.

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
from treadle.settings.guarding import Sandbox
from treadle.settings.keys import known_keys, toml_value
from treadle.settings.load import Resolved
from treadle.settings.origin import Origin

HINT = "`treadle trust` shows what it opens and lets it"
# What each key opens. A value among `_CLOSED` opens nothing.
OPENS: Mapping[str, str] = {
    "agent.binary": "this program runs as you, outside of any sandbox",
    "sandbox.network": "the agent reaches more of the network than its model",
    "sandbox.hosts": "the agent can send to these hosts whatever it can read",
    "sandbox.readable": "the agent, and what it runs, can read this",
    "sandbox.writable": "the agent, and what it runs, can read and change this",
    "allowed_tools": "the agent can have the model's service search the web for any words",
    "permissions.allow": "the agent can have the model's service search the web for any words",
    "database.url": "this server is told all events, and can answer questions in your name",
}
_NETWORKS = {
    "allowlist": "the agent reaches the hosts of sandbox.hosts besides its model",
    "open": "the agent reaches whatever this machine can, services on its loopback included",
}
_CLOSED: tuple[object, ...] = ("", (), "gateway", "none")
# Of the tools that a list names, those that the model's service runs: no sandbox is around it.
SERVED_TOOLS = frozenset({"WebSearch"})
_TOOL_LISTS = frozenset({"allowed_tools", "permissions.allow"})


@dataclass(frozen=True, slots=True)
class Opening:
    """A value of a file that opens something; of a list of tools, those that do."""

    key: str
    value: Any
    origin: Origin

    @property
    def opens(self) -> str:
        return _NETWORKS[self.value] if self.key == "sandbox.network" else OPENS[self.key]

    @property
    def shown(self) -> str:
        """As TOML, without a password; no character of it can change how the rest looks."""
        hidden = known_keys()[self.key].rule == "address"
        text = toml_value(without_password(self.value) if hidden else self.value)
        return "".join(each if each.isprintable() else f"\\u{ord(each):04x}" for each in text)


def openings(resolved: Resolved) -> tuple[Opening, ...]:
    """What is in force by the word of a file, in the order of `OPENS`."""
    found = (Opening(name, _opening(name, resolved), resolved.origins[name]) for name in OPENS)
    return tuple(each for each in found if each.origin.source == "file" and _is_open(each.value))


def fingerprint(project: Path, opening: Opening) -> str:
    """Stands for this value in this project, and tells nothing of it."""
    said = json.dumps([str(project), opening.key, opening.value])
    return hashlib.sha256(said.encode()).hexdigest()


def untrusted(project: Path, resolved: Resolved, trusted: Collection[str]) -> tuple[Opening, ...]:
    """Openings of which no fingerprint is among the trusted ones."""
    return tuple(each for each in openings(resolved) if fingerprint(project, each) not in trusted)


def require_trusted(project: Path, resolved: Resolved, trusted: Collection[str]) -> None:
    """Raises SettingsError for the first opening that nobody has trusted."""
    for each in untrusted(project, resolved, trusted):
        raise SettingsError(
            f"{each.origin}: {each.key} opens something, and you have not trusted it yet", hint=HINT
        )


def opened(sandbox: Sandbox) -> str:
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


def _opening(name: str, resolved: Resolved) -> Any:
    value = resolved.value(name)
    if name not in _TOOL_LISTS:
        return value
    # A rule opens as much as its tool: the pattern is held against what the agent says it does.
    return tuple(text for text in value if text.strip().partition("(")[0] in SERVED_TOOLS)


def _is_open(value: object) -> bool:
    return value not in _CLOSED
