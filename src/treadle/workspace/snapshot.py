"""What the user sees at the start of a run, as a commit; their files, index and HEAD stay as is."""

from dataclasses import dataclass

from treadle.domain.agent import Identity
from treadle.domain.ids import RunId, short
from treadle.workspace.contents import private_index, write_contents
from treadle.workspace.git import Git
from treadle.workspace.project import Project, identity


@dataclass(frozen=True, slots=True)
class Checkout:
    """Where a checkout stands: its commit, its branch, and the tree of what lies on disk."""

    head: str | None  # None before the first commit
    branch: str | None  # None when HEAD is detached
    tree: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a run starts from. `commit` is HEAD, or a commit of ours on top of it when dirty."""

    head: str | None
    branch: str | None
    commit: str
    tree: str
    dirty: bool

    @property
    def checkout(self) -> Checkout:
        return Checkout(self.head, self.branch, self.tree)


def snapshot_ref(run: RunId) -> str:
    return f"refs/treadle/snapshot/{run}"


async def observe(project: Project) -> Checkout:
    """Where the user's checkout stands now."""
    symbolic = await project.git.try_run("symbolic-ref", "--quiet", "HEAD")
    head = await project.git.commit_of("HEAD")
    with private_index(project.git_dir / "index") as index:
        contents = await write_contents(project.git, index)
    branch = symbolic.output.removeprefix("refs/heads/") if symbolic.ok else None
    return Checkout(head, branch, contents.tree)


async def take_snapshot(project: Project, run: RunId) -> Snapshot:
    """Keep what the user sees on a private ref. Asked again, an unchanged checkout gives the same.

    Safe to cut anywhere: until the ref is written there are only unreferenced objects.
    """
    seen = await observe(project)
    commit = await _commit_for(project, run, seen)
    await project.git.run("update-ref", snapshot_ref(run), commit)
    return Snapshot(seen.head, seen.branch, commit, seen.tree, dirty=commit != seen.head)


async def _commit_for(project: Project, run: RunId, seen: Checkout) -> str:
    git = project.git
    if seen.head is not None and await tree_of(git, seen.head) == seen.tree:
        return seen.head
    kept = await git.commit_of(snapshot_ref(run))
    if kept is not None and await _shows(git, kept, seen):
        return kept
    return await commit_tree(
        git,
        seen.tree,
        parents=() if seen.head is None else (seen.head,),
        message=f"Snapshot of uncommitted changes (treadle {short(run)})",
        author=await identity(project),
    )


async def _shows(git: Git, commit: str, seen: Checkout) -> bool:
    parents = (await git.run("rev-parse", f"{commit}^@")).split()
    return await tree_of(git, commit) == seen.tree and parents == [
        parent for parent in (seen.head,) if parent is not None
    ]


async def tree_of(git: Git, commit: str) -> str:
    return await git.run("rev-parse", "--verify", f"{commit}^{{tree}}")


async def commit_tree(
    git: Git, tree: str, *, parents: tuple[str, ...], message: str, author: Identity
) -> str:
    """A commit that no ref points to yet."""
    signed = git.with_variables(
        GIT_AUTHOR_NAME=author.name,
        GIT_AUTHOR_EMAIL=author.email,
        GIT_COMMITTER_NAME=author.name,
        GIT_COMMITTER_EMAIL=author.email,
    )
    ancestry = [word for parent in parents for word in ("-p", parent)]
    return await signed.run("commit-tree", tree, *ancestry, stdin=message.encode() + b"\n")
