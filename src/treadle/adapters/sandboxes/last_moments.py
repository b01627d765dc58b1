"""Processes that were killed: from when on they can do nothing, before they are cleared away.

The kernel frees an agent's memory for tens of milliseconds, in which none of its code runs. Writes
that it had asked the kernel to make by itself could still come; a sandbox has no such calls.
"""

import asyncio
import os
from collections.abc import Callable
from itertools import chain, repeat

from treadle.adapters.sandboxes.first_process import (
    POLLS_S,
    PROC,
    SLOW_POLL_S,
    First,
    all_stat_fields,
    is_gone,
    stat_fields,
)

# A flag of a thread, as the kernel's headers have it for good: it is ending, and runs no program.
EXITING = 0x4


def can_act(pid: int) -> bool:
    """Whether any thread of a process may still run code of its own."""
    threads = _threads(pid)
    if any(_runs(f"{PROC}/{pid}/task/{thread}") for thread in threads):
        return True
    # One of them may have started another since they were listed.
    return not _threads(pid) <= threads


def _threads(pid: int) -> set[str]:
    try:
        return set(os.listdir(f"{PROC}/{pid}/task"))  # noqa: PTH208
    except (FileNotFoundError, ProcessLookupError):
        return set()


def _runs(entry: str) -> bool:
    fields = stat_fields(entry)
    return bool(fields) and not int(fields[6]) & EXITING


async def can_act_no_more(
    known: frozenset[int],
    family: Callable[[], frozenset[int]] = frozenset,
    *,
    within_s: float,
) -> bool:
    """Wait until none of these processes can act, nor any other of their family; False if that
    does not come.

    Who cannot act starts no process: one that is there then, and is not known, is older.
    """
    slow = int(within_s / SLOW_POLL_S)
    for pause in chain((0.0,), POLLS_S, repeat(SLOW_POLL_S, slow)):
        await asyncio.sleep(pause)
        if any(can_act(pid) for pid in known):
            continue
        seen = await asyncio.to_thread(family)
        if seen <= known:
            return True
        known |= seen
    return False


async def is_over(first: First | None, *, within_s: float) -> bool:
    """Wait until nothing in a sandbox can act; False if that does not come."""
    if first is None:
        return True
    pid = first.pid
    ended = await can_act_no_more(frozenset((pid,)), lambda: family_of(pid), within_s=within_s)
    # Somebody else may have its number by now, or it cannot be looked at.
    return ended or await is_gone(first, within_s=0.0)


def family_of(pid: int) -> frozenset[int]:
    """A process with all below it, also those that have ended but for some of their threads."""
    parents = {}
    for name in os.listdir(PROC):  # noqa: PTH208
        if name.isdigit() and (fields := all_stat_fields(f"{PROC}/{name}")):
            parents[int(name)] = int(fields[1])
    family, level = {pid}, {pid}
    while level := {child for child, parent in parents.items() if parent in level} - family:
        family |= level
    return frozenset(family)
