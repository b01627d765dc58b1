"""A run left to the workers: said in one line, with how to look at it."""

import asyncio

import click

from treadle.cli.context import Given
from treadle.domain.ids import RunId, short
from treadle.wiring.background import detach
from treadle.wiring.run_request import Presence, RunRequest


def detached(given: Given, request: RunRequest) -> int:
    """Queue the run and return."""
    presence = Presence(given.environment, asyncio.Semaphore(1), rehearsing=given.rehearsing)
    asyncio.run(detach(request, presence))
    say_detached(request.run)
    return 0


def say_detached(run: RunId) -> None:
    """The id on stdout for scripts, the rest for people."""
    click.echo(run)
    click.echo(f"Detached. Follow it with `treadle attach {short(run)}`.", err=True)
