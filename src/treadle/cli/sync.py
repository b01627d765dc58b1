"""`treadle sync`: judges the deliverables anew, against the code and the specification."""

import asyncio
from functools import partial
from typing import Any

import click

from treadle.cli.attending import attended
from treadle.cli.context import Given
from treadle.cli.detaching import detached
from treadle.cli.options import WorkflowOptions, workflow_options
from treadle.wiring.clock import fresh_run_id
from treadle.wiring.foreground import run_in_foreground
from treadle.wiring.run_request import RunRequest


@click.command("sync")
@workflow_options
@click.pass_obj
def command(given: Given, /, **values: Any) -> int:
    """Judge the deliverables anew, against the code and the specification.

    All checks are run again, then a session that can change no file examines what was claimed,
    sets statuses, writes the notes and proposes what is missing. Your files stay as they are.
    """
    options = WorkflowOptions(**values)
    given, project = given.in_project(options.project_dir), given.project(options.project_dir)
    request = RunRequest(
        run=fresh_run_id(),
        project_dir=str(project),
        flags=options.flags(),
        no_sandbox=options.no_sandbox,
        rehearsal=given.rehearsing is not None,
        allow_destructive=options.allow_destructive,
        workflow="sync",
    )
    if options.detach:
        return detached(given, request)
    return asyncio.run(attended(given, options.showing, partial(run_in_foreground, request)))
