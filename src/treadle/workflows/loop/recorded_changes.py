"""Records what a run changed: how many files and lines, and which evidence files: tests, CI, and
files that its checks use."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from treadle.domain.check import Check, FileChange
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import (
    CheckAdded,
    EvidenceFileKind,
    EvidenceTouched,
    TouchedFile,
)
from treadle.domain.events.work import (
    DeliverableCreated,
    StatusAdopted,
    ToolFile,
    WorkChanged,
)
from treadle.verify.commands.command_files import find_judges
from treadle.verify.judges.assertion_patterns import language_of
from treadle.verify.judges.judge_files import find_touched_evidence, judge_kind
from treadle.verify.judges.weakened_tests import (
    FilePair,
    count_assertions,
    describe_weakening,
    total_weakening,
)
from treadle.workflows.loop.run_parts import RunParts
from treadle.workspace.blob_texts import ReadBounds, read_texts
from treadle.workspace.change_counts import count_changes
from treadle.workspace.diffs import changed_files
from treadle.workspace.git import Git, GitFailed

# Fewer lost assertions are no share of the project's tests, however few these are.
MIN_ASSERTIONS = 10
# What is read to count all assertions of a project.
_ALL_TESTS = ReadBounds(total_bytes=16 * 1024 * 1024, files=2_000)

_CHECK: EvidenceFileKind = "check"
_TESTS: EvidenceFileKind = "tests"


@dataclass(frozen=True, slots=True)
class RecordedChanges:
    """What the work changed; `touched` is None if it left the files alone that judge it."""

    counts: WorkChanged
    touched: EvidenceTouched | None = None
    tool_files: tuple[ToolFile, ...] = ()


async def record_changes(parts: RunParts, specification: str) -> RecordedChanges | None:
    """Record what the work changed, once per commit; None if there is no work or git fails."""
    work = parts.workspace.imported
    if work is None:
        return None
    snapshot = parts.workspace.snapshot
    try:
        counts = await count_changes(parts.git, snapshot, work.commit)
        changes = await changed_files(parts.git, snapshot, work.commit)
        kinds = _kinds_by_command(parts, changes)
        files = find_touched_evidence(changes, specification=specification, named=kinds.get)
        touched = await find_weakenings(parts.git, files, snapshot, work.commit)
        tool_files = await parts.workspace.review.record(work)
    except GitFailed as error:
        warning = RunWarned(f"cannot tell which files and tests were changed: {error}")
        parts.log.record(warning, once=f"untold {work.commit}")
        return None
    parts.log.record(counts, once=f"changed {work.commit}")
    if files:
        parts.log.record(touched, once=f"touched {work.commit}")
    return RecordedChanges(counts, touched if files else None, tool_files)


async def find_weakenings(
    git: Git, files: Sequence[TouchedFile], before: str, after: str
) -> EvidenceTouched:
    """The touched files with what got weaker in them, and how much is lost in all."""
    tests = [each for each in files if each.judge in ("tests", "check") and language_of(each.path)]
    old = await read_texts(git, before, [each.path for each in tests if each.change != "added"])
    new = await read_texts(git, after, [each.path for each in tests if each.change != "removed"])
    pairs = {
        each.path: FilePair(each.path, old.get(each.path, ""), new.get(each.path, ""))
        for each in tests
        # A file that is too large on one side would seem to be gone there.
        if (each.change == "added" or each.path in old)
        and (each.change == "removed" or each.path in new)
    }
    # In a thread, because an agent wrote these texts.
    weakening = await asyncio.to_thread(total_weakening, pairs.values())
    described = await asyncio.to_thread(_describe, files, pairs)
    is_much = weakening.assertions >= MIN_ASSERTIONS
    return EvidenceTouched(
        described,
        tests_lost=weakening.tests,
        assertions_lost=weakening.assertions,
        assertions_before=await _count_all(git, before) if is_much else None,
    )


def _describe(
    files: Sequence[TouchedFile], pairs: Mapping[str, FilePair]
) -> tuple[TouchedFile, ...]:
    return tuple(
        replace(each, weaker=describe_weakening(pairs[each.path])) if each.path in pairs else each
        for each in files
    )


async def _count_all(git: Git, commit: str) -> int:
    """The assertions in all tests of a commit."""
    listing = await git.run("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    paths = [path for path in listing.split("\0") if path and language_of(path)]
    tests = [path for path in paths if judge_kind(path) == "tests"]
    texts = await read_texts(git, commit, tests, _ALL_TESTS)

    def count() -> int:
        return sum(count_assertions(path, text).assertions for path, text in texts.items())

    return await asyncio.to_thread(count)


def _kinds_by_command(
    parts: RunParts, changes: tuple[FileChange, ...]
) -> dict[str, EvidenceFileKind]:
    """The kinds of files that the checks or the test command use."""
    kinds = dict.fromkeys(find_judges(parts.facts.test, changes), _TESTS)
    for command in {check.command for check in _checks(parts)}:
        kinds |= dict.fromkeys(find_judges(command, changes), _CHECK)
    return kinds


def _checks(parts: RunParts) -> Iterator[Check]:
    for recorded in parts.read_log(("deliverable.created", "status.adopted", "check.added")):
        match recorded.event:
            case DeliverableCreated(deliverable=created):
                yield from created.checks
            case StatusAdopted(deliverables=adopted):
                yield from (check for d in adopted for check in d.checks)
            case CheckAdded(check=check):
                yield check
            case _:
                raise AssertionError("only these were asked for")
