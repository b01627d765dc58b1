"""Completes a commit in a partial clone: fetches the objects that the user's repository lacks.

A run's clone borrows the user's objects and has no remote, so they must be there before it starts.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from treadle.domain.errors import ProjectError
from treadle.workspace.git import Git, GitResult
from treadle.workspace.project import Project

# The size of what is missing is unknown; a fetch that does not end must still be noticed.
FETCH_LIMIT_S = 3600.0
_PROMISORS = ("config", "-z", "--type=bool", "--get-regexp", r"^remote\..*\.promisor$")
# As git itself does for a single missing object.
_FETCH = (
    "-c", "fetch.negotiationAlgorithm=noop",
    "-c", "fetch.writeCommitGraph=false",
    "fetch", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no",
    "--filter=blob:none", "--no-auto-maintenance", "--stdin",
)  # fmt: skip


async def fetch_missing(project: Project, commit: str, report: Callable[[str], None]) -> None:
    """Fetch what the commit's files need, with the user's git; does nothing in a full clone.

    Raises ProjectError if it cannot be fetched.
    """
    git = replace(project.git, limit_s=max(FETCH_LIMIT_S, project.git.limit_s))
    remotes = await _promisors(git)
    missing = await _missing_objects(git, commit) if remotes else []
    if not missing:
        return
    count = f"{len(missing)} object{'' if len(missing) == 1 else 's'}"
    report(f"this clone is partial: {count} of {commit[:8]} must be fetched before the run starts")
    while missing:
        error = await _fetch(git, remotes, missing)
        before, missing = missing, await _missing_objects(git, commit)
        # Without trees, the objects below a missing one are not known before it is there.
        if missing and (error or missing == before):
            raise ProjectError(
                f"this clone is partial, and {len(missing)} objects of {commit[:8]} cannot be"
                f" fetched: {error or 'the remote does not have them'}",
                hint=f"see whether `git fetch {remotes[0]}` works here, then start again",
            )


async def _promisors(git: Git) -> list[str]:
    """The remotes that promised to have what a partial clone lacks."""
    listing = await git.try_run(*_PROMISORS)
    entries = (entry.partition("\n") for entry in listing.output.split("\0"))
    return [
        key.removeprefix("remote.").removesuffix(".promisor")
        for key, _, value in entries
        if value == "true"
    ]


async def _missing_objects(git: Git, commit: str) -> list[str]:
    listing = await git.run(
        "rev-list", "--objects", "--no-object-names", "--missing=print", f"{commit}^{{tree}}"
    )
    return [line[1:] for line in listing.split("\n") if line.startswith("?")]


async def _fetch(git: Git, remotes: Sequence[str], objects: Sequence[str]) -> str:
    """Fetch from the first remote that has them; the last error, or an empty text."""
    wanted = "".join(f"{name}\n" for name in objects).encode()
    result = GitResult(1, "", "")
    for remote in remotes:
        result = await git.try_run(*_FETCH[:-1], remote, _FETCH[-1], stdin=wanted)
        if result.ok:
            return ""
    return result.error_line
