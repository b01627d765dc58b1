"""Rewrites the commits of a round in the quarantine, under the run's identity."""

import hashlib
import zlib
from dataclasses import replace
from pathlib import Path

from treadle.workspace.commit_authorship import AuthorshipRules, attributed
from treadle.workspace.new_objects import read_commits
from treadle.workspace.quarantine import Quarantine
from treadle.workspace.salvage import ASIDE_REFS, CommittedRound

REWRITTEN_REMARK = (
    "Commits with another author, another date or a credit were imported under your name."
)

_SHA256_DIGITS = 64


async def rewrite_commits(
    quarantine: Quarantine, committed: CommittedRound, imported: str, rules: AuthorshipRules
) -> CommittedRound:
    """The round with its new commits under the run's identity; merges stay merges.

    Commits that the user's repository has keep their names. The same commits give the same result.
    """
    new: dict[str, str] = {}

    def rewrite(name: str, commit: bytes) -> None:
        content = attributed(commit, rules, new)
        rewritten = _write_commit(quarantine.path / "objects", content, len(name))
        if rewritten != name:
            new[name] = rewritten

    tips = (committed.tip, f"--glob={ASIDE_REFS}/*")
    await read_commits(quarantine.git, rewrite, *tips, "--not", imported, "--alternate-refs")
    if not new:
        return committed
    await _move_asides(quarantine, new)
    return replace(
        committed,
        tip=new.get(committed.tip, committed.tip),
        commit=committed.commit and new.get(committed.commit, committed.commit),
        on_top_of=committed.on_top_of and new.get(committed.on_top_of, committed.on_top_of),
        aside=committed.aside and new.get(committed.aside, committed.aside),
        remarks=(*committed.remarks, REWRITTEN_REMARK),
    )


async def _move_asides(quarantine: Quarantine, new: dict[str, str]) -> None:
    """Let the refs of set-aside commits name the rewritten ones."""
    listing = await quarantine.git.run(
        "for-each-ref", "--format=%(objectname) %(refname)", ASIDE_REFS
    )
    refs = [line.split(" ", 1) for line in listing.split("\n") if line]
    moves = [(ref, new[commit]) for commit, ref in refs if commit in new]
    deleted = "".join(f"delete {ref}\n" for ref, _ in moves)
    made = "".join(f"update {ASIDE_REFS}/{commit} {commit}\n" for _, commit in moves)
    if moves:
        await quarantine.git.run("update-ref", "--stdin", stdin=(deleted + made).encode())


def _write_commit(objects: Path, content: bytes, digits: int) -> str:
    """Write a loose object without a process: a round may have many commits."""
    raw = b"commit %d\0" % len(content) + content
    algorithm = hashlib.sha256 if digits == _SHA256_DIGITS else hashlib.sha1
    name = algorithm(raw, usedforsecurity=False).hexdigest()
    path = objects / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(raw))
    return name
