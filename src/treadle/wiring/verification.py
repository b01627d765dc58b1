"""What a run's verification is made of: the proving ground, the test command, what counts."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.runs import host_of
from treadle.domain.change import Change
from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunWarned
from treadle.domain.events.verification import CheckAdded, CheckFinished, EvidenceTouched, Judge
from treadle.domain.events.work import DeliverableCreated, StatusAdopted
from treadle.verify.command_files import judges_by, names
from treadle.verify.gate import GateRules
from treadle.verify.judges import touched
from treadle.verify.spec_checks import spec_checks, unread_checks
from treadle.verify.suite import Suite
from treadle.wiring.guard import why_no_check
from treadle.wiring.proving import proving_ground
from treadle.wiring.run_request import Ready
from treadle.wiring.telling import Telling
from treadle.workflows.deliver.board import Board
from treadle.workflows.deliver.passing import Terms
from treadle.workflows.deliver.verification import Seen, Verification
from treadle.workflows.suite_gate import SuiteGate
from treadle.workflows.worksite import Worksite
from treadle.workspace.changed_files import changed_files
from treadle.workspace.git import GitFailed

_MOST_LINES = 10
_RIGHT_FORM = (
    "it goes behind the text of a list item, in backticks: - It greets. Check: `./greet | grep hi`"
)


def verification_of(telling: Telling, worksite: Worksite, board: Board) -> Verification:
    """The verification of one run, with what its log says was green already."""
    ready = telling.ready
    wanted = ready.settings.verify
    _tell_unread_checks(telling)

    async def changes(before: str, after: str) -> Sequence[Change]:
        return await changed_files(ready.project.git, before, after)

    ground, suite = proving_ground(telling), suite_of(telling)

    def rules() -> GateRules:
        planned = _planned(telling, board.deliverables)
        return GateRules(plan_text(ready.spec_text, planned), wanted.coverage)

    record = telling.recorder.record
    gate = None if suite is None else SuiteGate(ground, suite, worksite.snapshot, rules, record)
    return Verification(
        ground=ground,
        board=board,
        gate=gate,
        check_s=wanted.check_minutes * 60,
        record=record,
        record_once=telling.recorder.record_once,
        baseline=worksite.snapshot,
        green=_green(telling),
        changes=changes,
        seen_at=_seen_at(telling),
    )


def terms_of(ready: Ready, workspace: Path) -> Terms:
    """What the settings and the specification ask of a pass."""
    settings = ready.settings
    # Where nothing is built, the tests are not run.
    tested = settings.project.test.strip() and ready.request.workflow != "sync"
    return Terms(
        settling="after_round" if tested else "at_once",
        require_checks="required" if settings.verify.require_checks else "optional",
        spec_checks=spec_checks(ready.spec_text),
        why_not_run=why_no_check(ready, workspace),
    )


def suite_of(telling: Telling) -> Suite | None:
    """The project's tests, if it has a command for them."""
    settings = telling.ready.settings
    command, wanted = settings.project.test.strip(), settings.verify
    if not command:
        return None

    def unmatched(pattern: str) -> None:
        warning = f"the test command ran and left no report that matches {pattern!r}"
        hint = "see verify.reports and verify.coverage_reports"
        telling.recorder.record_once(f"unmatched {pattern}", RunWarned(f"{warning}; {hint}"))

    return Suite(
        command, wanted.test_minutes * 60, wanted.reports, wanted.coverage_reports, unmatched
    )


def plan_text(specification: str, deliverables: Sequence[Deliverable]) -> str:
    """All words in which somebody could have said that a test goes or is skipped."""
    said = [(d.description, *d.acceptance_criteria) for d in deliverables]
    return "\n".join([specification, *(line for lines in said for line in lines)])


async def tell_what_was_touched(telling: Telling, worksite: Worksite) -> None:
    """Say which files that judge the work were changed by it, once for each state of the work."""
    work = worksite.imported
    if work is None:
        return
    try:
        found = await changed_files(telling.ready.project.git, worksite.snapshot, work.commit)
    except GitFailed as error:
        warning = RunWarned(f"cannot tell which tests were changed: {error}")
        telling.recorder.record_once(f"untold {work.commit}", warning)
        return
    named = _deciding(telling)
    if files := touched(found, specification=telling.ready.spec, named=named):
        telling.recorder.record_once(f"touched {work.commit}", EvidenceTouched(files))


def _tell_unread_checks(telling: Telling) -> None:
    ready = telling.ready
    lines = unread_checks(ready.spec_text)
    if not lines:
        return
    shown = ", ".join(map(str, lines[:_MOST_LINES])) + (" …" if len(lines) > _MOST_LINES else "")
    where = f"{ready.spec or 'the specification'}, line{'s' if len(lines) > 1 else ''} {shown}"
    what = f"not read as a check; {_RIGHT_FORM}"
    telling.recorder.record_once(f"unread checks {lines}", RunWarned(f"{where}: {what}"))


def _deciding(telling: Telling) -> Callable[[str], Judge | None]:
    """Which files the checks and the test command of the run go by."""
    test = telling.ready.settings.project.test
    checks = {check.command for check in _checks_told(telling)}

    def judge_named(path: str) -> Judge | None:
        if any(judges_by(command, path) for command in checks):
            return "check"
        return "tests" if names(test, path) else None

    return judge_named


def _checks_told(telling: Telling) -> Iterator[Check]:
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


def _seen_at(telling: Telling) -> dict[Seen, str]:
    """Where each check was run before the work, for the first time."""
    found: dict[Seen, str] = {}
    for event in _told(telling, "check.finished"):
        if isinstance(event, CheckFinished) and event.evidence.when == "before":
            evidence = event.evidence
            key = (event.deliverable, event.criterion, evidence.command)
            found.setdefault(key, evidence.commit)
    return found


def _planned(telling: Telling, deliverables: Sequence[Deliverable]) -> list[Deliverable]:
    """Without those that came up while somebody worked: who takes a test away could write one that
    says so."""
    improvised, working = set(), False
    for event in _told(telling, "round.started", "deliverable.created"):
        if isinstance(event, RoundStarted):
            working = event.instruction != "initializer"
        elif isinstance(event, DeliverableCreated) and working:
            improvised.add(event.deliverable.id)
    return [d for d in deliverables if d.id not in improvised]


def _green(telling: Telling) -> list[CheckFinished]:
    return [
        event
        for event in _told(telling, "check.finished")
        if isinstance(event, CheckFinished)
        and event.evidence.is_green
        and event.evidence.when != "before"
    ]


def _told(telling: Telling, *types: str) -> Iterator[Event]:
    store = EventStore(telling.database, host_of(telling.ready.environment.root))
    for recorded in store.read(telling.ready.request.run, types=types):
        yield recorded.event
