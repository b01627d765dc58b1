"""Takes a snapshot of the user's files as a commit, without changing files, index or HEAD."""

import asyncio
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import ProjectError
from treadle.domain.ids import RunId, short_id
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.disk_tree import (
    PLAIN_INDEX,
    find_changed_paths,
    private_index,
    write_changed_paths,
)
from treadle.workspace.git import Git
from treadle.workspace.project import Project, read_identity
from treadle.workspace.secret_files import CheckoutSecrets, screen_checkout


@dataclass(frozen=True, slots=True)
class CheckoutState:
    """The state of a checkout: its commit, its branch, and the tree of its files on disk."""

    head: str | None  # None before the first commit
    branch: str | None  # None when HEAD is detached
    tree: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The start of a run. `commit` is HEAD, or Treadle's commit on top of it if dirty."""

    head: str | None
    branch: str | None
    commit: str
    tree: str
    dirty: bool
    # Unknown for a snapshot that was restored from a log.
    secrets: CheckoutSecrets = field(default_factory=CheckoutSecrets)

    @property
    def checkout(self) -> CheckoutState:
        return CheckoutState(self.head, self.branch, self.tree)


def snapshot_ref(run: RunId) -> str:
    return f"refs/treadle/snapshot/{run}"


async def read_checkout(project: Project) -> CheckoutState:
    """Read the current state of the user's checkout, without untracked files of secrets."""
    return (await inspect_checkout(project))[0]


async def inspect_checkout(project: Project) -> tuple[CheckoutState, CheckoutSecrets]:
    """As `read_checkout`, with the files that seem to hold secrets."""
    symbolic = await project.git.try_run("symbolic-ref", "--quiet", "HEAD")
    head = await project.git.commit_of("HEAD")
    with private_index(project.git_dir / "index") as index:
        changed = await find_changed_paths(project.git, index)
        changed, secrets = await asyncio.to_thread(screen_checkout, project.root, changed)
        tree = await write_changed_paths(project.git, index, changed)
    branch = symbolic.output.removeprefix("refs/heads/") if symbolic.ok else None
    return CheckoutState(head, branch, tree), secrets


async def snapshot_commit(project: Project, run: RunId) -> str:
    """A commit of the user's files that no ref keeps, for use at once."""
    return await _commit_for(project, run, await read_checkout(project))


async def take_snapshot(project: Project, run: RunId) -> Snapshot:
    """Keep the user's files on a private ref; an unchanged checkout gives the same snapshot.

    Safe to interrupt: until the ref is written there are only unreferenced objects.
    """
    checkout, secrets = await inspect_checkout(project)
    commit = await _commit_for(project, run, checkout)
    await project.git.run("update-ref", snapshot_ref(run), commit)
    return Snapshot(
        checkout.head,
        checkout.branch,
        commit,
        checkout.tree,
        dirty=commit != checkout.head,
        secrets=secrets,
    )


async def take_head(project: Project, run: RunId) -> Snapshot:
    """Keep the checkout's commit on a private ref, without uncommitted changes.

    A task starts from it: what a person has not committed is not part of a pull request.
    """
    checkout, secrets = await inspect_checkout(project)
    if checkout.head is None:
        raise ProjectError(
            "the project has no commit that a branch can start from",
            hint="commit something first: git commit --allow-empty -m 'First commit'",
        )
    await project.git.run("update-ref", snapshot_ref(run), checkout.head)
    tree = await tree_of(project.git, checkout.head)
    return Snapshot(
        checkout.head,
        checkout.branch,
        checkout.head,
        tree,
        dirty=checkout.tree != tree,
        secrets=secrets,
    )


async def _commit_for(project: Project, run: RunId, checkout: CheckoutState) -> str:
    git = project.git
    if checkout.head is not None and await tree_of(git, checkout.head) == checkout.tree:
        return checkout.head
    kept = await git.commit_of(snapshot_ref(run))
    if kept is not None and await _matches_checkout(git, kept, checkout):
        return kept
    return await commit_tree(
        git,
        checkout.tree,
        parents=() if checkout.head is None else (checkout.head,),
        message=f"Snapshot of uncommitted changes (treadle {short_id(run)})",
        author=await read_identity(project),
    )


async def _matches_checkout(git: Git, commit: str, checkout: CheckoutState) -> bool:
    parents = (await git.run("rev-parse", f"{commit}^@")).split()
    return await tree_of(git, commit) == checkout.tree and parents == [
        parent for parent in (checkout.head,) if parent is not None
    ]


async def tree_of(git: Git, commit: str) -> str:
    return await git.run("rev-parse", "--verify", f"{commit}^{{tree}}")


async def commit_tree(
    git: Git, tree: str, *, parents: tuple[str, ...], message: str, author: CommitIdentity
) -> str:
    """Make a commit without a ref."""
    signed = git.with_variables(
        GIT_AUTHOR_NAME=author.name,
        GIT_AUTHOR_EMAIL=author.email,
        GIT_COMMITTER_NAME=author.name,
        GIT_COMMITTER_EMAIL=author.email,
    )
    ancestry = [word for parent in parents for word in ("-p", parent)]
    return await signed.run("commit-tree", tree, *ancestry, stdin=message.encode() + b"\n")


async def copy_commit(project: Project, commit: str, into: Path) -> None:
    """Check out a commit into a new directory, once and completely.

    The objects are the user's own, because an agent could forge those of its clone.
    """
    if _is_complete(into):
        return
    building = into.with_name(f"{into.name}.building")
    git = replace(
        project.git.with_variables(GIT_LFS_SKIP_SMUDGE="1"),
        directory=building,
        options=(
            f"--git-dir={project.git_dir}",
            f"--work-tree={building}",
            *project.git.options,
            *("-c", "core.sparseCheckout=false"),
        ),
    )
    with writing_to(building), tempfile.TemporaryDirectory(prefix="treadle-index-") as scratch:
        _make_empty(building)
        indexed_git = git.with_index(Path(scratch) / "index")
        await indexed_git.run(*PLAIN_INDEX, "read-tree", "--reset", "-u", commit)
        building.rename(into)


def _is_complete(directory: Path) -> bool:
    return directory.is_dir()


def _make_empty(directory: Path) -> None:
    remove(directory)
    directory.mkdir(parents=True)
