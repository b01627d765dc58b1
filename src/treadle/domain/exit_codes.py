"""Exit codes of every command and the reasons for which a run ends, with what each one means.

`treadle --help` and docs/reference/exit-codes.md are made from these tables. The numbers and the
names of the reasons never change.
"""

from collections.abc import Mapping
from dataclasses import dataclass

DONE = 0
ERROR = 1
WRONG_USAGE = 2
PERSON_NEEDED = 3
NO_LOGIN = 4
NO_SUCCESS = 5
QUOTA_SPENT = 6
UNGUARDED = 7
INTERRUPTED = 130

MEANINGS: Mapping[int, str] = {
    DONE: "done",
    ERROR: "error: something a person must put right, or a rehearsal that did not fit its script",
    WRONG_USAGE: "wrong usage or settings",
    PERSON_NEEDED: (
        "a person is needed: everything is blocked, tests fail, or the specifications are unclear"
    ),
    NO_LOGIN: "authentication: the agent has no valid login",
    NO_SUCCESS: "ended without success: a limit was reached, retries ran out, or it got nowhere",
    QUOTA_SPENT: "the provider's usage quota is spent",
    UNGUARDED: "the guard did not hold: no sandbox, or an agent that used a tool without asking",
    INTERRUPTED: "interrupted or cancelled",
}


@dataclass(frozen=True, slots=True)
class EndReason:
    """A reason for which a run ends: its exit code, and in one line what happened."""

    exit_code: int
    meaning: str


END_REASONS: Mapping[str, EndReason] = {
    "all_passed": EndReason(DONE, "`deliver`: every deliverable passed; blocked ones are reported"),
    "approved": EndReason(DONE, "`focus`: the review approved the work and the tests agree"),
    "synced": EndReason(DONE, "`sync`: every deliverable was judged anew"),
    "error": EndReason(ERROR, "a failure that would only repeat itself, such as an unknown model"),
    "all_blocked": EndReason(PERSON_NEEDED, "every deliverable is blocked"),
    "spec_issue": EndReason(PERSON_NEEDED, "`focus`: the specifications need a person"),
    "tests_failed": EndReason(PERSON_NEEDED, "the tests do not pass, and nobody accepted that"),
    "authentication": EndReason(NO_LOGIN, "the agent's login is not accepted"),
    "budget_exceeded": EndReason(NO_SUCCESS, "the run's money is spent, or the day's"),
    "time_exceeded": EndReason(NO_SUCCESS, "the run's time is over"),
    "max_iterations": EndReason(NO_SUCCESS, "the run has had its rounds"),
    "max_retries_exceeded": EndReason(NO_SUCCESS, "too many rounds failed in a row"),
    "stuck": EndReason(NO_SUCCESS, "the run gets nowhere"),
    "hung": EndReason(NO_SUCCESS, "sessions hang one after another"),
    "quota_exceeded": EndReason(
        QUOTA_SPENT, "the provider's quota is spent, and the run does not wait for it"
    ),
    "sandbox_error": EndReason(UNGUARDED, "the sandbox could not be set up, or does not hold"),
    "unguarded_tool": EndReason(UNGUARDED, "the agent ran a tool without asking"),
    "interrupted": EndReason(INTERRUPTED, "Ctrl-C, SIGTERM or SIGHUP"),
    "cancelled": EndReason(INTERRUPTED, "`treadle cancel`"),
}


def exit_code(reason: str) -> int:
    """The exit code of a run that ended for this reason."""
    return END_REASONS[reason].exit_code
