"""What a fault of an agent can mean for the next session, and how its meaning is found."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.domain.session import ErrorClass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What a fault means."""

    error_class: ErrorClass
    # What a person should do; empty if a retry may succeed.
    hint: str = ""
    # Whether the model service failed, rather than the request.
    of_service: bool = False


RETRY = Diagnosis("retryable")
OUTAGE = Diagnosis("retryable", of_service=True)
RATE_LIMITED = Diagnosis("rate_limited", of_service=True)
ACCOUNT_BLOCKED = Diagnosis(
    "authentication", "Ask the account's administrator for access, then retry."
)
NO_CREDIT = Diagnosis("fatal", "Add credit to the account or use another one, then start again.")
MODEL_UNAVAILABLE = Diagnosis(
    "fatal", "Choose a model your account may use: --model, or treadle.toml."
)
REQUEST_REFUSED = Diagnosis(
    "fatal", "The model service refuses this request; the message says why."
)
DISK_FULL = Diagnosis("fatal", "Free some disk space, then start again.")
SCRIPT_FAILED = Diagnosis("fatal", "Fix the rehearsal script, or what the run did with it.")
BUDGET_SPENT = Diagnosis("fatal", "Raise the session's budget in treadle.toml, then start again.")

# Matches no text.
NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class FaultTable:
    """The names and messages of an agent's errors, and the diagnosis of each."""

    # The agent's own names, most specific first.
    by_reason: Mapping[str, Diagnosis] = field(default_factory=dict)
    by_error: Mapping[str, Diagnosis] = field(default_factory=dict)
    by_subtype: Mapping[str, Diagnosis] = field(default_factory=dict)
    by_message: tuple[tuple[re.Pattern[str], Diagnosis], ...] = ()
    # The service does not accept the login; the program does not start.
    login: Diagnosis = Diagnosis("authentication")
    install: Diagnosis = Diagnosis("fatal")
    unusable_program: re.Pattern[str] = NEVER
    # Finds the status of a response in a message, as its first group.
    status_in_message: re.Pattern[str] = NEVER
    # Regular expressions of the sentences that report a reached quota, in lower case.
    quota_sentences: tuple[str, ...] = ()
    # The same for usage that no reset brings back.
    lasting_quota_sentences: tuple[str, ...] = ()
