"""A status.json that cannot be read is kept beside itself, and nowhere else."""

from pathlib import Path

import pytest

from treadle.adapters.stores.status_file import StatusFile, back_up_invalid


@pytest.mark.parametrize("target", ["gone", "rc", "/dev/zero", "status.json.refused"])
def test_a_broken_file_is_not_copied_through_a_link(tmp_path: Path, target: str) -> None:
    # The repository of a stranger has both: the words, and where a shell would read them.
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "rc").write_text("mine")
    (folder / "status.json").write_text("broken; touch here")
    outside = target if target.startswith(("/", "status")) else f"../{target}"
    (folder / "status.json.refused").symlink_to(outside)
    file = StatusFile(folder / "status.json")

    assert file.write((), today="2026-05-04")

    assert (tmp_path / "rc").read_text() == "mine"
    assert not (tmp_path / "gone").exists()
    assert (folder / "status.json.refused-2").read_text() == "broken; touch here"


def test_the_same_broken_file_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "status.json"

    first = back_up_invalid(path, b"one")
    again = back_up_invalid(path, b"one")
    other = back_up_invalid(path, b"two")

    names = [each.name for each in (first, again, other)]
    assert names == ["status.json.refused", "status.json.refused", "status.json.refused-2"]
    assert [each.read_bytes() for each in (first, other)] == [b"one", b"two"]
