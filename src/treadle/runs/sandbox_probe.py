"""Tries the sandbox of a run out before the run depends on it."""

from pathlib import Path
from tempfile import TemporaryDirectory

from treadle.domain.errors import SandboxBroken
from treadle.domain.sandbox import ProbePassed, Sandbox, SandboxFailed
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.sandbox import choose_sandbox
from treadle.wiring.search_path import without_project


async def probe_sandbox(sandbox: Sandbox | None) -> ProbePassed:
    """Try the sandbox out; what it cannot do on this machine. One that leaks raises."""
    if sandbox is None:
        return ProbePassed()  # a person gave it up, and knows that nothing is kept apart then
    match await sandbox.probe():
        case ProbePassed() as passed:
            return passed
        case SandboxFailed(message=message, hint=hint):
            raise SandboxBroken(message, hint=hint or "run `treadle doctor`")


async def probe_before(checked: CheckedRequest) -> None:
    """Try the sandbox of a run out that others are to work on: whoever asks for it hears at once
    what it would end with."""
    if checked.unconfined:
        return
    on_host = without_project(checked.environment, checked.project.root)
    with TemporaryDirectory(prefix="treadle-probe-") as folder:
        await probe_sandbox(choose_sandbox(on_host, reports=Path(folder), wanted=True))
