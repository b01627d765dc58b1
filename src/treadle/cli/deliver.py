"""`treadle deliver`: takes SPEC.md to finished, committed work."""

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


@click.command("deliver")
@workflow_options
@click.pass_obj
def command(given: Given, /, **values: Any) -> int:
    """Take SPEC.md to finished, committed work.

    The first session splits the specification into deliverables; every later one starts fresh
    and builds. The work happens in a clone of its own and comes back as a branch; when all is
    done and your checkout has not changed meanwhile, it is fast-forwarded.
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
    )
    if options.detach:
        return detached(given, request)
    return asyncio.run(attended(given, options.showing, partial(run_in_foreground, request)))
