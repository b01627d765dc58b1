"""A run in the foreground: shown while it works, interrupted by signals, asked at the terminal."""

import asyncio
import sys
from collections.abc import Awaitable, Callable

from treadle.cli.context import Given
from treadle.cli.log_readers import Screens, level_of
from treadle.cli.options import Showing
from treadle.domain.run import EXIT_CODES, RunResult
from treadle.wiring.interrupts import graceful_interrupts
from treadle.wiring.run_request import Presence


async def attended(
    given: Given, showing: Showing, work: Callable[[Presence], Awaitable[RunResult]]
) -> int:
    """See a run through to its end in this process; its exit code."""
    screens = Screens(
        given.environment,
        level=level_of(showing),
        as_json=showing.json,
        advice=given.advice,
    )
    presence = Presence(
        environment=given.environment,
        slots=asyncio.Semaphore(1),
        readers=screens.readers,
        recall=screens.recall,
        ask=screens.ask if sys.stdin.isatty() and sys.stderr.isatty() else None,
        rehearsing=given.rehearsing,
        signals=graceful_interrupts,
    )
    async with screens:
        result = await work(presence)
    return EXIT_CODES[result.reason]
