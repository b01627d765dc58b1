"""Signals that an agent gives about its work, and which role may give which."""

from dataclasses import dataclass
from typing import Literal, get_args

Role = Literal[
    "planner", "implementer", "reviewer", "auditor", "manager", "initializer", "verifier"
]

SignalKind = Literal[
    "note",
    "spec_issue",
    "plan_complete",
    "progress",
    "done",
    "approved",
    "request_changes",
    "to_be_discussed",
    "auto_complete",
]
SIGNAL_KINDS: tuple[SignalKind, ...] = get_args(SignalKind)

# These end the session.
TERMINAL_SIGNALS: frozenset[SignalKind] = frozenset(
    {"spec_issue", "plan_complete", "progress", "done", "approved", "request_changes"}
)

ACCEPTED_SIGNALS: dict[Role, frozenset[SignalKind]] = {
    "planner": frozenset({"spec_issue", "plan_complete"}),
    "implementer": frozenset({"note", "spec_issue", "progress", "done", "auto_complete"}),
    "reviewer": frozenset({"spec_issue", "approved", "request_changes"}),
    "auditor": frozenset({"to_be_discussed"}),
    "manager": frozenset(),
    "initializer": frozenset({"note", "spec_issue", "done"}),
    "verifier": frozenset({"note"}),
}


@dataclass(frozen=True, slots=True)
class Signal:
    kind: SignalKind
    text: str
