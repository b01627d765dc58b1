"""Who is alive among the workers of several machines: a row each, renewed while they are.

For a PostgreSQL server that machines share. On one machine a lock file tells it without a clock.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from treadle.domain.ports import Clock
from treadle.durable.connections import open_pool, translate_errors
from treadle.durable.names import SCHEMA

LEASE_S = 30.0
# So often it is renewed before it would run out.
_RENEWALS = 3

# The lock: two that make a table at the same moment get in each other's way.
_MAKE = """
SELECT pg_advisory_xact_lock(7301);
CREATE TABLE IF NOT EXISTS treadle_leases (executor text PRIMARY KEY, runs_out timestamptz NOT NULL)
"""
# All times are the server's: the clocks of the machines may differ.
_TAKE = """
INSERT INTO treadle_leases VALUES (:executor, clock_timestamp() + make_interval(secs => :seconds))
ON CONFLICT (executor) DO UPDATE SET runs_out = excluded.runs_out
"""
_RENEW = """
UPDATE treadle_leases SET runs_out = clock_timestamp() + make_interval(secs => :seconds)
WHERE executor = :executor AND runs_out > clock_timestamp()
"""
_GIVE_UP = "DELETE FROM treadle_leases WHERE executor = :executor"
_TAKE_OVER = f"""
UPDATE {SCHEMA}.workflow_status
SET status = 'ENQUEUED', queue_name = :queue, owner_xid = NULL, started_at_epoch_ms = NULL
WHERE status = 'PENDING' AND NOT EXISTS (
  SELECT FROM treadle_leases WHERE executor = executor_id AND runs_out > clock_timestamp()
)
RETURNING workflow_uuid
"""  # noqa: S608  # the name is a constant of ours


@asynccontextmanager
async def held_lease(
    location: str,
    executor: str,
    *,
    clock: Clock,
    on_lost: Callable[[], None],
    seconds: float = LEASE_S,
) -> AsyncIterator[None]:
    """Say that `executor` is alive. `on_lost` is called when that can be said no more.

    From then on others may go on with its work, so it must end its agents at once.
    """
    with open_pool(location) as pool:
        with translate_errors(location):
            await asyncio.to_thread(_run, pool, _MAKE)
            await asyncio.to_thread(_run, pool, _TAKE, executor=executor, seconds=seconds)
        keeping = asyncio.create_task(_keep(pool, executor, clock, seconds))
        keeping.add_done_callback(lambda kept: None if kept.cancelled() else on_lost())
        try:
            yield
        finally:
            keeping.cancel()
            await asyncio.wait([keeping])
            # Otherwise it runs out by itself.
            with suppress(SQLAlchemyError):
                await asyncio.to_thread(_run, pool, _GIVE_UP, executor=executor)


def take_over(location: str, *, queue: str) -> Sequence[str]:
    """Put on `queue` all that is told by executors without a lease; the workflows this was.

    Everybody who tells stories on this server must hold one, foreground runs too. Safe to repeat
    and to do from several machines at once: a workflow is taken over by one of them.
    """
    with translate_errors(location), open_pool(location) as pool:
        _run(pool, _MAKE)
        with pool.begin() as connection:
            taken = connection.execute(sa.text(_TAKE_OVER), {"queue": queue})
            return sorted(taken.scalars())


async def _keep(pool: sa.Engine, executor: str, clock: Clock, seconds: float) -> None:
    """Renew it until it has run out, as far as we know or as the server says."""
    pause = seconds / _RENEWALS
    renewed = clock.monotonic()
    while clock.monotonic() - renewed < seconds:
        await clock.sleep(pause)
        asked = clock.monotonic()
        renewing = asyncio.to_thread(_run, pool, _RENEW, executor=executor, seconds=seconds)
        with suppress(SQLAlchemyError, TimeoutError):
            if not await asyncio.wait_for(renewing, pause):
                return
            renewed = asked


def _run(pool: sa.Engine, statement: str, **values: str | float) -> int:
    with pool.begin() as connection:
        return connection.execute(sa.text(statement), values).rowcount
