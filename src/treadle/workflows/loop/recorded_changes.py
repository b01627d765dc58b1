"""Records what a run changed: how many files and lines, and which evidence files: tests, CI, and
files that its checks use."""

from collections.abc import Iterator

from treadle.domain.check import Check, FileChange
from treadle.domain.events.run import RunWarned
from treadle.domain.events.verification import CheckAdded, EvidenceFileKind, EvidenceTouched
from treadle.domain.events.work import DeliverableCreated, StatusAdopted, WorkChanged
from treadle.verify.command_files import find_judges
from treadle.verify.judge_files import find_touched_evidence
from treadle.workflows.loop.run_parts import RunParts
from treadle.workspace.change_counts import count_changes
from treadle.workspace.diffs import changed_files
from treadle.workspace.git import GitFailed

_CHECK: EvidenceFileKind = "check"
_TESTS: EvidenceFileKind = "tests"


async def record_changes(parts: RunParts, specification: str) -> WorkChanged | None:
    """Record what the work changed, once per commit; None if there is no work or git fails."""
    work = parts.workspace.imported
    if work is None:
        return None
    snapshot = parts.workspace.snapshot
    try:
        counts = await count_changes(parts.git, snapshot, work.commit)
        changes = await changed_files(parts.git, snapshot, work.commit)
    except GitFailed as error:
        warning = RunWarned(f"cannot tell which files and tests were changed: {error}")
        parts.log.record(warning, once=f"untold {work.commit}")
        return None
    parts.log.record(counts, once=f"changed {work.commit}")
    kinds = _kinds_by_command(parts, changes)
    files = find_touched_evidence(changes, specification=specification, named=kinds.get)
    if files:
        parts.log.record(EvidenceTouched(files), once=f"touched {work.commit}")
    return counts


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
