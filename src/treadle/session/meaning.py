"""What a fault means for the run: quota first by what it says, then by its class."""

from datetime import datetime

from treadle.domain.agent import SANDBOX_FAULT, Fault
from treadle.domain.session import Crashed, ExecutionError, Outcome, QuotaExceeded, SandboxError
from treadle.session.errors import diagnose
from treadle.session.quota import find_quota


def outcome_of(fault: Fault, now: datetime) -> Outcome:
    """The outcome of a session that ended in this fault, with what to do about it in its words."""
    if fault.subtype == SANDBOX_FAULT:
        return SandboxError(fault.message)
    if quota := find_quota(fault.message, now):
        return QuotaExceeded(fault.message, quota.resets_at)
    meant = diagnose(fault)
    if _died(fault) and meant.error_class == "retryable":
        return Crashed(fault.message, fault.exit_code)
    message = f"{fault.message} ({meant.hint})" if meant.hint else fault.message
    return ExecutionError(message, meant.error_class, of_service=meant.of_service)


def _died(fault: Fault) -> bool:
    """Whether the process is all there is to blame: the last words of one that died may be a
    tool's, and tell nothing of the model service."""
    return fault.exit_code is not None and fault.api_status is None
