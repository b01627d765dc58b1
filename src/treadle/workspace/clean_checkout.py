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
from treadle.domain.pin_plan import PinPlan
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.disk_tree import PLAIN_INDEX, SUBMODULE_MODE
from treadle.workspace.external_files import copy_lfs_files, copy_submodules
from treadle.workspace.included_files import IncludedFiles, place_files, remove_files
from treadle.workspace.pinned_tree import write_pinned_tree
from treadle.workspace.project import Project
from treadle.workspace.search_path import path_outside
from treadle.workspace.throwaway_git import make_throwaway_git, write_history
from treadle.workspace.tree_entries import ReadableTree, TreeEntry

# Beyond this number the least recently used ones are removed: one for the tree before the work, one
# for the work and one for its pinned tree.
MOST_BASES = 3
# Searched before the user's PATH.
_PROGRAMS = "/usr/bin:/bin"
_NOTE = "setup.json"
_TREE = "tree"
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
    bases   copies of the first three after a setup command, by setup fingerprint, each with the
            name of the tree that it was made on
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

    async def prepare(
        self,
        project: Project,
        commit: str,
        base: SetupBase | None = None,
        pins: PinPlan | None = None,
    ) -> str:
        """Check out the commit with these pins, over a copy of the base if there is one.

        What the setup command installed stays; files tracked in the base but not in the commit
        are removed. Returns the name of the tree.
        """
        with writing_to(self.directory):
            await asyncio.to_thread(self.clear)
            if base is None:
                self.work.mkdir(parents=True)
                self.home.mkdir(mode=0o700)
            else:
                await self._copy_base(project, base)
            tree = await self._write_tree(project, commit, pins)
            entries = await tree.entries()
            await self._check_out(tree, entries)
            if base is None:
                await copy_submodules(project, entries, self.work)
            await copy_lfs_files(project, tree, entries, self.work)
            await asyncio.to_thread(place_files, self.included.all_sources, self.work)
            objects = self._git / "objects"
            await write_history(project, commit, self.directory, objects=objects)
            await asyncio.to_thread(remove, self._git)
            return tree.name

    def base_for(self, fingerprint: str) -> SetupBase | None:
        """The base for this fingerprint, if there is one."""
        base = self._bases / fingerprint
        if not base.is_dir():
            return None
        os.utime(base / _NOTE)
        return base

    def keep_base(self, fingerprint: str, note: str, tree: str = "") -> SetupBase:
        """Make the current checkout the base for this fingerprint, and remove the oldest bases.

        `tree` is the one that the setup was run on.
        """
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
            (building / _TREE).write_text(tree, encoding="utf-8")
            base = self._bases / fingerprint
            remove(base)
            building.rename(base)
            self._remove_oldest()
            return base

    def note_of(self, base: SetupBase) -> str:
        """The note that was stored with a base."""
        return (base / _NOTE).read_text(encoding="utf-8")

    def tree_of(self, base: SetupBase) -> str:
        """The tree that the setup of a base was run on; empty if nobody wrote it down."""
        tree = base / _TREE
        return tree.read_text(encoding="utf-8") if tree.exists() else ""

    def clear(self) -> None:
        """Remove the current checkout, also of a killed process; bases stay."""
        for path in (self.work, self.home, self._index, self._git, self._bases / "building"):
            remove(path)

    def remove_bases(self) -> None:
        """Remove all bases; the next check makes the one that it needs again."""
        remove(self._bases)

    async def _copy_base(self, project: Project, base: SetupBase) -> None:
        path = path_outside(project.git.environment.get("PATH", ""), project.root)
        program = shutil.which("cp", path=_PROGRAMS) or shutil.which("cp", path=path)
        parts = [str(base / part.name) for part in (self.work, self.home, self._index)]
        process = await asyncio.create_subprocess_exec(
            program or "cp",
            *("-a", *_COPY_OPTIONS, "--", *parts, str(self.directory)),
            env={"LC_ALL": "C"},
            cwd="/",
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
                hint="free some space there, or let the setup command create readable files",
            )

    async def _write_tree(
        self, project: Project, commit: str, pins: PinPlan | None
    ) -> ReadableTree:
        """The tree to be checked out, with a git that reads no user settings.

        Attributes of the commit could name a filter that the user has configured, and that filter
        may run a program from the commit.
        """
        git = make_throwaway_git(project, commit, self._git, self.work)
        if pins is None or pins.is_empty:
            return ReadableTree(await git.run("rev-parse", f"{commit}^{{tree}}"), git)
        return ReadableTree(
            await write_pinned_tree(git, commit, pins, self._git / "pinned-index"), git
        )

    async def _check_out(self, tree: ReadableTree, entries: Iterable[TreeEntry]) -> None:
        # Git would read the git directory of a submodule, which a setup command may have written.
        submodules = [entry.path for entry in entries if entry.mode == SUBMODULE_MODE]
        await asyncio.to_thread(self._remove_nested_git_dirs, submodules)
        indexed_git = tree.git.with_index(self._index)
        await indexed_git.run(*PLAIN_INDEX, "read-tree", "--reset", "-u", tree.name)

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


def _last_used(base: SetupBase) -> int:
    note = base / _NOTE
    return note.stat().st_mtime_ns if note.exists() else 0


def _last_line(stderr: bytes) -> str:
    lines = os.fsdecode(stderr).strip().splitlines()
    return lines[-1] if lines else "no reason was given"
