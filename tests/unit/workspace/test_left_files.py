"""Files that a command left: which match, and which count."""

import os
from pathlib import Path

import pytest

from treadle.workspace.left_files import files_left, marks

FILES = ("a.xml", "b.json", "reports/c.xml", "reports/deep/d.xml", "reports/deep/er/e.xml")


@pytest.fixture
def top(tmp_path: Path) -> Path:
    for name in FILES:
        path = tmp_path / "top" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "outside.xml").write_text("secret")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "f.xml").write_text("secret")
    return tmp_path / "top"


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a.xml", ["a.xml"]),
        ("./a.xml", ["a.xml"]),
        ("*.xml", ["a.xml"]),
        ("*", ["a.xml", "b.json"]),
        ("reports/*.xml", ["reports/c.xml"]),
        ("reports//c.xml", ["reports/c.xml"]),
        ("*/deep/*", ["reports/deep/d.xml"]),
        ("reports/**/*.xml", ["reports/c.xml", "reports/deep/d.xml", "reports/deep/er/e.xml"]),
        ("**/e.xml", ["reports/deep/er/e.xml"]),
        ("**/a.xml", ["a.xml"]),
        ("**/deep/**/e.xml", ["reports/deep/er/e.xml"]),
        ("**/**/d.xml", ["reports/deep/d.xml"]),
        # nothing is in a directory that is none, and nobody leads out
        ("**", []),
        ("reports", []),
        ("a.xml/b", []),
        ("nowhere/*.xml", []),
        ("../outside.xml", []),
        ("reports/../a.xml", []),
        ("/etc/passwd", []),
        ("", []),
    ],
)
def test_a_pattern_finds_files_below_the_directory_alone(
    top: Path, pattern: str, found: list[str]
) -> None:
    assert list(marks(top, [pattern])) == found


def test_each_file_is_found_once_by_however_many_patterns(top: Path) -> None:
    assert list(marks(top, ["a.*", "*.xml", "**/a.xml"])) == ["a.xml"]


def test_links_are_not_followed(top: Path) -> None:
    (top / "link.xml").symlink_to("../outside.xml")
    (top / "linked").symlink_to("../folder")
    os.mkfifo(top / "pipe.xml")

    assert list(marks(top, ["*.xml", "linked/*.xml", "**/f.xml"])) == ["a.xml"]


def test_only_what_was_written_since_counts_whatever_time_it_bears(top: Path) -> None:
    before = marks(top, ["**/*"])
    (top / "new.xml").write_text("new")
    changed = top / "a.xml"
    seen = changed.stat()
    changed.write_text("A.XML")
    os.utime(changed, ns=(seen.st_atime_ns, seen.st_mtime_ns))

    assert files_left(top, ["**/*"], before=before) == {"a.xml": b"A.XML", "new.xml": b"new"}
