"""Submodules and files of Git LFS: what the checkout has is there, and the rest is said."""

import hashlib
from pathlib import Path

from treadle.domain.events.run import RunWarned
from treadle.workspace.clean_checkout import CleanCheckout
from treadle.workspace.external_files import ExternalFiles, external_notices, find_external_files
from treadle.workspace.project import find_project

from .real_git import Repository, files_of, import_run, repository_in, run_on
from .workspace_harness import make_harness

IMAGE, LARGE = b"image" * 1000, b"large" * 2000


def pointer(content: bytes) -> str:
    oid = hashlib.sha256(content).hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"


def store(repository: Repository, content: bytes) -> None:
    """As `git lfs pull` stores it."""
    oid = hashlib.sha256(content).hexdigest()
    path = repository.path / ".git/lfs/objects" / oid[:2] / oid[2:4] / oid
    path.parent.mkdir(parents=True)
    path.write_bytes(content)


def with_submodules(directory: Path) -> Repository:
    """`libs/one` is checked out with a submodule of its own, `libs/two` is not."""
    inner = repository_in(directory, "inner")
    one = repository_in(directory, "one")
    one.git("submodule", "--quiet", "add", str(inner.path), "inner")
    one.commit("Inner")
    user = repository_in(directory)
    user.git("submodule", "--quiet", "add", str(one.path), "libs/one")
    user.git("submodule", "--quiet", "add", str(inner.path), "libs/two")
    user.git("submodule", "--quiet", "update", "--init", "--recursive")
    user.commit("Submodules")
    user.git("submodule", "--quiet", "deinit", "--force", "libs/two")
    return user


def with_lfs(directory: Path) -> Repository:
    """The content of image.bin is downloaded, that of large.bin is not."""
    user = repository_in(directory)
    (user.path / "other.bin").write_bytes(b"no pointer: \xff\n")
    user.commit(
        "Pointers",
        **{
            ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
            "assets/image.bin": pointer(IMAGE),
            "assets/large.bin": pointer(LARGE),
        },
    )
    store(user, IMAGE)
    return user


SUBMODULE_FILES = {
    f"libs/one/{name}"
    for name in (".gitmodules", "changed.txt", "kept.txt", "inner/changed.txt", "inner/kept.txt")
}


async def test_what_a_commit_refers_to_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    submodules, lfs = with_submodules(tmp_path / "a"), with_lfs(tmp_path / "b")

    found = [
        await find_external_files(await find_project(user.path, user.environment), user.head)
        for user in (submodules, lfs)
    ]

    assert found == [
        ExternalFiles(submodules=("libs/one",), missing_submodules=("libs/two",)),
        ExternalFiles(lfs_files=("assets/image.bin",), missing_lfs_files=("assets/large.bin",)),
    ]


async def test_an_ordinary_repository_gets_no_notice(tmp_path: Path) -> None:
    user = repository_in(tmp_path)

    found = await find_external_files(await find_project(user.path, user.environment), user.head)

    assert (found, external_notices(found)) == (ExternalFiles(), [])


async def test_a_submodule_has_its_files_in_the_workspace_and_no_change_is_committed(
    tmp_path: Path,
) -> None:
    run = await run_on(with_submodules(tmp_path))
    assert {name for name in files_of(run.clone.path) if name.startswith("libs/")} == (
        SUBMODULE_FILES
    )
    assert run.agent.git("status", "--porcelain") == ""
    run.agent.write("libs/one/kept.txt", "changed\n")
    run.agent.write("libs/one/new.txt")
    run.agent.write("work.txt")

    await import_run(run)

    changed = run.agent.git("diff", "--name-only", run.snapshot.commit, "HEAD")
    assert changed == "work.txt"


async def test_a_clean_checkout_has_the_files_of_submodules(tmp_path: Path) -> None:
    user = with_submodules(tmp_path)
    project = await find_project(user.path, user.environment)
    checkout = CleanCheckout(tmp_path / "proving")

    await checkout.prepare(project, user.head)

    files = set(files_of(checkout.work))
    assert files == SUBMODULE_FILES | {".gitmodules", "changed.txt", "kept.txt"}


async def test_a_clean_checkout_has_the_content_of_downloaded_files(tmp_path: Path) -> None:
    user = with_lfs(tmp_path)
    project = await find_project(user.path, user.environment)
    checkout = CleanCheckout(tmp_path / "proving")

    await checkout.prepare(project, user.head)
    base = checkout.keep_base("key", "")
    await checkout.prepare(project, user.head, base)

    contents = {path.name: path.read_bytes() for path in (checkout.work / "assets").iterdir()}
    assert contents == {"image.bin": IMAGE, "large.bin": pointer(LARGE).encode()}
    assert (user.path / ".git/lfs/objects").is_dir()


async def test_content_is_not_written_through_a_link_that_a_setup_command_left(
    tmp_path: Path,
) -> None:
    user = with_lfs(tmp_path)
    project = await find_project(user.path, user.environment)
    checkout = CleanCheckout(tmp_path / "proving")
    outside = tmp_path / "outside"
    outside.mkdir()
    await checkout.prepare(project, user.head)
    base = checkout.keep_base("key", "")
    (base / "work/assets").rename(base / "work/moved")
    (base / "work/assets").symlink_to(outside)

    await checkout.prepare(project, user.head, base)

    assert list(outside.iterdir()) == []


async def test_the_start_of_a_run_says_what_is_missing_and_what_to_do(tmp_path: Path) -> None:
    harness = await make_harness(tmp_path, with_submodules(tmp_path))

    assert [event.message for event in harness.events if isinstance(event, RunWarned)] == [
        "submodules can be read and run (libs/one); what an agent changes in them is not committed",
        "submodules are empty in the run, because you have not checked them out (libs/two):"
        " `git submodule update --init --recursive`, then start again",
    ]


def test_files_of_lfs_get_sentences_of_their_own() -> None:
    assert external_notices(ExternalFiles(lfs_files=("a",), missing_lfs_files=("b",))) == [
        "files of Git LFS are pointers for the agent (a); checks and tests have their content",
        "files of Git LFS are pointers in the run, because they are not downloaded (b):"
        " `git lfs pull`, then start again",
    ]
