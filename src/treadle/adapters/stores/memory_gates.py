"""Breakers and quota gates in memory, where no other process has to know of them."""

from dataclasses import replace

from treadle.domain.gates import Breaker, QuotaGate


class MemoryBreakers:
    """The `Breakers` port without a database."""

    def __init__(self) -> None:
        self._breakers: dict[str, Breaker] = {}

    def read(self, service: str) -> Breaker:
        return self._breakers.get(service, Breaker(service))

    def swap(self, before: Breaker, after: Breaker) -> bool:
        if self.read(before.service) != before:
            return False
        self._breakers[before.service] = replace(after, version=before.version + 1)
        return True


class MemoryQuotaGates:
    """The `QuotaGates` port without a database."""

    def __init__(self) -> None:
        self._gates: dict[str, QuotaGate] = {}

    def read(self, credential: str) -> QuotaGate | None:
        return self._gates.get(credential)

    def close(self, before: QuotaGate | None, after: QuotaGate) -> bool:
        if self.read(after.credential) != before:
            return False
        version = 1 if before is None else before.version + 1
        self._gates[after.credential] = replace(after, version=version)
        return True

    def open(self, before: QuotaGate) -> bool:
        if self.read(before.credential) != before:
            return False
        del self._gates[before.credential]
        return True
