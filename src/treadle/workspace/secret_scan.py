"""Keeps credentials and changes of protected paths out of what is imported."""

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from treadle.domain.events.work import PROTECTED_PATH, WithheldPath
from treadle.policy.protected_paths import protected_part
from treadle.policy.secret_search import SecretSearch
from treadle.workspace.agent_tree import agent_git
from treadle.workspace.backups import ref_move
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.disk_tree import PLAIN_INDEX, copy_index, private_index
from treadle.workspace.git import Git
from treadle.workspace.patches import PATCHES, PatchBlock, added_blocks, changed_names, removed_text
from treadle.workspace.salvage import ASIDE_REFS, CommittedRound, commit_work
from treadle.workspace.snapshot import tree_of

# Where the clone keeps a commit that may not come home and is part of nothing that may.
WITHHELD_REFS = "refs/treadle/withheld"

_LARGEST = 1 << 20
_LOG = ("log", "-m", "--pretty=medium", "--no-notes", "--no-mailmap", *PATCHES)
_PATCH = ("diff-tree", "-r", *PATCHES)


@dataclass(frozen=True, slots=True)
class ScreenedRound:
    """What may come home.

    `withheld` are the places in files that were left out. `passing` are those that only an earlier
    commit had: the round comes home as one commit, without it.
    """

    rest: CommittedRound
    withheld: tuple[WithheldPath, ...] = ()
    only_in_history: tuple[WithheldPath, ...] = ()


@dataclass(frozen=True, slots=True)
class ForbiddenContent:
    """What must not come home; `protected` are paths of the project besides those that always are.

    Told by the commits themselves: an agent may commit what is not on its disk.
    """

    search: SecretSearch
    protected: tuple[str, ...] = ()

    def protects(self, path: str) -> bool:
        return protected_part(PurePosixPath(path), self.protected) is not None


@dataclass(frozen=True, slots=True)
class RoundWork:
    """One round's work: the clone that has it, and the commit that the user's repository has."""

    clone: Clone
    imported: str
    message: str

    @property
    def git(self) -> Git:
        return agent_git(self.clone)


async def screen_round(
    done: RoundWork, rest: CommittedRound, unwanted: ForbiddenContent
) -> ScreenedRound:
    """Look through all that is new.

    One git command if the agent has made commits of its own, none if it left nothing but files.
    Cut anywhere, a second call ends the same.
    """
    of_files = rest.on_top_of == done.imported and not _has_asides(done.clone)
    if of_files and _are_harmless(done.clone.path, rest, unwanted):
        return ScreenedRound(rest)
    printed = await _print_patch(
        done.git, *_LOG, rest.tip, f"--glob={ASIDE_REFS}/*", "--not", done.imported
    )
    if not _find_forbidden(printed, unwanted):
        return ScreenedRound(rest)
    patch = await _print_patch(done.git, *_PATCH, done.imported, rest.tip)
    # What was there before is no secret any more, or not for us to take away.
    before = removed_text(patch)
    found = _find_forbidden(printed, unwanted, before)
    if not found:
        return ScreenedRound(rest)
    rest = await _withhold_asides(done, rest, unwanted, before)
    commits = await _print_patch(done.git, *_LOG, rest.tip, "--not", done.imported)
    if not _find_forbidden(commits, unwanted, before):
        return ScreenedRound(rest, only_in_history=found)
    withheld = _find_forbidden(patch, unwanted, before)
    clean = await _squash(done, rest, [each.path for each in withheld])
    passing = [place for place in found if place.is_protected and place not in withheld]
    return ScreenedRound(clean, withheld, tuple(passing) if withheld else found)


async def _print_patch(git: Git, *command: str) -> str:
    return await git.run("-c", "core.quotePath=false", *command)


def _has_asides(clone: Clone) -> bool:
    """Whether an import would fetch more than the branch: an agent can name commits so itself."""
    packed = clone.git_dir / "packed-refs"
    return (clone.git_dir / ASIDE_REFS).is_dir() or (
        packed.is_file() and ASIDE_REFS.encode() in packed.read_bytes()
    )


def _find_forbidden(
    printed: str, unwanted: ForbiddenContent, before: str = ""
) -> tuple[WithheldPath, ...]:
    """Where what git printed changes what is protected, or has a credential; not one that is among
    what was there before."""
    names = dict.fromkeys(changed_names(printed))
    protected = tuple(
        WithheldPath(name, 0, PROTECTED_PATH) for name in names if unwanted.protects(name)
    )
    if not unwanted.search.may_hold(_readable(printed)):
        return protected
    return (*protected, *_find_in_blocks(added_blocks(printed), unwanted.search, before))


