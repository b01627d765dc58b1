"""Copies the objects that a project borrows from its alternates, for a run that must not read the
rest of them."""

import os
import tempfile
from pathlib import Path

from treadle.workspace.alternates import lent_folder, object_directories
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.git import Git
from treadle.workspace.output_pieces import OutputPieces, read_pieces
from treadle.workspace.project import Project


async def lend_objects(project: Project, commit: str, run_directory: Path) -> None:
    """Pack what the commit and its ancestors need from alternates, once and completely.

    A project without alternates needs nothing. The cost grows with its history.
    """
    directories = object_directories(project.git_dir)
    target = lent_folder(run_directory)
    if len(directories) <= 1 or target.is_dir():
        return
    own, *others = directories
    building = target.with_name(f"{target.name}.building")
    with writing_to(building):
        remove(building)
        (building / "pack").mkdir(parents=True)
        (building / "info").mkdir()
        for number, other in enumerate(others):
            further = [own, *(path for path in others if path != other)]
            pack = building / "pack" / f"pack-{number}.pack"
            await _write_pack(_git_with(project.git, other, further), commit, pack)
            await project.git.run("index-pack", str(pack))
        building.rename(target)


def _git_with(git: Git, objects: Path, further: list[Path]) -> Git:
    """Git for which one alternate is the repository, and the repository an alternate."""
    quoted = ['"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"' for path in further]
    return git.with_variables(
        GIT_OBJECT_DIRECTORY=str(objects),
        GIT_ALTERNATE_OBJECT_DIRECTORIES=os.pathsep.join(quoted),
    )


async def _write_pack(git: Git, commit: str, pack: Path) -> None:
    """Write what the commit needs and only `git`'s own object directory has."""

    def write(pieces: OutputPieces) -> None:
        with pack.open("wb") as file:
            while piece := pieces.next_piece():
                file.write(piece)

    with tempfile.TemporaryFile() as revisions:
        revisions.write(f"{commit}\n".encode())
        revisions.seek(0)
        command = ("pack-objects", "--revs", "--local", "--stdout", "--quiet")
        await read_pieces(git, write, command, stdin=revisions.fileno())
