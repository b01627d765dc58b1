"""Objects of a commit that do not match their hashes."""

import zlib
from pathlib import Path

import pytest

from tests.builders import Repository, repository_in
from treadle.workspace.object_integrity import DamagedObject, find_damaged_object
from treadle.workspace.project import Project, find_project


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting\n"})
    repository.write("src/a.txt", "a\n")
    repository.write("empty", "")
    repository.write("big", "x" * 3_000_000)
    repository.commit_all("More")
    return repository


async def project_of(repository: Repository) -> Project:
    return await find_project(repository.path, repository.environment)


def object_file(repository: Repository, revision: str) -> Path:
    name = repository.git("rev-parse", revision)
    path = repository.path / ".git/objects" / name[:2] / name[2:]
    path.chmod(0o600)
    return path


async def test_an_untouched_commit_is_intact(repository: Repository) -> None:
    head = repository.git("rev-parse", "HEAD")

    assert await find_damaged_object(await project_of(repository), head) is None
    repository.git("gc", "--quiet")
    assert await find_damaged_object(await project_of(repository), head) is None


@pytest.mark.parametrize("name", ["src/a.txt", "big"])
async def test_a_file_with_another_content_under_its_name_is_found(
    repository: Repository, name: str
) -> None:
    forged = object_file(repository, f"HEAD:{name}")
    content = zlib.decompress(forged.read_bytes())
    forged.write_bytes(zlib.compress(content[:-1] + b"!"))

    head = repository.git("rev-parse", "HEAD")
    found = await find_damaged_object(await project_of(repository), head)

    assert found == DamagedObject(repository.git("rev-parse", f"HEAD:{name}"), name)


async def test_a_byte_that_was_flipped_in_an_object_is_found(repository: Repository) -> None:
    broken = object_file(repository, "HEAD:src/a.txt")
    content = bytearray(broken.read_bytes())
    content[-1] ^= 1
    broken.write_bytes(content)

    head = repository.git("rev-parse", "HEAD")
    found = await find_damaged_object(await project_of(repository), head)

    assert found is not None
    assert found.path == "src/a.txt"


async def test_a_directory_that_lists_something_else_is_found(repository: Repository) -> None:
    forged, other = (object_file(repository, name) for name in ("HEAD:src", "HEAD^{tree}"))
    forged.write_bytes(other.read_bytes())

    head = repository.git("rev-parse", "HEAD")

    found = await find_damaged_object(await project_of(repository), head)

    assert found == DamagedObject(repository.git("rev-parse", "HEAD:src"), "src")


async def test_replaced_objects_are_read_as_they_are(repository: Repository) -> None:
    head = repository.git("rev-parse", "HEAD")
    repository.write("src/a.txt", "b\n")
    other = repository.commit_all("Other")
    repository.git("replace", head, other)

    assert await find_damaged_object(await project_of(repository), head) is None


async def test_a_commit_that_is_not_there_is_damaged_itself(repository: Repository) -> None:
    assert await find_damaged_object(await project_of(repository), "0" * 40) == DamagedObject(
        "0" * 40
    )
