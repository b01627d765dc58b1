"""Keeps credentials and changes of protected paths out of what is imported."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from treadle.domain.events.work import INCLUDED_FILE, PROTECTED_PATH, SECRET_FILE, WithheldPath
from treadle.policy.protected_paths import protected_part
from treadle.policy.secret_search import SecretSearch
from treadle.workspace.agent_tree import agent_git
from treadle.workspace.clone_git_dir import Clone
from treadle.workspace.commit_authorship import AuthorshipRules
from treadle.workspace.disk_tree import PLAIN_INDEX
from treadle.workspace.git import Git
from treadle.workspace.new_objects import (
    DIFF,
    LOG,
    ChangedPath,
    Findings,
    changed_paths,
    find_known_values,
    search_new_objects,
)
from treadle.workspace.output_pieces import OutputPieces, read_pieces
from treadle.workspace.quarantine import Quarantine
from treadle.workspace.salvage import ASIDE_REFS, CommittedRound, commit_work
from treadle.workspace.secret_files import is_secret_name
from treadle.workspace.snapshot import tree_of
from treadle.workspace.temporary_folders import scratch_folder

# Refs in the clone for commits that must not be imported and that no imported commit contains.
WITHHELD_REFS = "refs/treadle/withheld"

# A run sets aside one commit in a round at most; an agent can make any number of such refs.
_MOST_ASIDES = 64


@dataclass(frozen=True, slots=True)
class ScreenedRound:
    """The part of a round that may be imported.

    `withheld` lists what was left out of files. `only_in_history` lists what only an earlier commit
    contained: the round is imported as one commit without it.
    """

    committed: CommittedRound
    withheld: tuple[WithheldPath, ...] = ()
    only_in_history: tuple[WithheldPath, ...] = ()
    has_repositories: bool = False  # whether a commit adds a nested repository
    is_misattributed: bool = False  # whether a commit has another author, date or credit


@dataclass(frozen=True, slots=True)
class ForbiddenContent:
    """What must not be imported; `protected` adds the project's paths to the built-in ones.

    The commits are searched, not the files: an agent may commit what is not on its disk.
    """

    search: SecretSearch
    protected: tuple[str, ...] = ()
    included: frozenset[str] = frozenset()  # the user's files that are never committed

    def protects(self, path: str) -> bool:
        return protected_part(PurePosixPath(path), self.protected) is not None

    def why_not_new(self, path: str) -> str:
        """Why no commit may add a file at this path; empty if one may."""
        if path in self.included:
            return INCLUDED_FILE
        return SECRET_FILE if is_secret_name(path) else ""


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


async def screen_round(
    work: RoundWork, committed: CommittedRound, forbidden: ForbiddenContent
) -> ScreenedRound:
    """Search all new content and all changed paths.

    This takes three git commands if nothing is found. After an interruption a second call has the
    same result.
    """
    new = (committed.tip, f"--glob={ASIDE_REFS}/*", "--not", work.imported)
    objects = await search_new_objects(work.git, forbidden.search, work.authorship, *new)
    findings = objects.findings
    found = await _find_forbidden(work.git, forbidden, findings, *LOG, *new)
    if found.places and findings:
        findings = await _without_known(work, committed.tip, findings, found.places)
        found = await _find_forbidden(work.git, forbidden, findings, *LOG, *new)
    screened = ScreenedRound(
        committed,
        has_repositories=found.has_repositories,
        is_misattributed=objects.is_misattributed,
    )
    if not found.places:
        return screened
    committed = await _withhold_asides(work, committed, forbidden, findings)
    if not await _has_forbidden(work, forbidden, findings, committed.tip, "--not"):
        return replace(screened, committed=committed, only_in_history=found.places)
    net = (*DIFF, work.imported, committed.tip)
    withheld = (await _find_forbidden(work.git, forbidden, findings, *net)).places
    clean = await _squash(work, committed, [each.path for each in withheld])
    protected = [place for place in found.places if place.is_protected and place not in withheld]
    history = tuple(protected) if withheld else found.places
    return replace(screened, committed=clean, withheld=withheld, only_in_history=history)


@dataclass(frozen=True, slots=True)
class _ForbiddenPaths:
    """The forbidden places among some changes, and whether they add a nested repository."""

    places: tuple[WithheldPath, ...]
    has_repositories: bool


async def _find_forbidden(
    git: Git, forbidden: ForbiddenContent, findings: Findings, *command: str
) -> _ForbiddenPaths:
    """The forbidden paths among those that the command lists, and those with findings."""

    def read(pieces: OutputPieces) -> _ForbiddenPaths:
        has_repositories = False
        protected: dict[WithheldPath, None] = {}
        new: dict[WithheldPath, None] = {}
        credentials: dict[WithheldPath, None] = {}
        for change in changed_paths(pieces):
            path = change.path
            has_repositories |= change.is_repository
            if path is not None and forbidden.protects(path):
                protected[WithheldPath(path, 0, PROTECTED_PATH)] = None
            elif path is not None and change.is_added and (why := forbidden.why_not_new(path)):
                new[WithheldPath(path, 0, why)] = None
            credentials.update(dict.fromkeys(_credentials(change, forbidden.search, findings)))
        return _ForbiddenPaths((*protected, *new, *credentials), has_repositories)

    return await read_pieces(git, read, command)


def _credentials(
    change: ChangedPath, search: SecretSearch, findings: Findings
) -> Iterator[WithheldPath]:
    """The credentials in the name and the content of a changed file, or in a commit's message."""
    path = change.path
    if path is not None and change.is_added and search.may_hold(path):
        for secret in search.find_secrets(path):
            yield WithheldPath(path, 0, secret.kind)
    for match in findings.get(change.new, ()):
        yield WithheldPath(path or "", match.line if path is not None else 0, match.kind)


