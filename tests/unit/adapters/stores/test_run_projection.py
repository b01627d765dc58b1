"""The row of a run: what its log says of it, kept up to date event by event."""

from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import EVENTS, NOON, RUN, RUN_LIMITS, run_started, values_of
from tests.contracts.storages import DATABASES, storage_of
from treadle.adapters.stores.control_requests import ControlRequest, ControlRequests
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import EventStore, open_store
from treadle.adapters.stores.run_list import find_run, host_of
from treadle.domain.approval import Approval, ApprovalId
from treadle.domain.deliverable import Tally
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAnswered, ApprovalAsked, ApprovalVoided
from treadle.domain.events.publishing import FeedbackReceived, PullRequestFollowed
from treadle.domain.events.queue import ItemEnded
from treadle.domain.events.run import (
    RoundStarted,
    RunEnded,
    RunPaused,
    RunQueued,
    RunRecovered,
    RunReopened,
    RunResumed,
)
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    PlanMade,
    StatusAdopted,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.ids import make_run_id
from treadle.domain.lifecycle import changes_state
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunRow
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage

FRESH_ROW = RunRow(
    id=RUN,
    workflow="deliver",
    project_path="/project",
    project_key="key",
    state="lost",
    reason="",
    sandbox="unsandboxed",
    rehearsal=1,
    planned="",
    started_at=NOON.isoformat(),
    ended_at="",
    rounds=0,
    passed=0,
    blocked=0,
    total=0,
    cost_usd=0.0,
    branch="",
    snapshot="",
    landed="",
)


@pytest.fixture(params=DATABASES, scope="module")
def storage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Storage:
    return storage_of(request.param, request, tmp_path_factory.mktemp("root"))


def folded(row: RunRow, event: Event) -> RunRow:
    """What one event means for the list, said a second time."""
    match event:
        case SessionEnded(result=result):
            return replace(row, cost_usd=row.cost_usd + result.cost_usd)
        case WorkspacePrepared(branch=branch, snapshot=snapshot):
            return replace(row, branch=branch, snapshot=snapshot)
        case PlanMade(spec=spec):
            return replace(row, planned=spec)
        case WorkLanded(commit=commit):
            return replace(row, landed=commit)
        case ItemEnded():
            return replace(row, rounds=row.rounds + 1)
        case _:
            return folded_deliverables(row, event)


def folded_deliverables(row: RunRow, event: Event) -> RunRow:
    match event:
        case DeliverableCreated():
            return replace(row, total=row.total + 1)
        case DeliverableChanged(previous=before, status=after):
            return replace(
                row,
                passed=row.passed + (after == "passed") - (before == "passed"),
                blocked=row.blocked + (after == "blocked") - (before == "blocked"),
            )
        case StatusAdopted(deliverables=deliverables):
            statuses = [each.status for each in deliverables]
            passed, blocked = statuses.count("passed"), statuses.count("blocked")
            return replace(row, passed=passed, blocked=blocked, total=len(statuses))
        case _:
            return row


SHOWN = (
    SessionEnded,
    WorkspacePrepared,
    DeliverableCreated,
    DeliverableChanged,
    StatusAdopted,
    PlanMade,
    WorkLanded,
    ItemEnded,
)
WORK = (EVENTS | st.one_of([values_of(each) for each in SHOWN])).filter(
    lambda event: not changes_state(event.type)
)
FRESH = (make_run_id(unix_ms=number, random_bits=0) for number in count())


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # a fresh run is enough
@given(events=st.lists(WORK, max_size=12))
def test_the_row_of_a_run_says_what_its_log_says(storage: Storage, events: list[Event]) -> None:
    run = next(FRESH)
    wanted = replace(FRESH_ROW, id=run, host=host_of(storage.root))
    for event in events:
        wanted = folded(wanted, event)

    with closing(open_store(storage)) as store:
        store.append(run, [(NOON, run_started(run)), *((NOON, event) for event in events)])
    row = find_run(storage, run)

    # PostgreSQL takes no zero bytes in a text.
    texts = {"branch": wanted.branch, "snapshot": wanted.snapshot, "landed": wanted.landed}
    texts["planned"] = wanted.planned
    if storage.database_url:
        wanted = replace(wanted, **{k: v.replace("\0", "\ufffd") for k, v in texts.items()})  # type: ignore[arg-type]
    assert replace(row, cost_usd=0.0) == replace(wanted, cost_usd=0.0)
    assert row.cost_usd == pytest.approx(wanted.cost_usd)


AT_ONE, AT_TWO = NOON + timedelta(hours=1), NOON + timedelta(hours=2)
QUEUED = RunQueued(RUN, "deliver", "/project", "key", rehearsal=True)
QUESTION = Approval(
    id=ApprovalId("a1"),
    run=RUN,
    kind="landing",
    question="Land it?",
    subject="the work",
    subject_hash="0123",
    asked_at=NOON,
    deadline=AT_TWO,
    at_deadline="deny",
)
ASKED = ApprovalAsked(QUESTION)
ANSWERED = ApprovalAnswered(QUESTION.id, "approved", "ada")
VOIDED = ApprovalVoided(QUESTION.id, "the run ended")
PAUSED = RunPaused("the quota is spent", AT_TWO)
STUCK = RunEnded(RunResult("stuck", 4, Tally(1, 2, 5), 7.5, Usage(), 60.0))
DONE = RunEnded(RunResult("all_passed", 2, Tally(2, 0, 2), 1.5, Usage(), 60.0))
REOPENED = RunReopened("resume", RUN_LIMITS)
ROUND = RoundStarted(3, "coding")

