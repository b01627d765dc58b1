"""What a run leaves for people in their project is never written over."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.builders import RUN
from treadle.adapters.stores.note_files import NoteFiles
from treadle.domain.errors import ProjectError

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
