"""Waits until killed processes can no longer act, which is before the kernel removes them.

The kernel takes tens of milliseconds to free an agent's memory, and the agent's code does not run
meanwhile. Asynchronous writes could still happen, but a sandbox refuses the calls to request them.
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

# PF_EXITING of the kernel's headers: the thread is ending and runs no code of its program.
EXITING = 0x4
_GONE = (FileNotFoundError, ProcessLookupError)


def can_act(pid: int) -> bool:
    """Whether any thread of a process may still run code of its own."""
    try:
        threads = _list_threads(pid)
        # Listed twice, because a thread may have started another one meanwhile.
        return (
            any(_is_running(pid, thread) for thread in threads) or not _list_threads(pid) <= threads
        )
    except OSError:
        return True  # a thread exists and cannot be inspected


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
    """Wait until neither these processes nor any other of their family can act; False if that does
    not happen in time.

    A process that cannot act starts no other. So if no known process can act and the family holds
    no further one, the family is complete.
    """
    slow = int(within_s / SLOW_POLL_S)
    for pause in chain((0.0,), POLLS_S, repeat(SLOW_POLL_S, slow)):
        await asyncio.sleep(pause)
        if any(can_act(pid) for pid in known):
            if pause >= SLOW_POLL_S:
                # Some may not belong to the family. In a thread: the event loop must not wait.
                known = await asyncio.to_thread(family)
            continue
        current = family()
        if current <= known:
            return True
        known = current
    return False


async def wait_until_sandbox_inactive(
    first: InitProcess | None, known: frozenset[int] = frozenset(), *, within_s: float
) -> bool:
    """Wait until no process in a sandbox can act; False if that does not happen in time. `known`
    are processes that were found in it before it was killed."""
    if first is None:
        return True
    return await wait_until_inactive(
        known | {first.pid}, lambda: processes_inside(first), within_s=within_s
    )


def processes_inside(first: InitProcess) -> frozenset[int]:
    """All processes in a sandbox; none once its first process has ended."""
    return frozenset() if has_ended(first) else process_family(first.pid)


def process_family(pid: int) -> frozenset[int]:
    """A process and its descendants, also those of which only some threads are left.

    A process whose parent ended during the search may be a descendant, and counts as one.
    """
    parents = {}
    for name in os.listdir(PROC):  # noqa: PTH208
        if name.isdigit() and (fields := all_stat_fields(f"{PROC}/{name}")):
            parents[int(name)] = int(fields[1])
    orphans = {child for child, parent in parents.items() if parent and parent not in parents}
    roots = frozenset({pid, *orphans})
    return roots | descendants(parents, roots)


def descendants(parents: Mapping[int, int], roots: Collection[int]) -> frozenset[int]:
    """All descendants of some processes, given the parent of each."""
    found: set[int] = set()
    level = set(roots)
    while level := {child for child, parent in parents.items() if parent in level} - found:
        found |= level
    return frozenset(found)
