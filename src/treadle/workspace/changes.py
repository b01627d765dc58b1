"""What a run changed, as text for people; read from the user's repository alone."""

from treadle.domain.errors import ProjectError
from treadle.workspace.project import Project

# A project may name programs that render its diffs; none is started here.
_PLAIN = ("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames")


async def diff_text(
    project: Project, snapshot_commit: str, branch: str, *, stat: bool = False
) -> str:
    """The patch from the snapshot to the run's branch, or with `stat` its summary by file."""
    for name in (snapshot_commit, branch):
        if await project.git.commit_of(name) is None:
            raise ProjectError(
                f"{name} is not in this repository (any more)",
                hint="see the run's branches with `git branch --list 'treadle/*'`, its backups "
                "with `git for-each-ref refs/treadle`",
            )
    form = ("--stat=80",) if stat else ("--patch",)
    return await project.git.run("diff", *_PLAIN, *form, snapshot_commit, branch, "--")
