"""Files are written below a private home, whatever a process has left there."""

from pathlib import Path

from treadle.adapters.packages.home_files import write_home_files


def test_files_are_written_with_their_directories(tmp_path: Path) -> None:
    home = tmp_path / "new" / "home"

    assert write_home_files(home, {".npmrc": "a", ".config/pip/pip.conf": "b"}) == ()
    assert write_home_files(home, {".npmrc": "c"}) == ()
    assert (home / ".npmrc").read_text() == "c"
    assert (home / ".config/pip/pip.conf").read_text() == "b"
    assert (home / ".npmrc").stat().st_mode & 0o777 == 0o600


def test_a_link_at_the_path_is_replaced(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("mine")
    home = tmp_path / "home"
    home.mkdir()
    (home / ".npmrc").symlink_to(outside)

    assert write_home_files(home, {".npmrc": "a"}) == ()
    assert (outside.read_text(), (home / ".npmrc").is_symlink()) == ("mine", False)


def test_a_directory_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    home = tmp_path / "home"
    home.mkdir()
    (home / ".config").symlink_to(outside)

    assert write_home_files(home, {".config/uv/uv.toml": "a", ".npmrc": "b"}) == (
        ".config/uv/uv.toml",
    )
    assert list(outside.iterdir()) == []
    assert (home / ".npmrc").read_text() == "b"
