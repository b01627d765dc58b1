"""Decides which commits of a session are no part of the work, and which refs keep them. Pure."""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

_SHA256_DIGITS = 64
_PARENT = re.compile(rb"parent ([0-9a-f]{40,64})\n")
_COMMITTER = re.compile(rb"\ncommitter [^\n]* (\d{1,12}) [+-]\d{4}\n")


@dataclass(frozen=True, slots=True)
class CommitNode:
    """A commit with its parents, and the time that it gives itself."""

    name: str
    parents: tuple[str, ...] = ()
    time: int = 0


@dataclass(frozen=True, slots=True)
class DroppedCommits:
    """Commits that are no part of the work; the tips contain all others.

    The newest tip comes first. `left_out` counts the tips beyond the limit.
    """

    tips: tuple[str, ...] = ()
    left_out: int = 0


def parse_commit(name: str, content: bytes) -> CommitNode | None:
    """The commit in an uncompressed object; None if it is none, or not the one of this name."""
    kind, _, text = content.partition(b"\0")
    hashed = hashlib.sha256 if len(name) == _SHA256_DIGITS else hashlib.sha1
    if kind != b"commit %d" % len(text) or hashed(content).hexdigest() != name:
        return None
    headers = text.partition(b"\n\n")[0] + b"\n"
    time = _COMMITTER.search(headers)
    parents = tuple(parent.decode() for parent in _PARENT.findall(headers))
    return CommitNode(name, parents, int(time[1]) if time else 0)


def choose_dropped(
    commits: Iterable[CommitNode], work: Collection[str], most: int
) -> DroppedCommits:
    """The commits that the work does not contain, by the tips that keep them."""
    dropped = {commit.name: commit for commit in commits if commit.name not in work}
    parents = {parent for commit in dropped.values() for parent in commit.parents}
    tips = [commit for name, commit in dropped.items() if name not in parents]
    tips.sort(key=lambda commit: (-commit.time, commit.name))
    names = tuple(commit.name for commit in tips)
    return DroppedCommits(names[:most], len(names[most:]))


def count_commits(commits: Iterable[CommitNode], tips: Iterable[str]) -> int:
    """How many of the commits the tips contain."""
    known = {commit.name: commit for commit in commits}
    pending, reached = [*tips], set[str]()
    while pending:
        commit = known.get(pending.pop())
        if commit is not None and commit.name not in reached:
            reached.add(commit.name)
            pending += commit.parents
    return len(reached)


def backup_folder(run: str) -> str:
    """The refs in the store of dropped commits; the names of backup refs are numbers in it."""
    return f"refs/treadle/backup/{run}/dropped"


def number_refs(tips: Iterable[str], kept: Mapping[str, str], folder: str) -> dict[str, str]:
    """A ref for each tip that none of the kept refs has, oldest first; `kept` maps refs to
    commits."""
    number = max(map(_number, kept), default=0)
    refs: dict[str, str] = {}
    for tip in tips:
        if tip not in kept.values():
            number += 1
            refs[f"{folder}/{number}"] = tip
    return refs


def in_order(refs: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(refs, key=_number))


def _number(ref: str) -> int:
    return int(ref.rpartition("/")[2])
