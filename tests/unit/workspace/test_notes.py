"""The hand-over notes are copied between project and clone, and nothing else is."""

import os
from pathlib import Path

import pytest

from treadle.workspace.notes import NotesCopied, NotesRefused, copy_notes_in, copy_notes_out

from .real_git import Run, repository_in, run_on

NAME = ".treadle-notes.md"


async def test_notes_go_in_and_come_back(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.user.write(NAME, "from the last run")

    assert copy_notes_in(run.clone) == NotesCopied(changed=True)
    assert (run.clone.path / NAME).read_text() == "from the last run"

    run.agent.write(NAME, "from this run")
    assert copy_notes_out(run.clone) == NotesCopied(changed=True)
    assert (run.user.path / NAME).read_text() == "from this run"


async def test_missing_and_equal_notes_are_left_alone(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    before = run.user.state()

    assert copy_notes_in(run.clone) == NotesCopied(changed=False)
    assert copy_notes_out(run.clone) == NotesCopied(changed=False)

    assert run.user.state() == before


def _plant(run: Run, kind: str) -> None:
    path = run.clone.path / NAME
    match kind:
        case "link":
            path.symlink_to(run.user.path / "kept.txt")
        case "pipe":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
        case _:
            path.write_bytes(b"x" * ((1 << 20) + 1))


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("link", f"{NAME} cannot be read as a plain file: Too many levels of symbolic links"),
        ("pipe", f"{NAME} is not a plain file"),
        ("directory", f"{NAME} is not a plain file"),
        ("huge file", f"{NAME} is larger than 1 MiB"),
    ],
)
async def test_what_is_no_plain_small_file_is_refused(
    kind: str, reason: str, tmp_path: Path
) -> None:
    run = await run_on(repository_in(tmp_path))
    before = run.user.state()
    _plant(run, kind)

    assert copy_notes_out(run.clone) == NotesRefused(reason)

    assert run.user.state() == before


async def test_a_link_in_the_project_is_not_written_through(tmp_path: Path) -> None:
    run = await run_on(repository_in(tmp_path))
    run.agent.write(NAME, "mine")
    (run.user.path / NAME).symlink_to("kept.txt")

    assert isinstance(copy_notes_out(run.clone), NotesRefused)

    assert (run.user.path / "kept.txt").read_text() == "kept\n"
