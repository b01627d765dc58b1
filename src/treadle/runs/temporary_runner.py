"""A runner of checks for commands of Treadle that belong to no active run."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager

from treadle.policy.redaction import make_redactor
from treadle.runs.credentials import run_secrets
from treadle.wiring.check_runner import check_runner
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.project_commands import ProjectCommandContext
from treadle.wiring.sandbox import choose_sandbox
from treadle.wiring.search_path import without_project
from treadle.workflows.loop.sandboxed_check_runner import SandboxedCheckRunner
from treadle.workspace.disk import remove
from treadle.workspace.temporary_folders import make_locked_folder, remove_abandoned

FOLDER, PREFIX = "verifying", "v-"


@contextmanager
def temporary_runner(checked: CheckedRequest, *, own_commit: str) -> Iterator[SandboxedCheckRunner]:
    """A runner in a temporary folder, apart from the run's own; see `check_runner`."""
    parent = checked.environment.root / FOLDER
    parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    remove_abandoned(parent, PREFIX)
    directory, lock = make_locked_folder(parent, PREFIX)
    try:
        on_host = without_project(checked.environment, checked.project.root)
        sandbox = choose_sandbox(on_host, reports=directory, wanted=True)
        context = ProjectCommandContext(
            checked,
            None if checked.unconfined else sandbox,
            asyncio.Event(),
            make_redactor(run_secrets(checked)),
            lambda asked: None,
            # Not the run's mark, because the run may continue meanwhile.
            mark=directory.name,
        )
        yield check_runner(context, directory, own_commit=own_commit)
    finally:
        remove(directory)
        os.close(lock)
