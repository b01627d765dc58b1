"""Keeps credentials and changes of protected paths out of what is imported."""

import os
import stat
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from treadle.domain.events.work import (
    IGNORED_FILE,
    INCLUDED_FILE,
    PROTECTED_PATH,
    SECRET_FILE,
    WithheldPath,
)
from treadle.policy.protected_paths import protected_part
from treadle.policy.secret_search import SecretSearch
from treadle.policy.tool_files import ToolFileSettings
from treadle.workspace.agent_tree import agent_git
from treadle.workspace.backups import ref_move
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.disk_tree import PLAIN_INDEX, copy_index, private_index
from treadle.workspace.git import Git
from treadle.workspace.ignore_rules import IgnoreRules
from treadle.workspace.patches import (
    PATCHES,
    PatchBlock,
    added_blocks,
    added_names,
    changed_names,
    removed_text,
)
from treadle.workspace.salvage import ASIDE_REFS, CommittedRound, commit_work
from treadle.workspace.secret_files import is_secret_name
from treadle.workspace.snapshot import tree_of

# Refs in the clone for commits that must not be imported and that no imported commit contains.
WITHHELD_REFS = "refs/treadle/withheld"

_LARGEST = 1 << 20
_LOG = ("log", "-m", "--pretty=medium", "--no-notes", "--no-mailmap", *PATCHES)
_PATCH = ("diff-tree", "-r", *PATCHES)


@dataclass(frozen=True, slots=True)
class ScreenedRound:
    """The part of a round that may be imported.

    `withheld` lists what was left out of files. `only_in_history` lists what only an earlier commit
    contained: the round is imported as one commit without it.
    """

    committed: CommittedRound
    withheld: tuple[WithheldPath, ...] = ()
    only_in_history: tuple[WithheldPath, ...] = ()


@dataclass(frozen=True, slots=True)
class ForbiddenContent:
    """What must not be imported; `protected` adds the project's paths to the built-in ones.

    The commits are searched, not the files: an agent may commit what is not on its disk.
    """

    search: SecretSearch
    protected: tuple[str, ...] = ()
    included: frozenset[str] = frozenset()  # the user's files that are never committed
    ignored: IgnoreRules = field(default_factory=IgnoreRules)  # as they were before the run
    tool_files: ToolFileSettings = field(default_factory=ToolFileSettings)

    def protects(self, path: str) -> bool:
        is_protected = protected_part(PurePosixPath(path), self.protected) is not None
        return is_protected or self.tool_files.withholds(path)

    def why_not_new(self, path: str) -> str:
        """Why no commit may add a file at this path; empty if one may."""
        if path in self.included:
            return INCLUDED_FILE
        if is_secret_name(path):
            return SECRET_FILE
        if self.tool_files.lets_through(path):
            return ""
        return IGNORED_FILE if self.ignored.covers_new(path) else ""


@dataclass(frozen=True, slots=True)
class RoundWork:
    """One round's work: its clone, the last imported commit, and the message for a new commit."""

    clone: Clone
    imported: str
    message: str

    @property
    def git(self) -> Git:
        return agent_git(self.clone)


async def screen_round(
    work: RoundWork, committed: CommittedRound, forbidden: ForbiddenContent
) -> ScreenedRound:
    """Search all new content.

    This takes one git command if the agent made commits, and none if it only left files. After an
    interruption a second call has the same result.
    """
    has_only_files = committed.on_top_of == work.imported and not _has_asides(work.clone)
    if has_only_files and _are_harmless(work.clone.path, committed, forbidden):
        return ScreenedRound(committed)
    log = await _print_patch(
        work.git, *_LOG, committed.tip, f"--glob={ASIDE_REFS}/*", "--not", work.imported
    )
    if not _find_forbidden(log, forbidden):
        return ScreenedRound(committed)
    patch = await _print_patch(work.git, *_PATCH, work.imported, committed.tip)
    # A secret that the repository already contained is not new, and not Treadle's to remove.
    before = removed_text(patch)
    matches = _find_forbidden(log, forbidden, before)
    if not matches:
        return ScreenedRound(committed)
    committed = await _withhold_asides(work, committed, forbidden, before)
    commits = await _print_patch(work.git, *_LOG, committed.tip, "--not", work.imported)
    if not _find_forbidden(commits, forbidden, before):
        return ScreenedRound(committed, only_in_history=matches)
    withheld = _find_forbidden(patch, forbidden, before)
    clean = await _squash(work, committed, [each.path for each in withheld])
    protected = [match for match in matches if match.is_protected and match not in withheld]
    return ScreenedRound(clean, withheld, tuple(protected) if withheld else matches)


async def _print_patch(git: Git, *command: str) -> str:
    return await git.run("-c", "core.quotePath=false", *command)


def _has_asides(clone: Clone) -> bool:
    """Whether an import would fetch set-aside commits; an agent can create such refs itself."""
    packed = clone.git_dir / "packed-refs"
    return (clone.git_dir / ASIDE_REFS).is_dir() or (
        packed.is_file() and ASIDE_REFS.encode() in packed.read_bytes()
    )


