"""The download cache: content by its hash, safe with several processes and after a crash."""

import os
from pathlib import Path

import pytest

from treadle.gateway.indexes.index_cache import CacheKey, IndexCache, login_fingerprint

KEY = CacheKey("https://index.example", "https://index.example/tiny-1.0.whl")
HEADERS = {"content-type": "application/zip"}


def contents(cache: IndexCache, *keys: CacheKey) -> list[bytes | None]:
    entries = [cache.find(key) for key in keys]
    return [None if entry is None else cache.read(entry) for entry in entries]


def test_what_was_stored_is_found_by_another_process(tmp_path: Path) -> None:
    IndexCache(tmp_path).store(KEY, b"content", HEADERS)
    other = IndexCache(tmp_path)
    entry = other.find(KEY)

    assert entry is not None
    assert (other.read(entry), entry.headers) == (b"content", HEADERS)


def test_an_answer_belongs_to_its_index_address_form_and_login(tmp_path: Path) -> None:
    cache = IndexCache(tmp_path)
    cache.store(KEY, b"content", {})
    others = [
        CacheKey("https://other.example", KEY.url),
        CacheKey(KEY.index, "https://index.example/tiny-2.0.whl"),
        CacheKey(KEY.index, KEY.url, accept="text/html"),
        CacheKey(KEY.index, KEY.url, login=login_fingerprint("Bearer token")),
    ]

    assert contents(cache, KEY, *others) == [b"content", None, None, None, None]


def test_two_addresses_with_the_same_content_share_it(tmp_path: Path) -> None:
    cache, other = IndexCache(tmp_path), CacheKey("https://b.example", "https://b.example/x.whl")
    cache.store(KEY, b"content", {})
    cache.store(other, b"content", {})

    assert contents(cache, KEY, other) == [b"content", b"content"]
    assert len([path for path in (tmp_path / "content").rglob("*") if path.is_file()]) == 1


def test_a_download_that_was_cut_off_is_not_stored(tmp_path: Path) -> None:
    cache = IndexCache(tmp_path)
    cut, abandoned = cache.incoming(), cache.incoming()
    assert cut is not None
    assert abandoned is not None
    cut.write(b"cont")
    cut.keep(KEY, {}, size=7)
    abandoned.write(b"content")
    abandoned.discard()

    assert contents(cache, KEY) == [None]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("damage", [b"cont", b"CONTENT", b""])
def test_damaged_content_is_not_used(tmp_path: Path, damage: bytes) -> None:
    cache = IndexCache(tmp_path)
    cache.store(KEY, b"content", {})
    (path,) = [path for path in (tmp_path / "content").rglob("*") if path.is_file()]
    path.write_bytes(damage)

    assert contents(cache, KEY) == [None]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"sha256": "../../x", "size": 1, "headers": {}}', '{"sha256": "ab", "size"'],
)
def test_a_damaged_entry_is_not_used(tmp_path: Path, text: str) -> None:
    cache = IndexCache(tmp_path)
    cache.store(KEY, b"content", {})
    (path,) = (tmp_path / "entries").rglob("*.json")
    path.write_text(text)

    assert cache.find(KEY) is None


def test_a_cache_that_cannot_be_written_stores_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    cache = IndexCache(tmp_path / "cache")
    cache.store(KEY, b"content", {})

    assert (cache.find(KEY), cache.incoming()) == (None, None)


def test_over_its_limit_the_cache_removes_what_was_unused_for_longest(tmp_path: Path) -> None:
    cache = IndexCache(tmp_path, max_bytes=25)
    keys = [CacheKey("i", f"https://index.example/{number}.whl") for number in range(3)]
    for age, key in enumerate(keys):
        cache.store(key, f"content-{age}".encode(), {})
    for path in (tmp_path / "content").rglob("*"):
        if path.is_file():
            age = 1000 if path.read_bytes() == b"content-1" else 100
            os.utime(path, (path.stat().st_atime - age, path.stat().st_mtime - age))
    cache.trim()

    assert contents(cache, *keys) == [b"content-0", None, b"content-2"]
    assert len(list((tmp_path / "entries").rglob("*.json"))) == 2


def test_what_a_killed_process_left_is_removed_after_a_day(tmp_path: Path) -> None:
    cache = IndexCache(tmp_path)
    cache.store(KEY, b"content", {})
    old, new = tmp_path / "incoming" / "old", tmp_path / "incoming" / "new"
    for path in (old, new):
        path.write_bytes(b"part")
    os.utime(old, (1, 1))
    cache.trim()

    assert (old.exists(), new.exists(), contents(cache, KEY)) == (False, True, [b"content"])