def _find_in_blocks(
    blocks: Iterable[PatchBlock], search: SecretSearch, before: str = ""
) -> tuple[WithheldPath, ...]:
    found: dict[WithheldPath, None] = {}
    for block in blocks:
        text = _readable(block.text)
        if not search.may_hold(text):
            continue
        for seen in search.find_secrets(text):
            if seen.value not in before:
                line = block.line and block.line + text.count("\n", 0, seen.at)
                found[WithheldPath(block.path, line, seen.kind)] = None
    return tuple(found)


def _readable(text: str) -> str:
    """The letters of a text in UTF-16 stand apart."""
    return text.replace("\0", "") if "\0" in text else text


def _are_harmless(workspace: Path, rest: CommittedRound, unwanted: ForbiddenContent) -> bool:
    """Whether none of the files is protected, and nothing in them can be a credential, old or new;
    large ones are not read."""
    if any(unwanted.protects(name) for name in (*rest.files, *rest.gone)):
        return False
    for name in rest.files:
        text = _text_of(workspace / name)
        blocks = () if text is None else (PatchBlock(name, 1, text), PatchBlock(name, 0, name))
        if not blocks or _find_in_blocks(blocks, unwanted.search):
            return False
    return True


def _text_of(path: Path) -> str | None:
    """What git has of a file; None if it is too large to be read for this."""
    try:
        if path.is_symlink():
            return os.fspath(path.readlink())
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        read = file.read(_LARGEST + 1)
    return None if len(read) > _LARGEST else os.fsdecode(read)


async def _withhold_asides(
    done: RoundWork, rest: CommittedRound, unwanted: ForbiddenContent, before: str
) -> CommittedRound:
    """Give commits that were set aside and must not come home a name that is not fetched."""
    git = done.git
    listing = await git.run("for-each-ref", "--format=%(objectname) %(refname)", ASIDE_REFS)
    for line in filter(None, listing.split("\n")):
        commit, name = line.split(" ", 1)
        commits = await _print_patch(git, *_LOG, commit, "--not", done.imported, rest.tip)
        if _find_forbidden(commits, unwanted, before):
            await git.run("update-ref", f"{WITHHELD_REFS}/{commit}", commit)
            await git.run("update-ref", "-d", name)
            if commit == rest.aside:
                rest = replace(rest, aside=None)
    return rest


async def _squash(done: RoundWork, rest: CommittedRound, left_out: Sequence[str]) -> CommittedRound:
    """All of the round on top of what is home; files that are left out are as they were there."""
    git, clone = done.git, done.clone
    with private_index(clone.git_dir / "index") as index:
        through = git.with_index(index)
        await through.run(*PLAIN_INDEX, "read-tree", rest.tip)
        if entries := await _entries_at(git, done.imported, left_out):
            update = (*PLAIN_INDEX, "update-index", "-z", "--index-info")
            await through.run(*update, stdin=entries)
        tree = await through.run(*PLAIN_INDEX, "write-tree")
        made = None
        if tree != await tree_of(git, done.imported):
            made = await commit_work(
                git, clone, tree, parents=(done.imported,), message=done.message
            )
        tip = made or done.imported
        await git.run(*ref_move(clone.ref, tip, from_=rest.tip))
        copy_index(index, clone.git_dir / "index")
    return replace(rest, tip=tip, commit=made, on_top_of=None, tree="", files=(), gone=())


async def _entries_at(git: Git, commit: str, paths: Sequence[str]) -> bytes:
    """The entries of these paths as the index takes them; one that was not there is taken out."""
    wanted = dict.fromkeys(path for path in paths if path)
    if not wanted:
        return b""
    literal = git.with_variables(GIT_LITERAL_PATHSPECS="1")
    # A file may have taken the place of a directory: what was in there is wanted, too.
    listing = await literal.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *wanted)
    there = {}
    for entry in filter(None, listing.split("\0")):
        place, path = entry.split("\t", 1)
        mode, _, blob = place.split(" ")
        there[path] = f"{mode} {blob}"
    nothing = f"0 {'0' * len(commit)}"
    return os.fsencode("".join(f"{there.get(path, nothing)}\t{path}\0" for path in wanted))
