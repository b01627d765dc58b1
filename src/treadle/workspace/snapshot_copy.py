"""The files of a commit apart from any checkout, for what must not see an agent's changes."""

import tempfile
from dataclasses import replace
from pathlib import Path

from treadle.workspace.contents import PLAIN_INDEX
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.project import Project


async def copy_commit(project: Project, commit: str, into: Path) -> None:
    """Made once, whole or not at all; from the user's own objects, as an agent could forge those of
    its clone."""
    if _is_made(into):
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
        _empty(building)
        through = git.indexed_by(Path(scratch) / "index")
        await through.run(*PLAIN_INDEX, "read-tree", "--reset", "-u", commit)
        building.rename(into)


def _is_made(directory: Path) -> bool:
    return directory.is_dir()


def _empty(directory: Path) -> None:
    remove(directory)
    directory.mkdir(parents=True)
