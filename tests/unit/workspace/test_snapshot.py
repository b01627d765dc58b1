"""A snapshot has the user's files, and taking it changes nothing."""

import os
from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workspace.disk_tree import ChangedPaths, changed_paths
from treadle.workspace.project import Project, find_project
from treadle.workspace.snapshot import Snapshot, read_checkout, snapshot_ref, take_snapshot

from .real_git import RUN, Repository, empty_repository, repository_in


async def project_of(repository: Repository) -> Project:
    return await find_project(repository.path, repository.environment)


async def snapshot_of(repository: Repository) -> Snapshot:
    """The snapshot, after a look that nothing else changed."""
    before = repository.state()
    project = await project_of(repository)
    snapshot = await take_snapshot(project, RUN)
    assert repository.state() == before
    assert repository.refs("refs/treadle") == {snapshot_ref(RUN): snapshot.commit}
    assert await read_checkout(project) == snapshot.checkout
    return snapshot


async def test_a_clean_checkout_is_its_own_snapshot(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)

    snapshot = await snapshot_of(repository)

    tree = repository.git("rev-parse", "HEAD^{tree}")
    assert snapshot == Snapshot(repository.head, "main", repository.head, tree, dirty=False)


async def test_staged_unstaged_new_and_deleted_files_are_all_in_it(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.commit(gone="1", staged="1", both="1")
    repository.write("staged", "2")
    repository.write("both", "2")
    repository.git("add", "staged", "both")
    repository.write("both", "3")
    repository.write("changed.txt", "after")
    repository.write("new/file", "new")
    repository.git("add", "--intent-to-add", str(repository.write("intended", "soon")))
    (repository.path / "gone").unlink()

    snapshot = await snapshot_of(repository)

    assert repository.tree(snapshot.commit) == {
        "both": "3",
        "changed.txt": "after",
        "intended": "soon",
        "kept.txt": "kept",
        "new/file": "new",
        "staged": "2",
    }


async def test_a_snapshot_commit_is_the_users_and_follows_head(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.write("changed.txt", "after")

    snapshot = await snapshot_of(repository)

    told = repository.git("log", "-1", "--format=%an <%ae>|%cn <%ce>|%P|%B", snapshot.commit)
    ada = "Ada <ada@example.com>"
    message = "Snapshot of uncommitted changes (treadle 9abcdef0)\n"
    assert told == f"{ada}|{ada}|{repository.head}|{message}"
    assert snapshot.dirty


async def test_ignored_files_and_treadles_own_stay_out(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.commit(**{".gitignore": "*.log\n"})
    repository.write("noise.log")
    repository.write(".treadle/status.json", "{}")
    repository.write(".treadle-notes.md", "notes")

    assert (await snapshot_of(repository)).commit == repository.head


async def test_changes_to_committed_files_of_treadle_do_not_count(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.commit(**{".treadle/status.json": "{}"})
    repository.write(".treadle/status.json", '{"changed": true}')

    assert not (await snapshot_of(repository)).dirty


async def test_odd_names_links_and_modes_survive(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    odd = ["with space", "new\nline", "ünïcödé", "-dash", ":(top)", '"quoted"', "back\\slash"]
    for name in odd:
        repository.write(name, name)
    repository.write("tool").chmod(0o755)
    (repository.path / "link").symlink_to("/nowhere")

    snapshot = await snapshot_of(repository)

    tree = repository.tree(snapshot.commit)
    assert {name for name, text in tree.items() if name == text} == set(odd)
    listed = repository.git("ls-tree", snapshot.commit, "tool", "link").splitlines()
    assert [line.split()[0] for line in listed] == ["120000", "100755"]


async def test_pipes_are_no_files(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    os.mkfifo(repository.path / "pipe")
    (repository.path / "kept.txt").unlink()
    os.mkfifo(repository.path / "kept.txt")

    snapshot = await snapshot_of(repository)

    assert repository.tree(snapshot.commit) == {"changed.txt": "before"}


async def test_files_and_directories_may_change_places(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.commit(**{"file": "1", "folder/a": "1", "other/b": "1"})
    (repository.path / "file").unlink()
    repository.write("file/inside", "2")
    (repository.path / "folder/a").unlink()
    (repository.path / "folder").rmdir()
    repository.write("folder", "2")
    (repository.path / "other").rename(repository.path / "moved")
    (repository.path / "other").symlink_to("moved")

    tree = repository.tree((await snapshot_of(repository)).commit)

    assert tree == {
        "changed.txt": "before",
        "file/inside": "2",
        "folder": "2",
        "kept.txt": "kept",
        "moved/b": "1",
        "other": "moved",
    }


async def test_a_repository_without_commits_has_a_snapshot(tmp_path: Path) -> None:
    repository = empty_repository(tmp_path)
    repository.write("SPEC.md", "# Build it")

    snapshot = await snapshot_of(repository)

    assert (snapshot.head, snapshot.branch, snapshot.dirty) == (None, "main", True)
    assert repository.tree(snapshot.commit) == {"SPEC.md": "# Build it"}


async def test_a_repository_without_files_has_an_empty_snapshot(tmp_path: Path) -> None:
    repository = empty_repository(tmp_path)

    snapshot = await snapshot_of(repository)

    assert repository.tree(snapshot.commit) == {}


async def test_a_detached_head_has_no_branch(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.git("checkout", "--quiet", "--detach")

    snapshot = await snapshot_of(repository)

    assert (snapshot.head, snapshot.branch) == (repository.head, None)


async def test_submodules_are_left_as_they_are_and_nested_repositories_out(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    library = repository_in(tmp_path, "library")
    repository.git("submodule", "--quiet", "add", str(library.path), "sub")
    repository.commit()
    Repository(repository.path / "sub", repository.environment).commit(new="1")
    nested = Repository(repository.path / "nested", repository.environment)
    nested.path.mkdir()
    nested.git("init", "--quiet")

    assert (await snapshot_of(repository)).commit == repository.head


async def test_files_outside_a_sparse_checkout_are_not_taken_for_deleted(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.commit(**{"in/a": "1", "out/b": "1"})
    repository.git("sparse-checkout", "set", "in")
    repository.write("in/a", "2")

    tree = repository.tree((await snapshot_of(repository)).commit)

    assert (tree["in/a"], tree["out/b"]) == ("2", "1")


async def test_an_index_split_in_two_is_read_whole(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.git("update-index", "--split-index")
    repository.write("changed.txt", "after")

    tree = repository.tree((await snapshot_of(repository)).commit)

    assert tree == {"changed.txt": "after", "kept.txt": "kept"}


async def test_a_change_of_the_same_size_in_the_same_instant_is_found(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    path = repository.write("racy", "1\n")
    repository.commit()
    path.write_text("2\n")
    index = repository.git_dir / "index"
    written = index.stat().st_mtime_ns
    os.utime(path, ns=(written, written))

    assert repository.tree((await snapshot_of(repository)).commit)["racy"] == "2"


async def test_conflicts_are_taken_as_they_are_on_disk(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.git("checkout", "--quiet", "-b", "side")
    repository.commit(**{"changed.txt": "side\n"})
    repository.git("checkout", "--quiet", "main")
    repository.commit(**{"changed.txt": "main\n"})
    with pytest.raises(AssertionError):
        repository.git("merge", "--quiet", "side")

    tree = repository.tree((await snapshot_of(repository)).commit)

    assert tree["changed.txt"].startswith("<<<<<<< HEAD\nmain\n")


async def test_a_second_snapshot_of_the_same_is_the_same(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    repository.write("changed.txt", "after")

    assert await snapshot_of(repository) == await snapshot_of(repository)


async def test_the_users_hooks_do_not_run(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    for name in ("pre-commit", "reference-transaction", "post-commit"):
        hook = repository.git_dir / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        hook.chmod(0o755)
    repository.write("changed.txt", "after")

    await take_snapshot(await project_of(repository), RUN)

    assert not (tmp_path / "ran").exists()


async def test_without_a_name_only_a_dirty_checkout_is_refused(tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    (tmp_path / "home/.gitconfig").unlink()
    await snapshot_of(repository)

    repository.write("changed.txt", "after")
    with pytest.raises(ProjectError, match="git does not know your name"):
        await take_snapshot(await project_of(repository), RUN)


@pytest.mark.parametrize("change", ["commit", "branch", "edit", "new file", "delete"])
async def test_any_change_of_the_user_ends_the_sameness(change: str, tmp_path: Path) -> None:
    repository = repository_in(tmp_path)
    project = await project_of(repository)
    snapshot = await take_snapshot(project, RUN)

    match change:
        case "commit":
            repository.commit()
        case "branch":
            repository.git("checkout", "--quiet", "-b", "other")
        case "edit":
            repository.write("changed.txt", "after")
        case "new file":
            repository.write("new")
        case _:
            (repository.path / "kept.txt").unlink()

    assert await read_checkout(project) != snapshot.checkout


def test_changed_paths_are_read_from_what_git_prints() -> None:
    zeros = "0" * 40
    tracked = "".join(
        f":{mode} {mode} {zeros} {zeros} {status}\0{path}\0"
        for mode, status, path in [
            ("100644", "M", "edited"),
            ("100644", "D", "gone"),
            ("100644", "U", "clash"),
            ("100644", "M", "clash"),  # git names an unmerged file twice
            ("100644", "D", "both"),
            ("160000", "M", "submodule"),
            ("100644", "M", ".treadle/status.json"),
        ]
    )

    changed = changed_paths(tracked, "new\0nested/\0both\0.treadle-notes.md\0.treadle/\0")

    assert changed == ChangedPaths(
        ("gone",), ("edited", "clash", "new", "both"), ("nested/",), untracked=("new", "both")
    )