async def _without_known(
    work: RoundWork, tip: str, findings: Findings, places: Sequence[WithheldPath]
) -> Findings:
    """The findings without what the repository already contained: it is not Treadle's to remove.

    Only content of the last import counts, in the files that the round changes.
    """
    before = await read_pieces(work.git, _old_objects, (*DIFF, work.imported, tip))
    before |= await _objects_at(work.git, work.imported, [place.path for place in places])
    values = {match.value for found in findings.values() for match in found}
    longest = max(map(len, values), default=0)
    known = await find_known_values(work.git, before, values, longest)
    left = {
        name: tuple(match for match in found if match.value not in known)
        for name, found in findings.items()
    }
    return {name: found for name, found in left.items() if found}


def _old_objects(pieces: OutputPieces) -> set[str]:
    return {change.old for change in changed_paths(pieces) if change.old.strip("0")}


async def _withhold_asides(
    work: RoundWork, committed: CommittedRound, forbidden: ForbiddenContent, findings: Findings
) -> CommittedRound:
    """Move set-aside commits that must not be imported to refs of the clone that are not fetched,
    all of them if there are too many."""
    listing = await work.git.run("for-each-ref", "--format=%(objectname) %(refname)", ASIDE_REFS)
    asides = [line.split(" ", 1) for line in listing.split("\n") if line]
    withheld = asides
    if len(asides) <= _MOST_ASIDES:
        withheld = [
            [commit, name]
            for commit, name in asides
            if await _has_forbidden(work, forbidden, findings, commit, "--not", committed.tip)
        ]
    if not withheld:
        return committed
    deleted = "".join(f"delete {name}\n" for _, name in withheld)
    kept = "".join(f"update {WITHHELD_REFS}/{commit} {commit}\n" for commit, _ in withheld)
    await agent_git(work.clone).run("update-ref", "--stdin", stdin=(kept + deleted).encode())
    await work.git.run("update-ref", "--stdin", stdin=deleted.encode())
    if any(commit == committed.aside for commit, _ in withheld):
        return replace(committed, aside=None)
    return committed


async def _has_forbidden(
    work: RoundWork, forbidden: ForbiddenContent, findings: Findings, *revisions: str
) -> bool:
    command = (*LOG, *revisions, work.imported)
    return bool((await _find_forbidden(work.git, forbidden, findings, *command)).places)


async def _squash(
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


async def _objects_at(git: Git, commit: str, paths: Sequence[str]) -> set[str]:
    """The objects that a commit has at these paths."""
    entries = await _entries_at(git, commit, paths)
    names = {entry.split(b"\t", 1)[0].split(b" ")[1] for entry in entries.split(b"\0") if entry}
    return {name.decode() for name in names if name.strip(b"0")}


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
