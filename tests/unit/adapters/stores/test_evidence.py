"""Logs that are evidence: kept whole, by their hash, and only believed while they match it."""

import hashlib
import stat
from pathlib import Path

import pytest

from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.domain.errors import StoreError


def test_a_log_is_kept_under_its_hash_for_nobody_else(tmp_path: Path) -> None:
    logs = EvidenceLogs(tmp_path)

    name = logs.keep("héllo\n")

    path = tmp_path / "evidence" / f"{name}.log"
    assert name == hashlib.sha256("héllo\n".encode()).hexdigest()
    assert (path.read_text("utf-8"), stat.S_IMODE(path.stat().st_mode)) == ("héllo\n", 0o600)
    assert (logs.check_integrity(name), logs.read(name)) == ("kept", "héllo\n")
    assert logs.keep("héllo\n") == name
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_log_that_was_changed_or_removed_is_not_believed(tmp_path: Path) -> None:
    logs = EvidenceLogs(tmp_path)
    changed, removed, linked = logs.keep("one\n"), logs.keep("two\n"), logs.keep("three\n")
    logs.path_of(changed).write_text("One\n")
    logs.path_of(removed).unlink()
    logs.path_of(linked).rename(tmp_path / "elsewhere")
    logs.path_of(linked).symlink_to(tmp_path / "elsewhere")

    names = (changed, removed, linked)
    assert [logs.check_integrity(name) for name in names] == ["changed", "missing", "missing"]
    assert [logs.read(name) for name in names] == [None, None, None]


def test_what_the_disk_refuses_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("in the way")

    with pytest.raises(StoreError, match="cannot write"):
        EvidenceLogs(tmp_path).keep("text")
