"""A project's file is replaced atomically and keeps its path and permissions."""

from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workspace.project_init import read_text, replace_text


def test_a_missing_file_has_no_text(tmp_path: Path) -> None:
    assert read_text(tmp_path / "missing") is None


def test_any_bytes_survive_reading_and_writing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"a\r\n\xff\xfe\n\x00")

    replace_text(file, read_text(file) or "")

    assert file.read_bytes() == b"a\r\n\xff\xfe\n\x00"


def test_folders_are_made_on_the_way(tmp_path: Path) -> None:
    replace_text(tmp_path / "a" / "b" / "file", "text")

    assert (tmp_path / "a" / "b" / "file").read_text() == "text"


def test_a_link_stays_a_link_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "real").touch(mode=0o600)
    (tmp_path / "link").symlink_to("real")

    replace_text(tmp_path / "link", "text")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "text"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(ProjectError, match=r"^cannot make .*/file/a: Not a directory$"):
        replace_text(tmp_path / "file" / "a" / "b", "text")


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()

    with pytest.raises(ProjectError, match=r"^cannot write .*/taken: Is a directory$"):
        replace_text(tmp_path / "taken", "text")

    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
