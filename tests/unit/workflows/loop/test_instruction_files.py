"""A project's own instructions are plain files: a link could hand any file to the agent."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workflows.loop.instructions import MAX_INSTRUCTION, instruction_text, prompt_text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("hunter2")
    folder = tmp_path / ".treadle" / "instructions"
    folder.mkdir(parents=True)
    return folder


def test_the_projects_own_text_stands_for_the_prompt(tmp_path: Path, folder: Path) -> None:
    (folder / "coding.md").write_text("Write less.\n")

    assert instruction_text(tmp_path, "deliver", "coding") == "Write less.\n"
    assert instruction_text(tmp_path, "deliver", "initializer") == prompt_text(
        "deliver", "initializer"
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.symlink_to(path.parents[2] / "secret"),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to("gone"),
        os.mkfifo,
        Path.mkdir,
        lambda path: path.write_text("x" * (MAX_INSTRUCTION + 1)),
    ],
)
def test_anything_else_stops_the_run(
    tmp_path: Path, folder: Path, make: Callable[[Path], object]
) -> None:
    make(folder / "coding.md")

    with pytest.raises(ProjectError, match=r"cannot read .*coding\.md: it is not a plain file"):
        instruction_text(tmp_path, "deliver", "coding")


@pytest.mark.parametrize("name", [".treadle", ".treadle/instructions"])
def test_so_does_a_folder_that_is_a_link(tmp_path: Path, folder: Path, name: str) -> None:
    (folder / "coding.md").write_text("key")
    project = tmp_path / "project"
    link = project / name
    link.parent.mkdir(parents=True)
    link.symlink_to(tmp_path / name)

    with pytest.raises(ProjectError, match="or behind a link"):
        instruction_text(project, "deliver", "coding")
