"""Writes ledger entries in order, in a thread of its own, and retries those that failed."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from treadle.domain.errors import StoreError
from treadle.domain.ledger import Ledger, LedgerEntry

T = TypeVar("T")


class LedgerWriter:
    """Keeps streams flowing while the database is busy. Entries that could not be stored are
    retried before every read, so that no budget decision misses them."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="treadle-ledger")
        # By the id of an entry: what is to be stored, or None if it is to be removed.
        self._pending: dict[str, LedgerEntry | None] = {}

    def put(self, entry: LedgerEntry) -> None:
        """Store the entry as soon as the thread is free."""
        self._thread.submit(self._change, entry.id, entry)

    def remove(self, entry_id: str) -> None:
        """Remove the entry as soon as the thread is free."""
        self._thread.submit(self._change, entry_id, None)

    async def store(self, entry: LedgerEntry) -> None:
        """Store the entry before anything else happens; StoreError, and no entry, if that fails."""
        await asyncio.wrap_future(self._thread.submit(self._ledger.put, entry))

    async def query(self, run_query: Callable[[Ledger], T]) -> T:
        """Query the ledger after all earlier entries are stored; StoreError if they are not."""

        def query_after_pending() -> T:
            self._store_pending()
            return run_query(self._ledger)

        return await asyncio.wrap_future(self._thread.submit(query_after_pending))

    def close(self) -> None:
        """Store the pending entries and stop; StoreError if they still cannot be stored."""
        try:
            self._thread.submit(self._store_pending).result()
        finally:
            self._thread.shutdown(wait=True)

    def _change(self, entry_id: str, entry: LedgerEntry | None) -> None:
        self._pending[entry_id] = entry
        try:
            self._store_pending()
        except StoreError:
            return  # kept in `_pending`; the next query retries and reports it

    def _store_pending(self) -> None:
        for entry_id, entry in tuple(self._pending.items()):
            if entry is None:
                self._ledger.remove(entry_id)
            else:
                self._ledger.put(entry)
            del self._pending[entry_id]
