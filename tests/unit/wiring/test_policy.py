"""What the shell policy looks up on this machine."""

import os
from pathlib import Path

import pytest

from treadle.wiring.policy import system_lookups


@pytest.mark.parametrize(
    "path",
    [
        "there/file",
        "there",
        "missing/below",
        "there/file/below",
        "to-there/file",
        "to-there/missing",
        "up/../file",
        "to-there/../file",
        "to-nowhere/below",
        "round/below",
        "there//file",
        "there/./file",
        "there/",
        "there/..",
        "there/.hidden/..file",
        "there/" + "x" * 300,
        "",
    ],
)
def test_a_path_is_followed_as_the_system_follows_it(tmp_path: Path, path: str) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").touch()
    (tmp_path / "to-there").symlink_to("there")
    (tmp_path / "up").symlink_to("there/..")
    (tmp_path / "to-nowhere").symlink_to("/nowhere/at/all")
    (tmp_path / "round").symlink_to("round")
    asked = f"{tmp_path}/{path}"

    assert system_lookups().real_path(asked) == os.path.realpath(asked)


@pytest.mark.parametrize("path", ["/", "//", "//usr/bin", "/..", ".", "there", ""])
def test_so_is_one_from_the_top_or_from_where_we_are(path: str) -> None:
    assert system_lookups().real_path(path) == os.path.realpath(path)
