"""Writes ledger entries in order, in a thread of its own, and retries those that failed."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from treadle.domain.errors import StoreError
from treadle.domain.ledger import Ledger, LedgerEntry

T = TypeVar("T")


class LedgerWriter:
    """Keeps streams flowing while a database is busy. What could not be stored is tried again
    before anything is read, so that nobody spends on top of what is not written down."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="treadle-ledger")
        self._pending: dict[str, LedgerEntry] = {}

    def put(self, entry: LedgerEntry) -> None:
        """Store the entry as soon as the thread is free."""
        self._thread.submit(self._put, entry)

    async def query(self, question: Callable[[Ledger], T]) -> T:
        """The ledger's answer once all that came before is stored; raises StoreError if it is
        not."""

        def answered() -> T:
            self._store_pending()
            return question(self._ledger)

        return await asyncio.wrap_future(self._thread.submit(answered))

    def close(self) -> None:
        """Store what is left; raises StoreError if that cannot be done even now."""
        try:
            self._thread.submit(self._store_pending).result()
        finally:
            self._thread.shutdown(wait=True)

    def _put(self, entry: LedgerEntry) -> None:
        self._pending[entry.id] = entry
        try:
            self._store_pending()
        except StoreError:
            return  # whoever asks next is told, and until then it is kept

    def _store_pending(self) -> None:
        for entry in tuple(self._pending.values()):
            self._ledger.put(entry)
            del self._pending[entry.id]
