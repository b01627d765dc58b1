"""Checks and their results in words. Loads no events."""

from typing import Literal

from treadle.domain.check import BeforeOutcome, Check, CheckOrigin, Evidence
from treadle.views.duration import duration
from treadle.views.figures import short_commit
from treadle.views.style import Style
from treadle.views.tally_text import AUTHORS

ORIGINS: dict[CheckOrigin, str] = {
    "spec": "from the specification",
    "agent": "by the agent",
    "person": "by a person",
}

BEFORE_OUTCOMES: dict[BeforeOutcome, tuple[str, Style]] = {
    "": ("not seen before the work", "quiet"),
    "failed": ("failed before the work", "quiet"),
    "passed": ("passed before the work, so it proves nothing", "warning"),
}

# What a missing check means for a criterion; `verify.require_checks` decides which holds.
WITHOUT_CHECK_CLAIMED = "it can only be claimed"
WITHOUT_CHECK_REFUSED = "a pass is refused without one"

Mark = Literal["✔", "✘", "!", "-"]


def exit_text(evidence: Evidence) -> str:
    """`exit code 1 after 2s`, or that it ran out of time."""
    took = duration(evidence.duration_s)
    if evidence.exit_code is None:
        return f"out of time after {took}"
    return f"exit code {evidence.exit_code} after {took}"


def short_exit_text(evidence: Evidence) -> str:
    """`exit 1`, for a column of a table."""
    return "no end" if evidence.exit_code is None else f"exit {evidence.exit_code}"


def criterion_result(check: Check | None, evidence: Evidence | None) -> tuple[str, Mark, Style]:
    """What is known about a criterion from its check and that check's last run on the work."""
    if check is None:
        return "no check", "-", "quiet"
    if evidence is None:
        return "its check has not run on the work", "-", "quiet"
    if not evidence.is_green:
        return exit_text(evidence), "✘", "bad"
    where = f"{duration(evidence.duration_s)} at {short_commit(evidence.commit)}"
    if check.is_vacuous:
        return f"{where}, but it passed before the work as well", "!", "warning"
    if check.grade == "proven":
        return f"{where}, proven by {AUTHORS[check.origin]}", "✔", "good"
    return f"{where}, {check.grade}{f': {check.why}' if check.why else ''}", "✔", "good"


def agreement_text(agreeing: int, total: int) -> tuple[str, Style]:
    """How much of the evidence of a run still agrees."""
    return f"{agreeing} of {total} agree", "good" if agreeing == total else "bad"
