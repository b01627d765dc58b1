"""`.treadle/wip` shows the working files of a live run; they move to its history at its end."""

from pathlib import Path

import pytest

from tests.builders import RUN
from treadle.adapters.stores.wip_files import WipFiles
from treadle.domain.errors import ProjectError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


@pytest.fixture
def files(tmp_path: Path) -> WipFiles:
    return WipFiles(tmp_path / "wip", tmp_path / "history", RUN)


def test_there_are_the_files_that_are_wanted_and_no_others_of_the_run(
    files: WipFiles, tmp_path: Path
) -> None:
    files.write({".plan.md": "draft\n"})
    (tmp_path / "wip" / "another-run.md").write_text("other\n")

    files.write({".md": "plan\n"})

    assert names(tmp_path / "wip") == [f"{RUN}.md", "another-run.md"]
    assert (tmp_path / "wip" / f"{RUN}.md").read_text() == "plan\n"


def test_a_file_that_is_as_it_should_be_is_not_written_again(
    files: WipFiles, tmp_path: Path
) -> None:
    files.write({".md": "plan\n"})
    before = (tmp_path / "wip" / f"{RUN}.md").stat()

    files.write({".md": "plan\n"})

    assert (tmp_path / "wip" / f"{RUN}.md").stat() == before


def test_at_the_end_they_move_to_the_history(files: WipFiles, tmp_path: Path) -> None:
    files.write({".md": "plan\n", ".review.md": "review\n"})

    files.archive({".md": "plan\n", ".review.md": "review\n"})

    assert (names(tmp_path / "wip"), names(tmp_path / "history")) == (
        [],
        [f"{RUN}.md", f"{RUN}.review.md"],
    )


def test_a_run_without_files_makes_no_folder(files: WipFiles, tmp_path: Path) -> None:
    files.write({})
    files.archive({})

    assert names(tmp_path) == []


def test_a_link_at_the_name_is_replaced_and_not_followed(files: WipFiles, tmp_path: Path) -> None:
    (tmp_path / "wip").mkdir()
    (tmp_path / "mine.md").write_text("mine\n")
    (tmp_path / "wip" / f"{RUN}.md").symlink_to(tmp_path / "mine.md")

    files.write({".md": "plan\n"})

    assert (tmp_path / "mine.md").read_text() == "mine\n"


def test_a_folder_that_cannot_be_written_is_said(files: WipFiles, tmp_path: Path) -> None:
    (tmp_path / "wip").write_text("in the way\n")

    with pytest.raises(ProjectError, match=r"cannot write .*wip"):
        files.write({".md": "plan\n"})
    (tmp_path / "history").write_text("in the way\n")
    with pytest.raises(ProjectError, match=r"cannot write .*history"):
        files.archive({".md": "plan\n"})