AT_THE_END = {
    "reason": "stuck",
    "rounds": 4,
    "passed": 1,
    "blocked": 2,
    "total": 5,
    "cost_usd": 7.5,
    "duration_s": 60.0,
}
AGAIN = {**AT_THE_END, "reason": "", "reopened_at": AT_TWO.isoformat()}
HELD_UP = {"until": AT_TWO.isoformat(), "waiting_for": "the quota is spent"}
FOLLOWED = PullRequestFollowed(1, "https://forge.example/1", AT_TWO)
FOLLOWING = {"until": AT_TWO.isoformat(), "waiting_for": FOLLOWED.url}
ASKING = {"until": AT_TWO.isoformat(), "waiting_for": "Land it?"}


@pytest.mark.parametrize(
    ("life", "changes"),
    [
        ([QUEUED], {"state": "queued", "sandbox": "", "host": ""}),
        ([QUEUED, run_started()], {"started_at": AT_ONE.isoformat()}),
        ([run_started(), ROUND], {"rounds": 3}),
        ([run_started(), PAUSED], HELD_UP),
        ([run_started(), PAUSED, RunRecovered()], HELD_UP),
        ([run_started(), PAUSED, RunResumed()], {}),
        ([run_started(), PAUSED, ROUND], {"rounds": 3}),
        ([run_started(), FOLLOWED], FOLLOWING),
        ([run_started(), FOLLOWED, FeedbackReceived(1, 1, "c0ffee", ())], {}),
        ([run_started(), ASKED], ASKING),
        ([run_started(), ASKED, ANSWERED], {}),
        ([run_started(), STUCK], {"state": "ended", "ended_at": AT_ONE.isoformat(), **AT_THE_END}),
        (
            [run_started(), PAUSED, STUCK],
            {"state": "ended", "ended_at": AT_TWO.isoformat(), **AT_THE_END},
        ),
        (
            [run_started(), STUCK, VOIDED],
            {"state": "ended", "ended_at": AT_ONE.isoformat(), **AT_THE_END},
        ),
        (
            [run_started(), DONE],
            {
                "state": "succeeded",
                "ended_at": AT_ONE.isoformat(),
                "reason": "all_passed",
                "rounds": 2,
                "passed": 2,
                "total": 2,
                "cost_usd": 1.5,
                "duration_s": 60.0,
            },
        ),
        ([run_started(), STUCK, REOPENED], {**AGAIN, "state": "queued"}),
        ([run_started(), STUCK, REOPENED, ROUND], {**AGAIN, "rounds": 3}),
        ([run_started(), STUCK, REOPENED, run_started()], AGAIN),
    ],
)
def test_a_row_follows_the_life_of_its_run(
    storage: Storage, life: list[Event], changes: dict[str, Any]
) -> None:
    run = next(FRESH)
    moments = [NOON + timedelta(hours=number) for number in range(len(life))]
    with closing(open_store(storage)) as store:
        store.append(run, [(at, of(event, run)) for at, event in timed(moments, life)])

    wanted = replace(FRESH_ROW, id=run, host=host_of(storage.root))
    assert find_run(storage, run) == replace(wanted, **changes)


def timed(moments: list[datetime], life: list[Event]) -> list[tuple[datetime, Event]]:
    return list(zip(moments, life, strict=True))


def of(event: Event, run: str) -> Event:
    return replace(event, run=run) if hasattr(event, "run") else event  # type: ignore[arg-type]


def test_the_end_of_a_run_clears_what_was_asked_of_it(storage: Storage) -> None:
    run = next(FRESH)
    with closing(open_database(storage)) as database:
        requests = ControlRequests(database)
        requests.add(run, "cancel", by="ada", at=NOON)
        requests.add(run, "cancel", by="bob", at=AT_ONE)
        asked = requests.find_oldest(run)
        EventStore(database, "here").append(run, [(NOON, of(run_started(), run)), (NOON, STUCK)])

        assert (asked, requests.find_oldest(run)) == (ControlRequest("cancel", "ada", NOON), None)


def test_what_was_asked_of_a_run_can_be_forgotten(storage: Storage) -> None:
    run, other = next(FRESH), next(FRESH)
    with closing(open_database(storage)) as database:
        requests = ControlRequests(database)
        requests.add(run, "cancel", by="ada", at=NOON)
        requests.add(other, "cancel", by="ada", at=NOON)
        requests.clear(run)

        assert (requests.find_oldest(run), requests.find_oldest(other)) == (
            None,
            ControlRequest("cancel", "ada", NOON),
        )
