"""The kinds of forges, and the store of responses that their clients share."""

from collections import OrderedDict

from treadle.adapters.forges.github.kind import KIND as GITHUB
from treadle.domain.forge_kind import CachedResponse, ForgeKind

MAX_CACHED_BYTES = 16 << 20
MAX_CACHED_RESPONSES = 512

KINDS: tuple[ForgeKind, ...] = (GITHUB,)


def find_forge_kind(name: str) -> ForgeKind:
    """The record of the kind with this name, as an address has it."""
    return next(kind for kind in KINDS if kind.name == name)


class MemoryEtags:
    """The `EtagStore` port in memory; what was used least recently goes first."""

    def __init__(self, *, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._responses: OrderedDict[str, CachedResponse] = OrderedDict()

    def read(self, url: str) -> CachedResponse | None:
        if url not in self._responses:
            return None
        self._responses.move_to_end(url)
        return self._responses[url]

    def write(self, url: str, response: CachedResponse) -> None:
        if (before := self._responses.pop(url, None)) is not None:
            self._bytes -= len(before.body)
        self._responses[url] = response
        self._bytes += len(response.body)
        while self._bytes > self._max_bytes or len(self._responses) > MAX_CACHED_RESPONSES:
            _, oldest = self._responses.popitem(last=False)
            self._bytes -= len(oldest.body)
