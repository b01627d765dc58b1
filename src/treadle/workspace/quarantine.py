"""The quarantine of a round: a repository of Treadle's own, where its commits are judged.

The clone's indexes can describe other objects than those it hands out, so nothing is judged there.
A fetch into the quarantine computes each object's hash; what is judged is what the user's
repository gets.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from treadle.workspace.agent_tree import HARDENED_OPTIONS, agent_git
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


async def fetch_round(clone: Clone, tip: str, imported: str) -> Quarantine:
    """Fetch the round up to `tip` and what was set aside, into an empty quarantine.

    `imported` is the last imported commit. After an interruption a second call starts anew.
    """
    path = clone.path.with_name(f"{clone.path.name}.quarantine")
    with writing_to(path):
        _write_empty(clone, path)
    quarantine = Quarantine(path, _git_in(clone, path), _time_of(clone, tip))
    refspecs = (
        f"+{tip}:refs/treadle/tip",
        f"+{imported}:refs/treadle/imported",
        f"+{ASIDE_REFS}/*:{ASIDE_REFS}/*",
    )
    try:
        await quarantine.git.run(*FETCH, str(clone.path), *refspecs)
    except GitFailed as error:
        raise FetchFailed(error.message, hint=error.hint) from error
    return quarantine


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


def _git_in(clone: Clone, path: Path) -> Git:
    return Git(
        path,
        agent_environment(clone.project.git.environment),
        options=(f"--git-dir={path}", *QUIET_OPTIONS, *HARDENED_OPTIONS),
        limit_s=clone.project.git.limit_s,
        program=clone.project.git.program,
    )


def _write_empty(clone: Clone, path: Path) -> None:
    """Replace the quarantine by an empty one that reads the user's objects."""
    remove(path)
    for folder in ("objects/info", "refs"):
        (path / folder).mkdir(parents=True)
    repository = clone.sources.repository
    (path / "HEAD").write_text("ref: refs/heads/none\n")
    (path / "config").write_bytes(clone.sources.disk_settings + _BARE)
    (path / "objects/info/alternates").write_bytes(os.fsencode(repository / "objects") + b"\n")
    if (repository / "shallow").is_file():
        (path / "shallow").write_bytes((repository / "shallow").read_bytes())


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
