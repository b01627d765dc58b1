"""Backup refs: they keep what a branch or index held before Treadle moves it."""

from treadle.domain.ids import RunId
from treadle.workspace.project import Project


async def back_up(project: Project, run: RunId, commit: str) -> str:
    """Return a ref that keeps `commit`; a repeated call returns the existing one."""
    folder = f"refs/treadle/backup/{run}"
    kept = await project.git.run("for-each-ref", "--format=%(objectname) %(refname)", folder)
    known = dict(line.split(" ", 1) for line in kept.splitlines())
    if commit in known:
        return known[commit]
    taken = [int(name.rpartition("/")[2]) for name in known.values()]
    ref = f"{folder}/{max(taken, default=0) + 1}"
    await project.git.run("update-ref", ref, commit, _null_id(commit))
    return ref


def _null_id(commit: str) -> str:
    """The old value that means "must not exist yet", in the length of the hash in use."""
    return "0" * len(commit)


def ref_move(ref: str, commit: str, *, from_: str | None) -> tuple[str, ...]:
    """The command that moves a ref, and fails if another process has moved it."""
    expected = _null_id(commit) if from_ is None else from_
    return ("update-ref", "-m", "treadle", ref, commit, expected)