def _find_forbidden(
    patch: str, forbidden: ForbiddenContent, before: str = ""
) -> tuple[WithheldPath, ...]:
    """The protected paths and the credentials in a patch, except credentials in `before`."""
    names = dict.fromkeys(changed_names(patch))
    protected = [
        WithheldPath(name, 0, PROTECTED_PATH) for name in names if forbidden.protects(name)
    ]
    new = [
        WithheldPath(name, 0, reason)
        for name in dict.fromkeys(added_names(patch))
        if not forbidden.protects(name) and (reason := forbidden.why_not_new(name))
    ]
    by_path = (*protected, *new)
    if not forbidden.search.may_hold(_readable(patch)):
        return by_path
    return (*by_path, *_find_in_blocks(added_blocks(patch), forbidden.search, before))


def _find_in_blocks(
    blocks: Iterable[PatchBlock], search: SecretSearch, before: str = ""
) -> tuple[WithheldPath, ...]:
    withheld: dict[WithheldPath, None] = {}
    for block in blocks:
        text = _readable(block.text)
        if not search.may_hold(text):
            continue
        for secret in search.find_secrets(text):
            if secret.value not in before:
                line = block.line and block.line + text.count("\n", 0, secret.at)
                withheld[WithheldPath(block.path, line, secret.kind)] = None
    return tuple(withheld)


def _readable(text: str) -> str:
    """The text without zero bytes, which separate the letters in UTF-16."""
    return text.replace("\0", "") if "\0" in text else text


def _are_harmless(workspace: Path, committed: CommittedRound, forbidden: ForbiddenContent) -> bool:
    """Whether no file is protected or may contain a credential; a large file counts as harmful."""
    if any(forbidden.protects(name) for name in (*committed.files, *committed.removed)):
        return False
    if any(forbidden.why_not_new(name) for name in committed.files):
        return False
    for name in committed.files:
        text = _text_of(workspace / name)
        blocks = () if text is None else (PatchBlock(name, 1, text), PatchBlock(name, 0, name))
        if not blocks or _find_in_blocks(blocks, forbidden.search):
            return False
    return True


def _text_of(path: Path) -> str | None:
    """The content that git has of a file; None if it is unreadable or too large."""
    try:
        if path.is_symlink():
            return os.fspath(path.readlink())
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        content = file.read(_LARGEST + 1)
    return None if len(content) > _LARGEST else os.fsdecode(content)


async def _withhold_asides(
    work: RoundWork, committed: CommittedRound, forbidden: ForbiddenContent, before: str
) -> CommittedRound:
    """Move set-aside commits that must not be imported to a ref that is not fetched."""
    git = work.git
    listing = await git.run("for-each-ref", "--format=%(objectname) %(refname)", ASIDE_REFS)
    for line in filter(None, listing.split("\n")):
        commit, name = line.split(" ", 1)
        commits = await _print_patch(git, *_LOG, commit, "--not", work.imported, committed.tip)
        if _find_forbidden(commits, forbidden, before):
            await git.run("update-ref", f"{WITHHELD_REFS}/{commit}", commit)
            await git.run("update-ref", "-d", name)
            if commit == committed.aside:
                committed = replace(committed, aside=None)
    return committed


async def _squash(
    work: RoundWork, committed: CommittedRound, left_out: Sequence[str]
) -> CommittedRound:
    """Make one commit of the round on top of the last import, with withheld files unchanged."""
    git, clone = work.git, work.clone
    with private_index(clone.git_dir / "index") as index:
        indexed_git = git.with_index(index)
        await indexed_git.run(*PLAIN_INDEX, "read-tree", committed.tip)
        if entries := await _entries_at(git, work.imported, left_out):
            update = (*PLAIN_INDEX, "update-index", "-z", "--index-info")
            await indexed_git.run(*update, stdin=entries)
        tree = await indexed_git.run(*PLAIN_INDEX, "write-tree")
        made = None
        if tree != await tree_of(git, work.imported):
            made = await commit_work(
                git, clone, tree, parents=(work.imported,), message=work.message
            )
        tip = made or work.imported
        await git.run(*ref_move(clone.ref, tip, from_=committed.tip))
        copy_index(index, clone.git_dir / "index")
    return replace(committed, tip=tip, commit=made, on_top_of=None, tree="", files=(), removed=())


async def _entries_at(git: Git, commit: str, paths: Sequence[str]) -> bytes:
    """The entries of these paths as input for the index; a missing path is removed from it."""
    wanted = dict.fromkeys(path for path in paths if path)
    if not wanted:
        return b""
    literal = git.with_variables(GIT_LITERAL_PATHSPECS="1")
    # A file may have replaced a directory, whose files are then needed too.
    listing = await literal.run("ls-tree", "-r", "-z", "--full-tree", commit, "--", *wanted)
    entries = {}
    for line in filter(None, listing.split("\0")):
        attributes, path = line.split("\t", 1)
        mode, _, blob = attributes.split(" ")
        entries[path] = f"{mode} {blob}"
    absent = f"0 {'0' * len(commit)}"
    return os.fsencode("".join(f"{entries.get(path, absent)}\t{path}\0" for path in wanted))
