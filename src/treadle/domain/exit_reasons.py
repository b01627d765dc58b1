"""The reasons for which a run ends, and the exit codes of every command, with what each one means.

`treadle --help` and docs/reference/exit-codes.md are made from these tables. The numbers and the
names of the reasons never change.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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
    ERROR: "error: something you must fix, or a rehearsal that did not match its script",
    WRONG_USAGE: "wrong usage or settings, or a setup that fails before the first session",
    PERSON_NEEDED: (
        "you are needed: everything is blocked, tests fail, the work is not proven, or the"
        " specification is unclear"
    ),
    NO_LOGIN: "authentication: the agent has no valid login",
    NO_SUCCESS: "no success: a limit was reached, retries ran out, or there was no progress",
    QUOTA_SPENT: "the provider's usage quota is spent",
    UNGUARDED: "sandbox or permission check failed",
    INTERRUPTED: "interrupted or cancelled",
}


ExitReason = Literal[
    "interrupted",
    "cancelled",
    "authentication",
    "setup_failed",
    "sandbox_error",
    "unguarded_tool",
    "quota_exceeded",
    "service_unavailable",
    "all_passed",
    "approved",
    "synced",
    "queue_done",
    "audited",
    "planned",
    "all_blocked",
    "spec_issue",
    "plan_denied",
    "tests_failed",
    "unproven",
    "budget_exceeded",
    "time_exceeded",
    "max_iterations",
    "stuck",
    "hung",
    "items_left",
    "max_retries_exceeded",
    "error",
]


@dataclass(frozen=True, slots=True)
class EndReason:
    """A reason for which a run ends: its exit code, its headline, and in one line what happened."""

    exit_code: int
    headline: str
    meaning: str


END_REASONS: Mapping[ExitReason, EndReason] = {
    "all_passed": EndReason(
        DONE,
        "Done: every deliverable passed",
        "`deliver`: every deliverable passed; blocked ones are reported",
    ),
    "approved": EndReason(
        DONE,
        "Done: the review approved the work",
        "`focus`: the review approved the work and the tests agree",
    ),
    "synced": EndReason(
        DONE,
        "Done: every deliverable was checked again",
        "`sync`: every deliverable was checked again",
    ),
    "queue_done": EndReason(
        DONE, "Done: every item of the queue is done", "a queue: every item is done"
    ),
    "audited": EndReason(
        DONE,
        "Done: the code was compared with the specifications",
        "`audit`: the code was compared with the specifications",
    ),
    "planned": EndReason(
        DONE, "Done: the planning session has ended", "`plan`: you ended the session"
    ),
    "error": EndReason(
        ERROR, "Failed", "a failure that a retry would only repeat, such as an unknown model"
    ),
    "setup_failed": EndReason(
        WRONG_USAGE,
        "Stopped: the project's commands do not work here",
        "before the first session, the setup command failed or the test command could not start",
    ),
    "all_blocked": EndReason(
        PERSON_NEEDED, "Stopped: every deliverable is blocked", "every deliverable is blocked"
    ),
    "plan_denied": EndReason(
        PERSON_NEEDED, "Stopped: the plan was denied", "a person denied the plan"
    ),
    "spec_issue": EndReason(
        PERSON_NEEDED,
        "Stopped: the specification needs a person",
        "`focus`: the specifications need a person",
    ),
    "tests_failed": EndReason(
        PERSON_NEEDED,
        "Stopped: the tests do not pass",
        "the tests do not pass, and nobody accepted that",
    ),
    "unproven": EndReason(
        PERSON_NEEDED,
        "Stopped: the work is not proven enough",
        "the work does not reach the grade of `verify.require`, or nothing was done",
    ),
    "authentication": EndReason(
        NO_LOGIN, "Stopped: the agent has no valid login", "the agent's login is not accepted"
    ),
    "budget_exceeded": EndReason(
        NO_SUCCESS, "Stopped at the cost limit", "the run or the day has reached its cost limit"
    ),
    "time_exceeded": EndReason(
        NO_SUCCESS, "Stopped at the time limit", "the run has reached its time limit"
    ),
    "max_iterations": EndReason(
        NO_SUCCESS, "Stopped at the limit of rounds", "the run has reached its limit of rounds"
    ),
    "max_retries_exceeded": EndReason(
        NO_SUCCESS, "Gave up: too many rounds failed in a row", "too many rounds failed in a row"
    ),
    "stuck": EndReason(NO_SUCCESS, "Stopped: no progress", "several rounds made no progress"),
    "hung": EndReason(
        NO_SUCCESS, "Stopped: sessions kept hanging", "several sessions in a row hung"
    ),
    "items_left": EndReason(
        NO_SUCCESS,
        "Stopped: some items are not done",
        "a queue: some items did not succeed, or wait for a person",
    ),
    "quota_exceeded": EndReason(
        QUOTA_SPENT,
        "Stopped: the provider's usage quota is spent",
        "the provider's quota is spent, and the run does not wait for it",
    ),
    "service_unavailable": EndReason(
        NO_SUCCESS,
        "Stopped: the model service does not answer",
        "the model service failed for longer than `limits.outage_hours`",
    ),
    "sandbox_error": EndReason(
        UNGUARDED,
        "Stopped: the sandbox failed its check",
        "the sandbox could not be set up, or failed its check",
    ),
    "unguarded_tool": EndReason(
        UNGUARDED,
        "Stopped: the agent used a tool without asking",
        "the agent ran a tool without asking",
    ),
    "interrupted": EndReason(INTERRUPTED, "Interrupted", "Ctrl-C, SIGTERM or SIGHUP"),
    "cancelled": EndReason(INTERRUPTED, "Cancelled", "`treadle cancel`"),
}


def exit_code(reason: ExitReason) -> int:
    """The exit code of a run that ended for this reason."""
    return END_REASONS[reason].exit_code
