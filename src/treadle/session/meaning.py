"""What a fault means for the run: quota first by what it says, then by its class."""

from datetime import datetime

from treadle.domain.agent import Fault
from treadle.domain.session import Crashed, ExecutionError, Outcome, QuotaExceeded
from treadle.session.errors import diagnose
from treadle.session.quota import find_quota


def outcome_of(fault: Fault, now: datetime) -> Outcome:
    """The outcome of a session that ended in this fault, with what to do about it in its words."""
    if quota := find_quota(fault.message, now):
        return QuotaExceeded(fault.message, quota.resets_at)
    meant = diagnose(fault)
    if fault.exit_code is not None and meant.error_class == "retryable":
        return Crashed(fault.message, fault.exit_code)
    message = f"{fault.message} ({meant.hint})" if meant.hint else fault.message
    return ExecutionError(message, meant.error_class)
