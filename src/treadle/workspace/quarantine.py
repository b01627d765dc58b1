"""The quarantine of a round: a repository of Treadle's own, where its commits are judged.

The clone's indexes can describe other objects than those it hands out, so nothing is judged there.
A fetch into the quarantine computes each object's hash; what is judged is what the user's
repository gets.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treadle.workspace.agent_tree import HARDENED_OPTIONS, agent_git, git_memory
from treadle.workspace.clone_git_dir import Clone, agent_environment
from treadle.workspace.disk import is_written, remove, writing_to
from treadle.workspace.disk_tree import PLAIN_INDEX, copy_index
from treadle.workspace.git import QUIET_OPTIONS, Git, GitFailed
from treadle.workspace.salvage import ASIDE_REFS
from treadle.workspace.temporary_folders import scratch_folder

FETCH = (
    "-c", "fetch.fsckObjects=true",
    "-c", "transfer.fsckObjects=true",
    "-c", "core.bigFileThreshold=32m",
    "-c", "fetch.prune=false",
    "-c", "fetch.writeCommitGraph=false",
    "-c", "fetch.output=full",
    # Otherwise git treats every update as a fast-forward.
    "-c", "fetch.showForcedUpdates=true",
    "fetch", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
    "--no-recurse-submodules", "--no-prune",
)  # fmt: skip

# A run sets aside one commit in a round at most.
MOST_ASIDES = 16
PACKED_REFS = "packed-refs"
_BARE = b"[core]\n\tbare = true\n"


class FetchFailed(GitFailed):
    """The clone cannot provide the commits, or they are malformed."""


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A round's commits, each object with the content that its hash names."""

    path: Path
    git: Git
    # When this round was first fetched: a repeated import makes the same commits.
    time: int


async def fetch_round(
    clone: Clone, tip: str, imported: str, aside: str | None = None
) -> Quarantine:
    """Fetch the round up to `tip` and what was set aside, into an empty quarantine.

    `imported` is the last imported commit, `aside` what this round set aside. After an interruption
    a second call starts anew.
    """
    path = clone.path.with_name(f"{clone.path.name}.quarantine")
    with writing_to(path):
        remove(path)
        write_bare_repository(clone, path, (clone.sources.repository / "objects",))
    quarantine = Quarantine(path, bare_git(clone, path), _time_of(clone, tip))
    refspecs = (
        f"+{tip}:refs/treadle/tip",
        f"+{imported}:refs/treadle/imported",
        f"+{ASIDE_REFS}/*:{ASIDE_REFS}/*",
    )
    try:
        await quarantine.git.run(*FETCH, str(clone.path), *refspecs)
    except GitFailed as error:
        raise FetchFailed(error.message, hint=error.hint) from error
    if (path / ASIDE_REFS).exists() or (path / PACKED_REFS).exists():
        kept = await _likely_asides(quarantine.git, aside)
        refs = {"refs/treadle/tip": tip, "refs/treadle/imported": imported} | kept
        with writing_to(path):
            remove(path / ASIDE_REFS)
            remove(path / PACKED_REFS)
        updates = "".join(f"update {ref} {name}\n" for ref, name in refs.items())
        await quarantine.git.run("update-ref", "--stdin", stdin=updates.encode())
    return quarantine


async def _likely_asides(git: Git, aside: str | None) -> dict[str, str]:
    """The refs that a run makes: of a commit, by its name, and few. An agent can make others, any
    number of them, also of tags, whose text nobody searches."""
    fields = "--format=%(objecttype) %(objectname) %(refname)"
    listing = (await git.run("for-each-ref", fields, ASIDE_REFS)).splitlines()
    refs = [line.split(" ", 2) for line in listing]
    names = [name for kind, name, ref in refs if (kind, f"{ASIDE_REFS}/{name}") == ("commit", ref)]
    kept = sorted(names, key=lambda name: name != aside)[:MOST_ASIDES]
    return {f"{ASIDE_REFS}/{name}": name for name in kept}


async def continue_from(clone: Clone, quarantine: Quarantine, *, made: str, judged: str) -> None:
    """Let the clone's branch go on from the judged commit, if it is not the one that was made.

    Files stay as they are: what was left out is uncommitted again. Until the index is written, git
    takes it for staged, and a second call has the same result.
    """
    if made == judged:
        return
    git = agent_git(clone)
    fetch = (*FETCH, "--update-head-ok")
    await git.run(*fetch, str(quarantine.path), f"+{judged}:{clone.ref}")
    with scratch_folder() as folder:
        index = folder / "index"
        await git.with_index(index).run(*PLAIN_INDEX, "read-tree", judged)
        copy_index(index, clone.git_dir / "index")


def discard(quarantine: Quarantine) -> None:
    """Remove what is imported by now, and what was left out; the clone still has that."""
    with writing_to(quarantine.path):
        remove(quarantine.path)


def bare_git(clone: Clone, path: Path) -> Git:
    """Git in a bare repository of Treadle's own that has an agent's objects."""
    return Git(
        path,
        agent_environment(clone.project.git.environment),
        options=(f"--git-dir={path}", *QUIET_OPTIONS, *HARDENED_OPTIONS),
        limit_s=clone.project.git.limit_s,
        program=clone.project.git.program,
        memory_bytes=git_memory(clone),
    )


def write_bare_repository(clone: Clone, path: Path, alternates: Sequence[Path]) -> None:
    """Write a bare repository that reads these object directories; its own objects stay."""
    for folder in ("objects/info", "refs"):
        (path / folder).mkdir(parents=True, exist_ok=True)
    (path / "HEAD").write_text("ref: refs/heads/none\n")
    (path / "config").write_bytes(clone.sources.disk_settings + _BARE)
    listing = b"".join(os.fsencode(directory) + b"\n" for directory in alternates)
    (path / "objects/info/alternates").write_bytes(listing)
    shallow = clone.sources.repository / "shallow"
    if shallow.is_file():
        (path / "shallow").write_bytes(shallow.read_bytes())


def _time_of(clone: Clone, tip: str) -> int:
    """When a round with this last commit was first fetched: the time of a file that names it."""
    note = clone.path.with_name(f"{clone.path.name}.fetched")
    text = f"{tip}\n".encode()
    if not is_written(note, text):
        with writing_to(note):
            temporary = note.with_name(f"{note.name}.new")
            temporary.write_bytes(text)
            temporary.replace(note)
    return int(note.stat().st_mtime)
