"""Folders of increments, as they should be and as they should not."""

import os
from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.increment import Increment, IncrementList, IncrementProblem
from treadle.workflows.auto.increment_files import (
    heading_of,
    increment_text,
    read_increments,
    read_specification,
    write_increment,
)

FOLDER = Path(".treadle/increments")


def write(project: Path, name: str, text: str | bytes, file: str = "spec.md") -> Path:
    path = project / FOLDER / name / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_project_without_increments_has_none(tmp_path: Path) -> None:
    assert read_increments(tmp_path) == IncrementList()


def test_increments_are_read_by_name_with_what_is_beside_them(tmp_path: Path) -> None:
    write(tmp_path, "0002-mail", "---\ndepends_on: [1]\nwip: 2\n---\n# Send mail\n\nIt is sent.\n")
    write(tmp_path, "0001-login", "People log in.\n")
    write(tmp_path, "0001-login", "how\n", "plan.md")
    write(tmp_path, "0001-login", "- [ ] it\n", "tasks.md")
    write(tmp_path, ".hidden", "not looked at")

    assert read_increments(tmp_path) == IncrementList(
        (
            Increment("0001-login", "0001-login", has_plan=True, has_tasks=True),
            Increment("0002-mail", "Send mail", ("0001-login",), wip=2),
        )
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "spec.md is still empty: write down what must hold"),
        (
            "# Only a title\n\n## And another\n",
            "spec.md is still empty: write down what must hold",
        ),
        ("---\nwip: x\n---\nText", "spec.md: wip must be a number from 1 to 999, and is 'x'"),
        ("---\nwip: 1\n", "spec.md: its front matter has no end: close it with a line ---"),
        (b"caf\xe9\n", "spec.md is not UTF-8 text (byte 3)"),
        (b"\xff\xfea\x00", "spec.md is not UTF-8 text (byte 0)"),
        (b"x" * 4_000_001, "spec.md has more than 4,000,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_problem(
    tmp_path: Path, text: str | bytes, message: str
) -> None:
    write(tmp_path, "0001-login", "People log in.")
    write(tmp_path, "0002-mail", text)

    found = read_increments(tmp_path)

    assert [each.name for each in found.increments] == ["0001-login"]
    assert found.problems == (IncrementProblem("0002-mail", message),)


def test_nothing_but_plain_files_in_plain_folders_is_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "spec.md").write_text("Secret.")
    project = tmp_path / "project"
    for name in ("0001-pipe", "0002-link", "0003-folder", "0004-gone"):
        (project / FOLDER / name).mkdir(parents=True)
    os.mkfifo(project / FOLDER / "0001-pipe" / "spec.md")
    (project / FOLDER / "0002-link" / "spec.md").symlink_to(outside / "spec.md")
    (project / FOLDER / "0003-folder" / "spec.md").mkdir()
    (project / FOLDER / "0005-away").symlink_to(outside)
    (project / FOLDER / "0006-file").write_text("x")
    (project / FOLDER / "Notes").mkdir()

    assert read_increments(project) == IncrementList(
        (),
        (
            IncrementProblem("0001-pipe", "spec.md is not a file"),
            IncrementProblem("0002-link", "spec.md cannot be read: it is a link"),
            IncrementProblem("0003-folder", "spec.md is not a file"),
            IncrementProblem("0004-gone", "has no spec.md"),
            IncrementProblem("0005-away", "is not a folder"),
            IncrementProblem("0006-file", "is not a folder"),
            IncrementProblem("Notes", "is not named as an increment: 0001-name, in small letters"),
        ),
    )


def test_a_folder_of_increments_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "0001-login").mkdir(parents=True)
    (tmp_path / ".treadle").mkdir()
    (tmp_path / FOLDER).symlink_to(tmp_path / "elsewhere")

    problem = IncrementProblem(FOLDER.as_posix(), "cannot be read: it is a link")
    assert read_increments(tmp_path) == IncrementList((), (problem,))
    with pytest.raises(ProjectError, match="it is a link"):
        write_increment(tmp_path, "Mail", "It is sent.\n")


def test_the_specification_is_spec_plan_and_tasks_without_front_matter(tmp_path: Path) -> None:
    write(tmp_path, "0001-login", "---\nwip: 1\n---\n# Login\n\nPeople log in.\n")
    write(tmp_path, "0001-login", "With a form.\n\n", "plan.md")
    write(tmp_path, "0001-login", "- [ ] the form\n", "tasks.md")

    assert read_specification(tmp_path, "0001-login") == (
        "# Login\n\nPeople log in.\n\nWith a form.\n\n- [ ] the form\n"
    )


def test_a_specification_that_went_away_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"0001-login: has no spec\.md"):
        read_specification(tmp_path, "0001-login")


def test_the_next_number_is_free_and_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / FOLDER / "0007-broken").mkdir(parents=True)

    name = write_increment(tmp_path, "Rück: ändern!", increment_text("Größe", "So.", ["0007-x"]))

    assert name == "0008-ruck-andern"
    assert (tmp_path / FOLDER / name / "spec.md").read_text("utf-8") == (
        "---\ndepends_on: [0007-x]\n---\n\n# Größe\n\nSo.\n"
    )


def test_a_text_with_a_heading_keeps_it() -> None:
    assert increment_text("Title", "# Mine\n\nText.\n\n", ()) == "# Mine\n\nText.\n"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("filling", [" ", " #", "#", "# "])
def test_a_heading_of_any_length_is_read_in_a_moment(filling: str) -> None:
    line = f"# a{filling * 200_000}x"

    assert heading_of(line) == line.removeprefix("# ")
    assert heading_of(f"## Title {'#' * 200_000}  ") == "Title"
