"""What a run leaves for people in their project is never written over."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.builders import RUN
from treadle.adapters.stores.note_files import LONGEST, NoteFiles, append_line
from treadle.domain.errors import ProjectError
from treadle.domain.finding import KnownFindings

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
STEM = "2026-05-04T12-00-00Z-9abcdef0"


@pytest.fixture
def notes(tmp_path: Path) -> NoteFiles:
    return NoteFiles(tmp_path, RUN)


def test_an_issue_is_called_after_its_time_and_its_run(notes: NoteFiles, tmp_path: Path) -> None:
    path = notes.save_issue("Which time zone?", NOON)

    assert path == f".treadle/spec-issues/{STEM}.md"
    assert (tmp_path / path).read_text() == "Which time zone?\n"


def test_an_issue_that_was_kept_before_a_crash_is_found_again(notes: NoteFiles) -> None:
    assert notes.save_issue("Which?", NOON) == notes.save_issue("Which?", NOON)


def test_another_text_under_the_name_stays(notes: NoteFiles, tmp_path: Path) -> None:
    first, second = notes.save_issue("Which?", NOON), notes.save_issue("And when?", NOON)

    assert (first, second) == (
        f".treadle/spec-issues/{STEM}.md",
        f".treadle/spec-issues/{STEM}-2.md",
    )
    assert (tmp_path / first).read_text() == "Which?\n"


def test_the_backlog_has_a_file_for_each_in_order(notes: NoteFiles, tmp_path: Path) -> None:
    paths = notes.save_items(("one", "two"), NOON)

    assert paths == (f".treadle/backlog/{STEM}-01.md", f".treadle/backlog/{STEM}-02.md")
    assert [(tmp_path / path).read_text() for path in paths] == ["one\n", "two\n"]


def test_a_place_that_cannot_be_written_is_said(notes: NoteFiles, tmp_path: Path) -> None:
    (tmp_path / ".treadle").write_text("in the way\n")

    with pytest.raises(ProjectError, match=r"cannot write .*spec-issues"):
        notes.save_issue("Which?", NOON)


@pytest.mark.parametrize("name", [".treadle", ".treadle/discuss"])
def test_nothing_is_written_or_read_behind_a_link(tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "id.md").write_text("# key\n")
    link = tmp_path / "project" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(elsewhere)
    notes = NoteFiles(tmp_path / "project", RUN)

    assert notes.read_findings() == KnownFindings()
    with pytest.raises(ProjectError, match="is a link"):
        notes.save_finding("dates", "# Dates\n")
    assert [each.name for each in elsewhere.iterdir()] == ["id.md"]


def test_links_and_pipes_among_notes_are_not_read(notes: NoteFiles, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2\n")
    folder = tmp_path / ".treadle" / "discuss"
    folder.mkdir(parents=True)
    (folder / "a.md").symlink_to(tmp_path / "secret")
    (folder / "b.md").symlink_to("/dev/zero")
    os.mkfifo(folder / "c.md")
    (folder / "d.md").write_text("# Dates\n")
    (folder / "e.md").mkdir()
    (tmp_path / ".treadle" / "memory.md").symlink_to(tmp_path / "secret")

    assert notes.read_findings() == KnownFindings(("Dates",), "")


def test_a_note_is_read_up_to_a_length(notes: NoteFiles, tmp_path: Path) -> None:
    memory = tmp_path / ".treadle" / "memory.md"
    memory.parent.mkdir()
    memory.write_text("x" * (LONGEST + 1))

    assert len(notes.read_findings().memory) == LONGEST


def test_a_line_is_added_to_a_plain_file_alone(tmp_path: Path) -> None:
    (tmp_path / "rc").write_text("true\n")
    link, pipe, plain = (tmp_path / name for name in ("link", "pipe", "plain"))
    link.symlink_to(tmp_path / "rc")
    os.mkfifo(pipe)

    for file in (link, pipe):
        with pytest.raises(OSError, match=r"."):
            append_line(file, "- Dismissed: $(reboot)")
    append_line(plain, "- Dismissed: dates")
    append_line(plain, "- Dismissed: times")

    assert (tmp_path / "rc").read_text() == "true\n"
    assert plain.read_text() == "- Dismissed: dates\n- Dismissed: times\n"


@pytest.mark.parametrize(("files", "listed", "characters"), [(20, 20, 4 << 20), (1_100, 1_000, 0)])
def test_no_number_of_texts_is_read_without_bounds(
    notes: NoteFiles, tmp_path: Path, files: int, listed: int, characters: int
) -> None:
    # One file of a repository can have many names.
    folder = tmp_path / ".treadle" / "discuss"
    folder.mkdir(parents=True)
    (folder / "0.md").write_text("x" * (LONGEST if characters else 1))
    for number in range(1, files):
        (folder / f"{number}.md").hardlink_to(folder / "0.md")

    read = notes.read_notes()

    assert len(read) == listed
    assert sum(len(note.text) for note in read) == (characters or listed)
    assert len(notes.read_findings().titles) == listed
