"""A run as the options of a workflow command ask for it: in the foreground, or for the workers."""

import asyncio
from functools import partial

from treadle.cli.attending import attended
from treadle.cli.context import Given
from treadle.cli.detaching import detached
from treadle.cli.options import WorkflowOptions
from treadle.domain.run import Workflow
from treadle.wiring.clock import fresh_run_id
from treadle.wiring.foreground import run_in_foreground
from treadle.wiring.run_request import RunRequest


def begin(
    given: Given,
    options: WorkflowOptions,
    workflow: Workflow,
    *,
    words: str = "",
    review: str = "",
) -> int:
    """The exit code of the run; of a detached one, whether it could be left to the workers."""
    given, project = given.in_project(options.project_dir), given.project(options.project_dir)
    request = RunRequest(
        run=fresh_run_id(),
        project_dir=str(project),
        flags=options.flags(),
        no_sandbox=options.no_sandbox,
        rehearsal=given.rehearsing is not None,
        allow_destructive=options.allow_destructive,
        workflow=workflow,
        words=words,
        review=review,
    )
    if options.detach:
        return detached(given, request)
    return asyncio.run(attended(given, options.showing, partial(run_in_foreground, request)))
