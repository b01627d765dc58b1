"""Keeps credentials and changes of protected paths out of what is imported."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

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
from treadle.workspace.git import Git, both
from treadle.workspace.ignore_rules import IgnoreRules
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
from treadle.workspace.round_work import RoundWork, objects_at, squash_round
from treadle.workspace.salvage import ASIDE_REFS, CommittedRound
from treadle.workspace.secret_files import is_secret_name

# Refs in the clone for commits that must not be imported and that no imported commit contains.
WITHHELD_REFS = "refs/treadle/withheld"

# More than an agent makes one by one. Each is looked at, rewritten and kept by itself.
MOST_COMMITS = 2_000
JOINED_REMARK = (
    f"The round had more than {MOST_COMMITS:,} commits. Its work was imported as one commit."
)


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


async def screen_round(
    work: RoundWork, committed: CommittedRound, forbidden: ForbiddenContent
) -> ScreenedRound:
    """Search all new content and all changed paths.

    This takes three git commands, all at once, if nothing is found. After an interruption a second
    call has the same result.
    """
    new = (committed.tip, f"--glob={ASIDE_REFS}/*", "--not", work.imported)
    objects, found = await both(
        search_new_objects(work.git, forbidden.search, work.authorship, *new),
        # Most rounds have no credentials, so the paths need not wait for the search.
        _find_forbidden(work.git, forbidden, {}, *LOG, *new),
    )
    findings = objects.findings
    if findings:
        found = await _find_forbidden(work.git, forbidden, findings, *LOG, *new)
    if found.places and findings:
        findings = await _without_known(work, committed.tip, findings, found.places)
        found = await _find_forbidden(work.git, forbidden, findings, *LOG, *new)
    screened = ScreenedRound(
        committed,
        has_repositories=found.has_repositories,
        is_misattributed=objects.is_misattributed,
    )
    if objects.commits > MOST_COMMITS:
        committed = await _keep_in_clone(work, committed, await _asides(work))
        screened = replace(screened, is_misattributed=False)
        if not found.places:
            joined = await squash_round(work, committed, ())
            remarks = (*joined.remarks, JOINED_REMARK)
            return replace(screened, committed=replace(joined, remarks=remarks))
    if not found.places:
        return screened
    committed = await _withhold_asides(work, committed, forbidden, findings)
    is_bounded = objects.commits <= MOST_COMMITS
    if is_bounded and not await _has_forbidden(work, forbidden, findings, committed.tip, "--not"):
        return replace(screened, committed=committed, only_in_history=found.places)
    net = (*DIFF, work.imported, committed.tip)
    withheld = (await _find_forbidden(work.git, forbidden, findings, *net)).places
    clean = await squash_round(work, committed, [each.path for each in withheld])
    left_out = frozenset(withheld)
    protected = [place for place in found.places if place.is_protected and place not in left_out]
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
    before |= await objects_at(work.git, work.imported, [place.path for place in places])
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
    """Move set-aside commits that must not be imported to refs that are not fetched."""
    withheld = [
        [commit, name]
        for commit, name in await _asides(work)
        if await _has_forbidden(work, forbidden, findings, commit, "--not", committed.tip)
    ]
    return await _keep_in_clone(work, committed, withheld)


async def _asides(work: RoundWork) -> list[list[str]]:
    """The commit and the ref of everything that was set aside."""
    listing = await work.git.run("for-each-ref", "--format=%(objectname) %(refname)", ASIDE_REFS)
    return [line.split(" ", 1) for line in listing.split("\n") if line]


async def _keep_in_clone(
    work: RoundWork, committed: CommittedRound, withheld: list[list[str]]
) -> CommittedRound:
    """Import these set-aside commits not; the clone keeps them."""
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
