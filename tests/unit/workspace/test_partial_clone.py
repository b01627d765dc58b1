"""A partial and sparse clone gets what it lacks before the run, and stays sparse."""

from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workspace.checkout_landing import LandedCommit, land
from treadle.workspace.clean_checkout import CleanCheckout
from treadle.workspace.imports import ImportedBranch
from treadle.workspace.partial_clone import fetch_missing
from treadle.workspace.project import find_project

from .real_git import RUN, Repository, files_of, import_run, repository_in, run_on

FILES = {"app/main.txt": "app\n", "lib/a.txt": "a\n", "lib/deep/b.txt": "b\n"}


def upstream_in(directory: Path) -> Repository:
    upstream = repository_in(directory, "upstream")
    upstream.commit("More", **FILES)
    upstream.git("config", "uploadpack.allowFilter", "true")
    return upstream


def sparse_clone(upstream: Repository, *, leaving_out: str = "blob:none") -> Repository:
    path = upstream.path.parent / "project"
    upstream.git(
        *("clone", "--quiet", f"--filter={leaving_out}", "--sparse"),
        *(f"file://{upstream.path}", str(path)),
    )
    clone = Repository(path, upstream.environment)
    clone.git("sparse-checkout", "set", "app")
    return clone


def ignore(text: str) -> None:
    """What is fetched is not of interest."""


def missing_in(repository: Repository) -> list[str]:
    listing = repository.git("rev-list", "--objects", "--missing=print", "HEAD^{tree}")
    return [line for line in listing.splitlines() if line.startswith("?")]


@pytest.mark.parametrize("leaving_out", ["blob:none", "tree:0"])
async def test_what_the_commit_needs_is_fetched_once(tmp_path: Path, leaving_out: str) -> None:
    user = sparse_clone(upstream_in(tmp_path), leaving_out=leaving_out)
    assert missing_in(user)
    before = user.state()
    project = await find_project(user.path, user.environment)
    reported: list[str] = []

    await fetch_missing(project, user.head, reported.append)
    await fetch_missing(project, user.head, reported.append)

    assert missing_in(user) == []
    assert len(reported) == 1
    assert user.state() == before


async def test_a_full_clone_fetches_nothing(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.git("remote", "add", "origin", "file:///nowhere")
    project = await find_project(user.path, user.environment)
    reported: list[str] = []

    await fetch_missing(project, user.head, reported.append)

    assert reported == []


async def test_a_remote_that_is_gone_is_named_with_a_way_on(tmp_path: Path) -> None:
    upstream = upstream_in(tmp_path)
    user = sparse_clone(upstream)
    upstream.path.rename(tmp_path / "elsewhere")
    project = await find_project(user.path, user.environment)

    with pytest.raises(ProjectError) as failed:
        await fetch_missing(project, user.head, ignore)

    assert failed.value.message.startswith(
        f"this clone is partial, and 2 objects of {user.head[:8]} cannot be fetched: "
    )
    assert failed.value.hint == "see whether `git fetch origin` works here, then start again"


@pytest.mark.parametrize("index", ["plain", "sparse"])
@pytest.mark.parametrize("uncommitted", [{}, {"app/own.txt": "own\n"}])
async def test_work_in_and_outside_of_the_sparse_part_lands_and_it_stays_sparse(
    tmp_path: Path, index: str, uncommitted: dict[str, str]
) -> None:
    user = sparse_clone(upstream_in(tmp_path))
    if index == "sparse":
        user.git("sparse-checkout", "set", "--sparse-index", "app")
    for name, text in uncommitted.items():
        user.write(name, text)
    project = await find_project(user.path, user.environment)
    await fetch_missing(project, user.head, ignore)
    run = await run_on(user)
    assert (run.clone.path / "lib/deep/b.txt").read_text() == "b\n"
    run.agent.write("app/new.txt", "new\n")
    run.agent.write("lib/a.txt", "changed\n")
    run.agent.write("lib/new.txt", "new\n")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)

    landed = await land(project, run.snapshot, imported, RUN)

    assert landed == LandedCommit(imported.commit)
    assert user.tree()["lib/a.txt"] == "changed"
    assert sorted(files_of(user.path)) == sorted(
        [*uncommitted, "app/main.txt", "app/new.txt", "changed.txt", "kept.txt"]
    )
    assert user.git("status", "--porcelain") == ""
    assert user.git("sparse-checkout", "list") == "app"


async def test_a_clean_checkout_of_it_has_all_files(tmp_path: Path) -> None:
    user = sparse_clone(upstream_in(tmp_path))
    project = await find_project(user.path, user.environment)
    await fetch_missing(project, user.head, ignore)
    checkout = CleanCheckout(tmp_path / "proving")

    await checkout.prepare(project, user.head)

    assert sorted(files_of(checkout.work)) == sorted([*FILES, "changed.txt", "kept.txt"])
