"""A program that is kept outlives what removes it, and takes no room that a link can save."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from treadle.adapters.disk.kept_program import is_native, keep_program, remove_unused_programs

ELF = b"\x7fELF and the rest"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A link to a version, as installers make it."""
    version = tmp_path / "versions" / "2.1.325"
    version.parent.mkdir()
    version.write_bytes(ELF)
    version.chmod(0o755)
    link = tmp_path / "claude"
    link.symlink_to(version)
    return link


@pytest.fixture
def other_disk() -> Iterator[Path]:
    """A folder on a file system in memory, to which nothing else can be linked."""
    with TemporaryDirectory(dir="/dev/shm", prefix="treadle-test-") as folder:
        yield Path(folder)


@pytest.mark.parametrize(
    ("content", "native"),
    [(ELF, True), (b"\xcf\xfa\xed\xfe", True), (b"#!/usr/bin/env node\n", False), (b"", False)],
)
def test_a_program_of_one_file_is_told_by_its_first_bytes(
    tmp_path: Path, content: bytes, native: bool
) -> None:
    (tmp_path / "program").write_bytes(content)

    assert is_native(tmp_path / "program") is native
    assert not is_native(tmp_path / "missing")


def test_a_kept_program_is_the_same_file_and_stays_when_its_version_is_removed(
    tmp_path: Path, program: Path
) -> None:
    kept = tmp_path / "run" / "agent" / "claude"
    version = program.resolve()

    assert keep_program(program, kept, tmp_path / "programs")
    same = kept.samefile(version)
    version.unlink()

    assert (same, kept.read_bytes(), (tmp_path / "programs").exists()) == (True, ELF, False)


def test_a_program_is_kept_again_in_place_of_another(tmp_path: Path, program: Path) -> None:
    kept = tmp_path / "claude-of-run"
    keep_program(program, kept, tmp_path / "programs")
    newer = tmp_path / "versions" / "2.1.400"
    newer.write_bytes(ELF + b" newer")

    assert keep_program(newer, kept, tmp_path / "programs")
    assert keep_program(newer, kept, tmp_path / "programs")

    assert kept.read_bytes() == ELF + b" newer"


def test_runs_share_one_copy_of_a_program_on_another_disk_and_the_last_one_removes_it(
    program: Path, other_disk: Path
) -> None:
    store, one, two = other_disk / "programs", other_disk / "1" / "claude", other_disk / "2/claude"

    assert keep_program(program, one, store)
    assert keep_program(program, two, store)
    [copy] = store.iterdir()
    shared = (one.samefile(copy), two.samefile(copy), one.read_bytes(), one.stat().st_mode & 0o777)
    one.unlink()
    remove_unused_programs(store)
    used = list(store.iterdir())
    two.unlink()
    remove_unused_programs(store)

    assert shared == (True, True, ELF, 0o500)
    assert (used, list(store.iterdir())) == ([copy], [])


def test_a_program_that_cannot_be_kept_is_said_to_be_none(tmp_path: Path, program: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    assert not keep_program(program, tmp_path / "file" / "claude", tmp_path / "programs")
    assert not keep_program(tmp_path / "missing", tmp_path / "run", tmp_path / "programs")
