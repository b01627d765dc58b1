"""Keeps the commits that a session made and dropped again, in a repository beside the clone.

They are not judged, so they stay out of the user's repository: an agent may have dropped one
because of the credential in it. They come from the links of `object_links`, by a fetch that
computes the hash of each object and checks it.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.domain.ids import RunId
from treadle.workspace.alternates import lent_directories
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.disk import remove, writing_to
from treadle.workspace.dropped_commits import (
    CommitNode,
    backup_folder,
    choose_dropped,
    count_commits,
    in_order,
    number_refs,
)
from treadle.workspace.git import Git, GitFailed
from treadle.workspace.linked_commits import linked_packs, read_linked_commits
from treadle.workspace.object_links import PACKS
from treadle.workspace.output_pieces import OutputPieces, read_pieces
from treadle.workspace.quarantine import FETCH, bare_git, write_bare_repository

MOST_REFS = 100  # of a round
MOST_STORE_BYTES = 1 << 30
LONGEST_S = 120.0
PACKED = ("-c", "fetch.unpackLimit=1")


@dataclass(frozen=True, slots=True)
class StoredCommits:
    """Refs of one round in the store, and how many new commits they contain."""

    store: Path
    refs: tuple[str, ...] = ()
    commits: int = 0
    # Why some are not kept; empty if all are.
    missing: str = ""


def links_folder(clone: Path) -> Path:
    """A repository without refs, with links to the objects of the running session."""
    return clone.with_name(f"{clone.name}.links")


def store_folder(clone: Path) -> Path:
    return clone.with_name("dropped-commits.git")


async def keep_dropped_commits(
    clone: Clone, run: RunId, *work: str, limit_s: float = LONGEST_S
) -> StoredCommits | None:
    """Keep what a session committed and `work` does not contain; None if that is nothing.

    The clone must be repaired. The links stay, so that a second call after an interruption has the
    same result: `discard_links` removes them.
    """
    links = links_folder(clone.path)
    if not links.is_dir():
        return None
    keeping = _CommitKeeping(clone, backup_folder(run), links, store_folder(clone.path))
    try:
        async with asyncio.timeout(limit_s):
            await keeping.keep(*work)
    except TimeoutError:
        keeping.missing = f"keeping them took longer than {limit_s:g} s"
    except (GitFailed, ProjectError) as error:
        keeping.missing = error.message
    except OSError as error:
        keeping.missing = f"{error.filename}: {error.strerror}"
    return keeping.result()


def discard_links(clone: Path) -> None:
    """Remove the links after what they keep was recorded."""
    folder = links_folder(clone)
    with writing_to(folder):
        remove(folder)


class _CommitKeeping:
    """One transfer from the links to the store."""

    def __init__(self, clone: Clone, folder: str, links: Path, store: Path) -> None:
        self._clone = clone
        self._folder = folder
        self._links = links
        self._store = store
        self._commits: list[CommitNode] = []
        self._refs: dict[str, str] = {}
        self.missing = ""

    def result(self) -> StoredCommits | None:
        if not self._refs and not self.missing:
            return None
        count = count_commits(self._commits, self._refs.values())
        return StoredCommits(self._store, in_order(self._refs), count, self.missing)

    async def keep(self, *work: str) -> None:
        lent = lent_directories(self._clone.sources.repository, self._clone.path.parent)
        # What was not linked may still be in the clone, or was dropped in an earlier round.
        others = (self._clone.git_dir / "objects", self._store / "objects")
        present = (directory for directory in others if directory.is_dir())
        with writing_to(self._links):
            write_bare_repository(self._clone, self._links, (*lent, *present))
        source = bare_git(self._clone, self._links)
        linked = self._links / "objects"
        self._commits = await read_linked_commits(source, linked)
        if not self._commits:
            return
        # A pack that an agent makes may contain the user's history as well.
        since = () if linked_packs(linked) else ("--not", self._clone.base)
        try:
            contained = await self._contained(source, *work, *since)
        except GitFailed:
            # The history that was made is damaged. The last one is imported, and whole.
            contained = await self._contained(source, *work[-1:], *since)
        dropped = choose_dropped(self._commits, contained, MOST_REFS)
        if dropped.left_out:
            self.missing = f"there are more than {MOST_REFS}, and the newest are kept"
        if dropped.tips:
            self._commits = [each for each in self._commits if each.name not in contained]
            await self._fetch(dropped.tips, lent)

    async def _contained(self, source: Git, *revisions: str) -> set[str]:
        """Which of the commits the revisions contain."""
        names = {commit.name for commit in self._commits}

        def read(pieces: OutputPieces) -> set[str]:
            contained = set[str]()
            while (line := pieces.next_field(b"\n")) is not None:
                if (name := line.decode()) in names:
                    contained.add(name)
            return contained

        return await read_pieces(source, read, ("rev-list", *revisions))

    async def _fetch(self, tips: tuple[str, ...], lent: tuple[Path, ...]) -> None:
        with writing_to(self._store):
            write_bare_repository(self._clone, self._store, lent)
        store = bare_git(self._clone, self._store)
        if _size_of(self._store / "objects" / PACKS) > MOST_STORE_BYTES:
            self.missing = f"{self._store} takes more than {MOST_STORE_BYTES >> 20} MB already"
            return
        listing = await store.run("for-each-ref", "--format=%(refname) %(objectname)", self._folder)
        kept = dict(line.split(" ") for line in listing.splitlines())
        # After an interruption some have their refs already.
        self._refs = {ref: commit for ref, commit in kept.items() if commit in tips}
        new = number_refs(reversed(tips), kept, self._folder)
        if new and not await self._try_fetch(store, new):
            # One commit whose objects are not complete must not cost the others. Newest first.
            for ref, commit in reversed(new.items()):
                if not await self._try_fetch(store, {ref: commit}):
                    self.missing = "objects of some were gone before they could be linked"

    async def _try_fetch(self, store: Git, refs: dict[str, str]) -> bool:
        specs = tuple(f"{commit}:{ref}" for ref, commit in refs.items())
        fetched = await store.try_run(*PACKED, *FETCH, str(self._links), *specs)
        if fetched.ok:
            self._refs |= refs
        return fetched.ok


def _size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.pack"))
