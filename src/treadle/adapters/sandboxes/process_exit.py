"""Waits until killed processes can no longer act, which is before the kernel removes them.

The kernel frees an agent's memory for tens of milliseconds, in which none of its code runs. Writes
that it had asked the kernel to make by itself could still come; a sandbox has no such calls.
"""

import asyncio
import os
from collections.abc import Callable, Collection, Mapping
from itertools import chain, repeat

from treadle.adapters.sandboxes.init_process import (
    POLLS_S,
    PROC,
    SLOW_POLL_S,
    ZOMBIE,
    InitProcess,
    all_stat_fields,
    has_ended,
    read_stat,
)

# A flag of a thread, as the kernel's headers have it for good: it is ending, and runs no program.
EXITING = 0x4
_GONE = (FileNotFoundError, ProcessLookupError)


def can_act(pid: int) -> bool:
    """Whether any thread of a process may still run code of its own."""
    try:
        threads = _list_threads(pid)
        # Listed twice: one of them may have started another meanwhile.
        return (
            any(_is_running(pid, thread) for thread in threads) or not _list_threads(pid) <= threads
        )
    except OSError:
        return True  # there is something that cannot be looked at


def _list_threads(pid: int) -> set[str]:
    try:
        return set(os.listdir(f"{PROC}/{pid}/task"))  # noqa: PTH208
    except _GONE:
        return set()


def _is_running(pid: int, thread: str) -> bool:
    try:
        fields = read_stat(f"{PROC}/{pid}/task/{thread}")
    except _GONE:
        return False
    return fields[0] != ZOMBIE and not int(fields[6]) & EXITING


async def wait_until_inactive(
    known: frozenset[int],
    family: Callable[[], frozenset[int]] = frozenset,
    *,
    within_s: float,
) -> bool:
    """Wait until neither these processes can act nor any other of their family; False if that does
    not come.

    Who cannot act starts no process. So once all that are known cannot, a look that finds nobody
    else has found everybody.
    """
    slow = int(within_s / SLOW_POLL_S)
    for pause in chain((0.0,), POLLS_S, repeat(SLOW_POLL_S, slow)):
        await asyncio.sleep(pause)
        if any(can_act(pid) for pid in known):
            if pause >= SLOW_POLL_S:
                # Not all of them need belong to it. Where this lasts, nobody is held up by it.
                known = await asyncio.to_thread(family)
            continue
        seen = family()
        if seen <= known:
            return True
        known = seen
    return False


async def wait_until_sandbox_inactive(
    first: InitProcess | None, known: frozenset[int] = frozenset(), *, within_s: float
) -> bool:
    """Wait until nothing in a sandbox can act; False if that does not come. `known` are those who
    were seen in it before it was ended."""
    if first is None:
        return True
    return await wait_until_inactive(
        known | {first.pid}, lambda: processes_inside(first), within_s=within_s
    )


def processes_inside(first: InitProcess) -> frozenset[int]:
    """Everybody in a sandbox; once its first process has ended nobody is."""
    return frozenset() if has_ended(first) else process_family(first.pid)


def process_family(pid: int) -> frozenset[int]:
    """A process with all below it, also those that have ended but for some of their threads.

    Whoever lost a parent while we looked may be one of them, and counts.
    """
    parents = {}
    for name in os.listdir(PROC):  # noqa: PTH208
        if name.isdigit() and (fields := all_stat_fields(f"{PROC}/{name}")):
            parents[int(name)] = int(fields[1])
    lost = {child for child, parent in parents.items() if parent and parent not in parents}
    roots = frozenset({pid, *lost})
    return roots | descendants(parents, roots)


def descendants(parents: Mapping[int, int], roots: Collection[int]) -> frozenset[int]:
    """All descendants of some processes, given the parent of each."""
    found: set[int] = set()
    level = set(roots)
    while level := {child for child, parent in parents.items() if parent in level} - found:
        found |= level
    return frozenset(found)
