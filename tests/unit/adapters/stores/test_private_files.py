"""Credentials are files that nobody else can read, and no trick with links gets at them."""

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from treadle.adapters.stores.private_files import CredentialFiles, PrivateFile
from treadle.domain.errors import StoreError

NAME = "anthropic-api-key"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_value_comes_back_as_it_was_kept_and_only_its_owner_can_read_it(root: Path) -> None:
    old_mask = os.umask(0)
    try:
        CredentialFiles(root).write(NAME, "the value")
    finally:
        os.umask(old_mask)

    assert CredentialFiles(root).read(NAME) == "the value"
    assert mode_of(root / "credentials") == 0o700
    assert mode_of(root / "credentials" / NAME) == 0o600
    assert [path.name for path in (root / "credentials").iterdir()] == [NAME]


def test_a_new_value_takes_the_place_of_the_old_one(root: Path) -> None:
    files = CredentialFiles(root)
    files.write(NAME, "old")
    files.write(NAME, "new")

    assert files.read(NAME) == "new"


def test_what_is_kept_is_listed_by_name_and_date_alone(root: Path) -> None:
    files = CredentialFiles(root)
    files.write("b", "the value")
    files.write("a", "another")
    then = datetime(2026, 5, 4, tzinfo=UTC)
    for name in ("a", "b"):
        os.utime(root / "credentials" / name, (then.timestamp(), then.timestamp()))

    assert files.list_files() == [PrivateFile("a", then), PrivateFile("b", then)]
    assert then - files.list_files()[0].since == timedelta(0)


def test_what_is_not_there_is_none_and_can_be_removed_in_peace(root: Path) -> None:
    files = CredentialFiles(root)

    assert (files.read(NAME), files.list_files(), files.remove(NAME)) == (None, [], False)

    files.write(NAME, "the value")

    assert (files.remove(NAME), files.read(NAME)) == (True, None)


def test_a_link_in_place_of_the_file_is_replaced_and_never_followed(
    root: Path, tmp_path: Path
) -> None:
    files = CredentialFiles(root)
    files.write("other", "x")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("theirs")
    (root / "credentials" / NAME).symlink_to(elsewhere)

    with pytest.raises(StoreError):
        files.read(NAME)
    files.write(NAME, "ours")

    assert (elsewhere.read_text(), files.read(NAME)) == ("theirs", "ours")


def test_a_link_in_place_of_the_directory_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    root.mkdir()
    (root / "credentials").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StoreError):
        CredentialFiles(root).write(NAME, "the value")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("name", ["credentials", f"credentials/{NAME}"])
def test_what_others_can_read_is_not_used(root: Path, name: str) -> None:
    files = CredentialFiles(root)
    files.write(NAME, "the value")
    (root / name).chmod(0o740)

    with pytest.raises(StoreError) as refused:
        files.read(NAME)

    assert (
        refused.value.message
        == f"{root / name} can be read or changed by others, so Treadle does not use it"
    )


def test_a_pipe_in_place_of_the_file_holds_nobody_up(root: Path) -> None:
    files = CredentialFiles(root)
    files.write("other", "x")
    os.mkfifo(root / "credentials" / NAME, 0o600)

    with pytest.raises(StoreError):
        files.read(NAME)


def test_a_file_that_is_there_is_not_created_anew(root: Path) -> None:
    files = CredentialFiles(root)
    files.create(NAME, "first")
    files.create(NAME, "second")

    assert files.read(NAME) == "first"
    assert mode_of(root / "credentials" / NAME) == 0o600
    assert [path.name for path in (root / "credentials").iterdir()] == [NAME]
