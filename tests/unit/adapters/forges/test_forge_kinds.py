"""The store of responses forgets what was used least recently, and stays small."""

from treadle.adapters.forges.forge_kinds import MAX_CACHED_RESPONSES, MemoryEtags
from treadle.domain.forge_kind import CachedResponse


def response(size: int) -> CachedResponse:
    return CachedResponse('"etag"', b"x" * size)


def test_what_was_used_least_recently_goes_first() -> None:
    store = MemoryEtags(max_bytes=10)
    store.write("a", response(4))
    store.write("b", response(4))
    store.read("a")

    store.write("c", response(4))

    assert [store.read(url) is not None for url in "abc"] == [True, False, True]


def test_a_response_that_is_larger_than_the_store_is_not_kept() -> None:
    store = MemoryEtags(max_bytes=10)

    store.write("a", response(11))
    store.write("b", response(10))

    assert (store.read("a"), store.read("b")) == (None, response(10))


def test_a_new_response_takes_the_place_of_the_old_one() -> None:
    store = MemoryEtags(max_bytes=10)
    for size in (9, 8, 7):
        store.write("a", response(size))
    store.write("b", response(3))

    assert (store.read("a"), store.read("b")) == (response(7), response(3))


def test_many_small_ones_are_not_kept_for_ever() -> None:
    store = MemoryEtags()
    for n in range(MAX_CACHED_RESPONSES + 1):
        store.write(f"{n}", response(0))

    assert (store.read("0"), store.read("1")) == (None, response(0))
