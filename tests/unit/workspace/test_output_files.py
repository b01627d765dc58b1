"""Files that a command wrote: which match, and which count."""

import os
from pathlib import Path

import pytest

from treadle.workspace import output_files
from treadle.workspace.hostile_files import remove_tree
from treadle.workspace.output_files import mark_files, read_written_files

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
    assert list(mark_files(top, [pattern])) == found


def test_each_file_is_found_once_by_however_many_patterns(top: Path) -> None:
    assert list(mark_files(top, ["a.*", "*.xml", "**/a.xml"])) == ["a.xml"]


def test_links_are_not_followed(top: Path) -> None:
    (top / "link.xml").symlink_to("../outside.xml")
    (top / "linked").symlink_to("../folder")
    os.mkfifo(top / "pipe.xml")

    assert list(mark_files(top, ["*.xml", "linked/*.xml", "**/f.xml"])) == ["a.xml"]


def test_only_what_was_written_since_counts_whatever_time_it_bears(top: Path) -> None:
    before = mark_files(top, ["**/*"])
    (top / "new.xml").write_text("new")
    changed = top / "a.xml"
    seen = changed.stat()
    changed.write_text("A.XML")
    os.utime(changed, ns=(seen.st_atime_ns, seen.st_mtime_ns))

    assert read_written_files(top, ["**/*"], before=before) == {
        "a.xml": b"A.XML",
        "new.xml": b"new",
    }


def test_files_that_lay_there_do_not_hide_what_was_written(top: Path) -> None:
    for number in range(output_files.MOST_FILES + 1):
        (top / f"{number}.xml").touch()
    before = mark_files(top, ["*.xml"])
    (top / "z.xml").write_text("new")

    assert read_written_files(top, ["*.xml"], before=before) == {"z.xml": b"new"}


def test_of_too_many_files_one_more_is_brought_back_than_anybody_reads(top: Path) -> None:
    for number in range(output_files.MOST_FILES + 50):
        (top / f"{number}.xml").touch()

    assert len(read_written_files(top, ["*.xml"], before={})) == output_files.MOST_FILES + 1


def test_of_too_much_no_more_is_read_than_shows_that_it_is(top: Path) -> None:
    for number in range(10):
        with (top / f"{number}.xml").open("wb") as file:
            file.truncate(1 << 40)

    found = read_written_files(top, ["?.xml"], before=mark_files(top, ["a.xml"]))

    wanted = output_files.MOST_BYTES_IN_ALL // output_files.MOST_BYTES + 1
    assert [len(text) for text in found.values()] == [output_files.MOST_BYTES] * wanted


@pytest.mark.slow
def test_directories_may_be_deeper_than_a_function_calls_itself(top: Path) -> None:
    reaches = os.open(top / "reports", os.O_RDONLY)
    for _ in range(2500):
        os.mkdir("a", dir_fd=reaches)
        inner = os.open("a", os.O_RDONLY, dir_fd=reaches)
        os.close(reaches)
        reaches = inner
    os.close(reaches)

    try:
        assert list(mark_files(top, ["reports/**/c.xml"])) == ["reports/c.xml"]
    finally:
        remove_tree(top)
