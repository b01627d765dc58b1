"""A clean checkout of a commit for Treadle's own commands, always at the same path."""

import asyncio
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from treadle.domain.errors import ProjectError
from treadle.workspace.clone_git_dir import agent_environment
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.disk_tree import PLAIN_INDEX, SUBMODULE_MODE
from treadle.workspace.git import QUIET_OPTIONS, Git
from treadle.workspace.object_integrity import without_replacements
from treadle.workspace.project import Project
from treadle.workspace.throwaway_git import write_git_dir, write_history

# Further ones are removed, those first that nobody has used for longest.
MOST_BASES = 2
# Where the system has its programs; behind them, wherever the user has some.
_PROGRAMS = "/usr/bin:/bin"
_NOTE = "setup.json"

SetupBase: TypeAlias = Path


@dataclass(frozen=True, slots=True)
class CleanCheckout:
    """A directory of ours that one process at a time works in. Removed with all that is in it:

    work    the files of a commit, at the top of which a command starts
    home    the home that it has
    index   what git knows of the files in `work`
    git     by which our own git lays them out; gone before a command starts
    bases   the first three as a setup command left them, by what they were set up for
    """

    directory: Path

    @property
    def work(self) -> Path:
        return self.directory / "work"

    @property
    def home(self) -> Path:
        return self.directory / "home"

    @property
    def _index(self) -> Path:
        return self.directory / "index"

    @property
    def _git(self) -> Path:
        return self.directory / "git"

    @property
    def _bases(self) -> Path:
        return self.directory / "bases"

    async def prepare(self, project: Project, commit: str, base: SetupBase | None = None) -> None:
        """The files of the commit, over those of the base if there is one: what was set up there
        stays, and files that were tracked there and are not in the commit go."""
        with writing_to(self.directory):
            await asyncio.to_thread(self.clear)
            if base is None:
                self.work.mkdir(parents=True)
                self.home.mkdir(mode=0o700)
            else:
                await self._copy_base(project, base)
            await self._check_out(project, commit)
            await write_history(project, commit, self.work, self._index)

    def base_for(self, needs: str) -> SetupBase | None:
        """What was set up for these needs, if it is there."""
        base = self._bases / needs
        if not base.is_dir():
            return None
        os.utime(base / _NOTE)
        return base

    def keep_base(self, needs: str, note: str) -> SetupBase:
        """Make what is laid out now the base for these needs, and forget the oldest ones."""
        with writing_to(self.directory):
            self._bases.mkdir(exist_ok=True)
            building = self._bases / "building"
            remove(building)
            building.mkdir()
            # It names a commit, and each that is laid out has its own.
            remove(self.work / ".git")
            for part in (self.work, self.home, self._index):
                part.rename(building / part.name)
            (building / _NOTE).write_text(note, encoding="utf-8")
            base = self._bases / needs
            remove(base)
            building.rename(base)
            self._remove_oldest()
            return base

    def note_of(self, base: SetupBase) -> str:
        """What was written down when it was kept."""
        return (base / _NOTE).read_text(encoding="utf-8")

    def clear(self) -> None:
        """Remove what is laid out, also what a killed process left of it; bases stay."""
        for path in (self.work, self.home, self._index, self._git, self._bases / "building"):
            remove(path)

    async def _copy_base(self, project: Project, base: SetupBase) -> None:
        path = project.git.environment.get("PATH", "")
        program = shutil.which("cp", path=_PROGRAMS) or shutil.which("cp", path=path)
        parts = [str(base / part.name) for part in (self.work, self.home, self._index)]
        copying = await asyncio.create_subprocess_exec(
            program or "cp",
            *("-a", "--", *parts, str(self.directory)),
            env={"LC_ALL": "C"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, complaint = await copying.communicate()
        finally:
            if copying.returncode is None:
                copying.kill()
                await copying.wait()
        if copying.returncode != 0:
            raise ProjectError(
                f"what the setup command left cannot be copied: {_last_line(complaint)}",
                hint="free some space there, or let the setup command leave files that it may read",
            )

    async def _check_out(self, project: Project, commit: str) -> None:
        """By a git that knows no setting of the user's: attributes of the commit could name a
        filter of theirs, and that may be a program that the commit brings along."""
        write_git_dir(project, commit, self._git)
        git = Git(
            self.work,
            agent_environment(project.git.environment),
            (f"--git-dir={self._git}", f"--work-tree={self.work}", *QUIET_OPTIONS),
        )
        # Git would look into what lies at the place of a submodule, and that a setup command wrote.
        listing = await git.run("ls-tree", "-r", "-z", "--full-tree", commit)
        await asyncio.to_thread(self._remove_nested_git_dirs, _submodules(listing))
        through = git.with_index(self._index)
        await through.run(*PLAIN_INDEX, "read-tree", "--reset", "-u", commit)
        await asyncio.to_thread(remove, self._git)

    def _remove_nested_git_dirs(self, submodules: Iterable[str]) -> None:
        for path in submodules:
            place = self.work / path
            way = (place, *(above for above in place.parents if above.is_relative_to(self.work)))
            if not any(step.is_symlink() for step in way):
                remove(place / ".git")

    def _remove_oldest(self) -> None:
        bases = sorted(self._bases.iterdir(), key=_last_used, reverse=True)
        for base in bases[MOST_BASES:]:
            remove(base)


async def find_tree(project: Project, commit: str) -> str | None:
    """The tree of a commit; None if the repository has no such commit."""
    git = without_replacements(project.git)
    ran = await git.try_run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    return ran.output if ran.ok else None


def _submodules(listing: str) -> list[str]:
    """Of `ls-tree -z`: mode, kind, name and, behind a tab, the path."""
    entries = (entry.partition("\t") for entry in listing.split("\0"))
    return [path for head, _, path in entries if head.startswith(SUBMODULE_MODE)]


def _last_used(base: SetupBase) -> int:
    note = base / _NOTE
    return note.stat().st_mtime_ns if note.exists() else 0


def _last_line(complaint: bytes) -> str:
    lines = os.fsdecode(complaint).strip().splitlines()
    return lines[-1] if lines else "no reason was given"
