"""A clean checkout of a commit for Treadle's own commands, always at the same path."""

import asyncio
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from treadle.domain.errors import ProjectError
from treadle.workspace.clone_git_dir import agent_environment
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.disk_tree import PLAIN_INDEX, SUBMODULE_MODE
from treadle.workspace.external_files import (
    TreeEntry,
    copy_lfs_files,
    copy_submodules,
    read_entries,
)
from treadle.workspace.git import QUIET_OPTIONS, Git
from treadle.workspace.included_files import IncludedFiles, place_files, remove_files
from treadle.workspace.object_integrity import without_replacements
from treadle.workspace.project import Project
from treadle.workspace.throwaway_git import write_git_dir, write_history

# Beyond this number the least recently used ones are removed.
MOST_BASES = 2
# Searched before the user's PATH.
_PROGRAMS = "/usr/bin:/bin"
_NOTE = "setup.json"
# Where the file system can, a copy shares its blocks until one of the two is changed.
_COPY_OPTIONS = ("--reflink=auto",) if sys.platform == "linux" else ()

SetupBase: TypeAlias = Path


@dataclass(frozen=True, slots=True)
class CleanCheckout:
    """A directory that one process uses at a time. It contains:

    work    the files of a commit; commands start here
    home    the home directory of commands
    index   the git index of `work`
    git     the git directory for the checkout; removed before a command starts
    bases   copies of the first three after a setup command, by setup fingerprint
    """

    directory: Path
    # The user's files that each checkout gets.
    included: IncludedFiles = field(default_factory=IncludedFiles)

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
        """Check out the commit, over a copy of the base if there is one.

        What the setup command installed stays; files tracked in the base but not in the commit
        are removed.
        """
        with writing_to(self.directory):
            await asyncio.to_thread(self.clear)
            if base is None:
                self.work.mkdir(parents=True)
                self.home.mkdir(mode=0o700)
            else:
                await self._copy_base(project, base)
            entries = await self._check_out(project, commit)
            if base is None:
                await copy_submodules(project, entries, self.work)
            await copy_lfs_files(project, commit, entries, self.work)
            await asyncio.to_thread(place_files, self.included.all_sources, self.work)
            await write_history(project, commit, self.work, self._index)

    def base_for(self, fingerprint: str) -> SetupBase | None:
        """The base for this fingerprint, if there is one."""
        base = self._bases / fingerprint
        if not base.is_dir():
            return None
        os.utime(base / _NOTE)
        return base

    def keep_base(self, fingerprint: str, note: str) -> SetupBase:
        """Make the current checkout the base for this fingerprint, and remove the oldest bases."""
        with writing_to(self.directory):
            self._bases.mkdir(exist_ok=True)
            building = self._bases / "building"
            remove(building)
            building.mkdir()
            # It names a commit; each checkout writes its own.
            remove(self.work / ".git")
            remove_files(self.work, self.included.names)
            for part in (self.work, self.home, self._index):
                part.rename(building / part.name)
            (building / _NOTE).write_text(note, encoding="utf-8")
            base = self._bases / fingerprint
            remove(base)
            building.rename(base)
            self._remove_oldest()
            return base

    def note_of(self, base: SetupBase) -> str:
        """The note that was stored with a base."""
        return (base / _NOTE).read_text(encoding="utf-8")

    def clear(self) -> None:
        """Remove the current checkout, also of a killed process; bases stay."""
        for path in (self.work, self.home, self._index, self._git, self._bases / "building"):
            remove(path)

    def remove_bases(self) -> None:
        """Remove all bases; the next check makes the one that it needs again."""
        remove(self._bases)

    async def _copy_base(self, project: Project, base: SetupBase) -> None:
        path = project.git.environment.get("PATH", "")
        program = shutil.which("cp", path=_PROGRAMS) or shutil.which("cp", path=path)
        parts = [str(base / part.name) for part in (self.work, self.home, self._index)]
        process = await asyncio.create_subprocess_exec(
            program or "cp",
            *("-a", *_COPY_OPTIONS, "--", *parts, str(self.directory)),
            env={"LC_ALL": "C"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, stderr = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode != 0:
            raise ProjectError(
                f"what the setup command left cannot be copied: {_last_line(stderr)}",
                hint="free some space there, or let the setup command leave files that it may read",
            )

    async def _check_out(self, project: Project, commit: str) -> list[TreeEntry]:
        """Check out with a git that reads no user settings; returns the commit's entries.

        Attributes of the commit could name a filter that the user has configured, and that filter
        may run a program from the commit.
        """
        write_git_dir(project, commit, self._git)
        git = Git(
            self.work,
            agent_environment(project.git.environment),
            (f"--git-dir={self._git}", f"--work-tree={self.work}", *QUIET_OPTIONS),
            limit_s=project.git.limit_s,
        )
        # Git would read the git directory of a submodule, which a setup command may have written.
        entries = read_entries(await git.run("ls-tree", "-r", "-z", "--full-tree", commit))
        submodules = [entry.path for entry in entries if entry.mode == SUBMODULE_MODE]
        await asyncio.to_thread(self._remove_nested_git_dirs, submodules)
        indexed_git = git.with_index(self._index)
        await indexed_git.run(*PLAIN_INDEX, "read-tree", "--reset", "-u", commit)
        await asyncio.to_thread(remove, self._git)
        return entries

    def _remove_nested_git_dirs(self, submodules: Iterable[str]) -> None:
        for path in submodules:
            submodule = self.work / path
            path_parts = (
                submodule,
                *(parent for parent in submodule.parents if parent.is_relative_to(self.work)),
            )
            if not any(part.is_symlink() for part in path_parts):
                remove(submodule / ".git")

    def _remove_oldest(self) -> None:
        bases = sorted(self._bases.iterdir(), key=_last_used, reverse=True)
        for base in bases[MOST_BASES:]:
            remove(base)


async def find_tree(project: Project, commit: str) -> str | None:
    """The tree of a commit; None if the repository has no such commit."""
    git = without_replacements(project.git)
    result = await git.try_run("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    return result.output if result.ok else None


def _last_used(base: SetupBase) -> int:
    note = base / _NOTE
    return note.stat().st_mtime_ns if note.exists() else 0


def _last_line(stderr: bytes) -> str:
    lines = os.fsdecode(stderr).strip().splitlines()
    return lines[-1] if lines else "no reason was given"
