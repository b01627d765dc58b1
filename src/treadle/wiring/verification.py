"""What a run's verification is made of: the proving ground, the test command, what counts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.run_list import host_of
from treadle.domain.check import Check, FileChange
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunWarned
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    EvidenceFileKind,
    EvidenceTouched,
)
from treadle.domain.events.work import DeliverableCreated, StatusAdopted
from treadle.runs.active_run import ActiveRun
from treadle.runs.request import CheckedRequest
from treadle.verify.command_files import refers_to_file, uses_evidence_file
from treadle.verify.evidence_files import find_touched_evidence
from treadle.verify.spec_checks import spec_checks, unread_checks
from treadle.verify.suite import SuiteCommand
from treadle.verify.suite_comparison import RegressionRules
from treadle.wiring.check_runner import check_runner
from treadle.wiring.tool_guard import why_no_check
from treadle.workflows.deliver.board import DeliverableBoard
from treadle.workflows.deliver.pass_rules import PassRules
from treadle.workflows.deliver.verifier import CheckKey, DeliverableVerifier
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.suite_verifier import SuiteVerifier
from treadle.workspace.diffs import changed_files
from treadle.workspace.git import GitFailed

_MOST_LINES = 10
_RIGHT_FORM = (
    "it goes behind the text of a list item, in backticks: - It greets. Check: `./greet | grep hi`"
)


def deliverable_verifier(
    telling: ActiveRun, worksite: RunWorkspace, board: DeliverableBoard
) -> DeliverableVerifier:
    """The verification of one run, with what its log says was green already."""
    ready = telling.ready
    wanted = ready.settings.verify
    _tell_unread_checks(telling)

    async def changes(before: str, after: str) -> Sequence[FileChange]:
        return await changed_files(ready.project.git, before, after)

    ground, suite = check_runner(telling), test_suite(telling)

    def rules() -> RegressionRules:
        planned = _planned(telling, board.deliverables)
        return RegressionRules(plan_text(ready.spec_text, planned), wanted.coverage)

    record = telling.recorder.record
    gate = None if suite is None else SuiteVerifier(ground, suite, worksite.snapshot, rules, record)
    return DeliverableVerifier(
        runner=ground,
        board=board,
        suite=gate,
        check_s=wanted.check_minutes * 60,
        log=telling.recorder,
        baseline=worksite.snapshot,
        green=_green(telling),
        changes=changes,
        seen_at=_seen_at(telling),
    )


def pass_rules(ready: CheckedRequest, workspace: Path) -> PassRules:
    """What the settings and the specification ask of a pass."""
    settings = ready.settings
    # Where nothing is built, the tests are not run.
    tested = settings.project.test.strip() and ready.request.workflow != "sync"
    return PassRules(
        settling="after_round" if tested else "at_once",
        require_checks="required" if settings.verify.require_checks else "optional",
        spec_checks=spec_checks(ready.spec_text),
        why_not_run=why_no_check(ready, workspace),
    )


def test_suite(telling: ActiveRun) -> SuiteCommand | None:
    """The project's tests, if it has a command for them."""
    settings = telling.ready.settings
    command, wanted = settings.project.test.strip(), settings.verify
    if not command:
        return None

    def unmatched(pattern: str) -> None:
        warning = f"the test command ran and left no report that matches {pattern!r}"
        hint = "see verify.reports and verify.coverage_reports"
        telling.recorder.record(RunWarned(f"{warning}; {hint}"), once=f"unmatched {pattern}")

    return SuiteCommand(
        command, wanted.test_minutes * 60, wanted.reports, wanted.coverage_reports, unmatched
    )


def plan_text(specification: str, deliverables: Sequence[Deliverable]) -> str:
    """All words in which somebody could have said that a test goes or is skipped."""
    said = [(d.description, *d.acceptance_criteria) for d in deliverables]
    return "\n".join([specification, *(line for lines in said for line in lines)])


async def record_touched_evidence(telling: ActiveRun, worksite: RunWorkspace) -> None:
    """Say which files that judge the work were changed by it, once for each state of the work."""
    work = worksite.imported
    if work is None:
        return
    try:
        found = await changed_files(telling.ready.project.git, worksite.snapshot, work.commit)
    except GitFailed as error:
        warning = RunWarned(f"cannot tell which tests were changed: {error}")
        telling.recorder.record(warning, once=f"untold {work.commit}")
        return
    named = _deciding(telling)
    if files := find_touched_evidence(found, specification=telling.ready.spec, named=named):
        telling.recorder.record(EvidenceTouched(files), once=f"touched {work.commit}")


def _tell_unread_checks(telling: ActiveRun) -> None:
    ready = telling.ready
    lines = unread_checks(ready.spec_text)
    if not lines:
        return
    shown = ", ".join(map(str, lines[:_MOST_LINES])) + (" …" if len(lines) > _MOST_LINES else "")
    where = f"{ready.spec or 'the specification'}, line{'s' if len(lines) > 1 else ''} {shown}"
    what = f"not read as a check; {_RIGHT_FORM}"
    telling.recorder.record(RunWarned(f"{where}: {what}"), once=f"unread checks {lines}")


def _deciding(telling: ActiveRun) -> Callable[[str], EvidenceFileKind | None]:
    """Which files the checks and the test command of the run go by."""
    test = telling.ready.settings.project.test
    checks = {check.command for check in _checks_told(telling)}

    def judge_named(path: str) -> EvidenceFileKind | None:
        if any(uses_evidence_file(command, path) for command in checks):
            return "check"
        return "tests" if refers_to_file(test, path) else None

    return judge_named


def _checks_told(telling: ActiveRun) -> Iterator[Check]:
    for event in _told(telling, "deliverable.created", "status.adopted", "check.added"):
        match event:
            case DeliverableCreated():
                yield from event.deliverable.checks
            case StatusAdopted():
                yield from (check for d in event.deliverables for check in d.checks)
            case CheckAdded():
                yield event.check
            case _:
                raise AssertionError("only these were asked for")


def _seen_at(telling: ActiveRun) -> dict[CheckKey, str]:
    """Where each check was run before the work, for the first time."""
    found: dict[CheckKey, str] = {}
    for event in _told(telling, "check.finished"):
        if isinstance(event, CheckFinished) and event.evidence.when == "before":
            evidence = event.evidence
            key = (event.deliverable, event.criterion, evidence.command)
            found.setdefault(key, evidence.commit)
    return found


def _planned(telling: ActiveRun, deliverables: Sequence[Deliverable]) -> list[Deliverable]:
    """Without those that came up while somebody worked: who takes a test away could write one that
    says so."""
    improvised, working = set(), False
    for event in _told(telling, "round.started", "deliverable.created"):
        if isinstance(event, RoundStarted):
            working = event.instruction != "initializer"
        elif isinstance(event, DeliverableCreated) and working:
            improvised.add(event.deliverable.id)
    return [d for d in deliverables if d.id not in improvised]


def _green(telling: ActiveRun) -> list[CheckFinished]:
    return [
        event
        for event in _told(telling, "check.finished")
        if isinstance(event, CheckFinished)
        and event.evidence.is_green
        and event.evidence.when != "before"
    ]


def _told(telling: ActiveRun, *types: str) -> Iterator[Event]:
    store = EventStore(telling.database, host_of(telling.ready.environment.root))
    for recorded in store.read(telling.ready.request.run, types=types):
        yield recorded.event
