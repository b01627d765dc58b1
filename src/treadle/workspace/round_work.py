"""One round's work in the quarantine, and the one commit that it becomes if parts are left out."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.commit_authorship import AuthorshipRules
from treadle.workspace.disk_tree import PLAIN_INDEX
from treadle.workspace.git import Git
from treadle.workspace.quarantine import Quarantine
from treadle.workspace.salvage import CommittedRound, commit_work
from treadle.workspace.snapshot import tree_of
from treadle.workspace.temporary_folders import scratch_folder
from treadle.workspace.tree_entries import ReadableTree

# In the message of a commit that stands for several.
MOST_SUBJECTS = 50


@dataclass(frozen=True, slots=True)
class RoundWork:
    """One round's work: its clone, the last imported commit, the message for a new commit, and the
    quarantine with its commits."""

    clone: Clone
    imported: str
    message: str
    quarantine: Quarantine
    started_at: int  # when the run began

    @property
    def authorship(self) -> AuthorshipRules:
        clone, time = self.clone, self.quarantine.time
        return AuthorshipRules(clone.identity, self.started_at, time, clone.rules.credit_patterns)

    @property
    def git(self) -> Git:
        """Git in the quarantine: nothing is judged through the clone's own indexes."""
        return self.quarantine.git


async def squash_round(
    work: RoundWork, committed: CommittedRound, left_out: Sequence[str]
) -> CommittedRound:
    """Make one commit of the round on top of the last import, with withheld files unchanged."""
    time = f"{work.quarantine.time} +0000"
    git = work.git.with_variables(GIT_AUTHOR_DATE=time, GIT_COMMITTER_DATE=time)
    with scratch_folder() as folder:
        indexed_git = git.with_index(folder / "index")
        await indexed_git.run(*PLAIN_INDEX, "read-tree", committed.tip)
        if entries := await _entries_at(git, work.imported, left_out):
            update = (*PLAIN_INDEX, "update-index", "-z", "--index-info")
            await indexed_git.run(*update, stdin=entries)
        tree = await indexed_git.run(*PLAIN_INDEX, "write-tree")
    made = None
    if tree != await tree_of(git, work.imported):
        made = await commit_work(
            git, work.clone, tree, parents=(work.imported,), message=work.message
        )
    return replace(
        committed,
        tip=made or work.imported,
        commit=made,
        on_top_of=None,
        tree="",
        files=(),
        removed=(),
    )


async def join_commits(
    work: RoundWork, committed: CommittedRound, clean: Callable[[str], str]
) -> CommittedRound | None:
    """One commit instead of several, which lists their subjects; None if there is at most one."""
    limits = ("--reverse", f"--max-count={MOST_SUBJECTS + 1}", "--no-merges")
    listed = await work.git.run("log", "--format=%s", *limits, committed.tip, f"^{work.imported}")
    subjects = [f"- {subject}" for subject in listed.splitlines() if subject != work.message]
    count = await work.git.run("rev-list", "--count", committed.tip, f"^{work.imported}")
    if int(count) <= 1:
        return None
    text = "\n".join([work.message, "", *subjects[:MOST_SUBJECTS]])
    return await squash_round(replace(work, message=clean(text.strip())), committed, ())


async def objects_at(git: Git, commit: str, paths: Sequence[str]) -> set[str]:
    """The objects that a commit has at these paths."""
    entries = await _entries_at(git, commit, paths)
    names = {entry.split(b"\t", 1)[0].split(b" ")[1] for entry in entries.split(b"\0") if entry}
    return {name.decode() for name in names if name.strip(b"0")}


async def _entries_at(git: Git, commit: str, paths: Sequence[str]) -> bytes:
    """The entries of these paths as input for the index; a missing path is removed from it."""
    wanted = dict.fromkeys(path for path in paths if path)
    if not wanted:
        return b""
    # All are listed: an agent can add more paths than a command line holds.
    listed = await ReadableTree(commit, git).entries()
    entries = {entry.path: f"{entry.mode} {entry.name}" for entry in listed}
    absent = f"0 {'0' * len(commit)}"
    return os.fsencode("".join(f"{entries.get(path, absent)}\t{path}\0" for path in wanted))
