"""`treadle deliver`: takes SPEC.md to finished, committed work."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from treadle.cli.context import Given
from treadle.cli.log_readers import Screens, level_of
from treadle.cli.options import WorkflowOptions, workflow_options
from treadle.domain.run import EXIT_CODES
from treadle.wiring.clock import fresh_run_id
from treadle.wiring.deliver import deliver
from treadle.wiring.deliver_request import DeliverRequest


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
    project = given.project(options.project_dir)
    return asyncio.run(run_deliver(given, options, project))


async def run_deliver(given: Given, options: WorkflowOptions, project: Path) -> int:
    screens = Screens(given.environment, level=level_of(options), as_json=options.json)
    request = DeliverRequest(
        run=fresh_run_id(),
        project_dir=project,
        flags=options.flags(),
        no_sandbox=options.no_sandbox,
        rehearsing=given.rehearsing,
        readers=screens.readers,
        ask=screens.ask if sys.stdin.isatty() and sys.stderr.isatty() else None,
    )
    async with screens:
        result = await deliver(request, given.environment)
    return EXIT_CODES[result.reason]
