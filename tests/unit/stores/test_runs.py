"""The list of runs: a projection of the logs, and how a person names one of them."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import EVENTS, NOON, RUN, run_started, values_of
from treadle.adapters.stores.runs import find_run, list_runs, run_directory, run_lock
from treadle.adapters.stores.sqlite import SqliteStore
from treadle.domain.errors import UsageError
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RoundStarted, RunEnded, RunStarted
from treadle.domain.events.session import SessionEnded
from treadle.domain.events.work import (
    DeliverableChanged,
    DeliverableCreated,
    PlanMade,
    StatusAdopted,
    WorkLanded,
    WorkspacePrepared,
)
from treadle.domain.ids import RunId, run_id
from treadle.domain.run_row import RunRow

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


def begin(root: Path, *runs: RunStarted, at: datetime = NOON) -> None:
    store = SqliteStore(root)
    for number, run in enumerate(runs):
        store.append(run.run, [(at + timedelta(seconds=number), run)])
    store.close()


@contextmanager
def held(root: Path, run: RunId) -> Iterator[None]:
    """As the process that works on the run holds it."""
    run_directory(root, run).mkdir(parents=True)
    with run_lock(root, run).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def folded(row: RunRow, at: datetime, event: Event) -> RunRow:
    """What one event means for the list, said a second time."""
    match event:
        case RoundStarted(number=number):
            return replace(row, rounds=number)
        case SessionEnded(result=result):
            return replace(row, cost_usd=row.cost_usd + result.cost_usd)
        case RunEnded():
            return ended(row, at, event)
        case _:
            return folded_work(row, event)


def folded_work(row: RunRow, event: Event) -> RunRow:
    match event:
        case WorkspacePrepared(branch=branch, snapshot=snapshot):
            return replace(row, branch=branch, snapshot=snapshot)
        case DeliverableCreated():
            return replace(row, total=row.total + 1)
        case DeliverableChanged():
            return changed(row, event)
        case StatusAdopted(deliverables=deliverables):
            statuses = [each.status for each in deliverables]
            passed, blocked = statuses.count("passed"), statuses.count("blocked")
            return replace(row, passed=passed, blocked=blocked, total=len(statuses))
        case PlanMade(spec=spec):
            return replace(row, planned=spec)
        case WorkLanded(commit=commit):
            return replace(row, landed=commit)
        case _:
            return row


def changed(row: RunRow, event: DeliverableChanged) -> RunRow:
    before, after = event.previous, event.status
    return replace(
        row,
        passed=row.passed + (after == "passed") - (before == "passed"),
        blocked=row.blocked + (after == "blocked") - (before == "blocked"),
    )


def ended(row: RunRow, at: datetime, event: RunEnded) -> RunRow:
    result = event.result
    return replace(
        row,
        state="succeeded" if result.reason == "all_passed" else "ended",
        reason=result.reason,
        ended_at=at.isoformat(),
        rounds=result.rounds,
        passed=result.tally.passed,
        blocked=result.tally.blocked,
        total=result.tally.total,
        cost_usd=result.cost_usd,
    )


SHOWN = (
    RoundStarted,
    SessionEnded,
    WorkspacePrepared,
    DeliverableCreated,
    DeliverableChanged,
    StatusAdopted,
    PlanMade,
    WorkLanded,
    RunEnded,
)


FRESH = (run_id(unix_ms=number, random_bits=0) for number in count())


@settings(
    deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)  # a fresh run is enough
@given(events=st.lists(EVENTS | st.one_of([values_of(each) for each in SHOWN]), max_size=12))
def test_the_row_of_a_run_says_what_its_log_says(tmp_path: Path, events: list[Event]) -> None:
    run = next(FRESH)
    log: list[tuple[datetime, Event]] = [(NOON, run_started(run))]
    log += [
        (NOON + timedelta(seconds=number), event)
        for number, event in enumerate(events, 1)
        if not isinstance(event, RunStarted)
    ]
    wanted = replace(FRESH_ROW, id=run)
    for at, event in log:
        wanted = folded(wanted, at, event)

    store = SqliteStore(tmp_path)
    store.append(run, log)
    store.close()
    row = find_run(tmp_path, run)

    assert replace(row, cost_usd=0.0) == replace(wanted, cost_usd=0.0)
    assert row.cost_usd == pytest.approx(wanted.cost_usd)


def test_a_row_tells_rehearsals_from_real_runs(tmp_path: Path) -> None:
    begin(tmp_path, OLD, replace(NEW, rehearsal=False))

    assert [(row.id, row.rehearsal) for row in list_runs(tmp_path)] == [(NEW.run, 0), (OLD.run, 1)]


def test_without_a_store_there_are_no_runs(tmp_path: Path) -> None:
    assert list_runs(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_running_while_somebody_holds_it_and_lost_otherwise(tmp_path: Path) -> None:
    begin(tmp_path, run_started())

    with held(tmp_path, RUN):
        (during,) = list_runs(tmp_path)
    (after,) = list_runs(tmp_path)

    assert (during, during.alive) == (replace(FRESH_ROW, state="running"), True)
    assert (after, after.alive) == (FRESH_ROW, False)


def named(unix_ms: int, bits: int, key: str = "key") -> RunStarted:
    return run_started(run_id(unix_ms=unix_ms, random_bits=bits), key=key)


OLD = named(1, 0xAAAA_0000_1111)
MIDDLE = named(2, 0xBBBB_0000_1111, key="another")
NEW = named(3, 0xCCCC_0000_2222)


def test_runs_are_listed_newest_first_of_one_project_or_of_all(tmp_path: Path) -> None:
    begin(tmp_path, OLD, MIDDLE, NEW)

    def ids(**wanted: object) -> list[str]:
        return [row.id for row in list_runs(tmp_path, **wanted)]  # type: ignore[arg-type]

    assert ids() == [NEW.run, MIDDLE.run, OLD.run]
    assert ids(limit=2) == [NEW.run, MIDDLE.run]
    assert ids(project_key="key") == [NEW.run, OLD.run]
    assert ids(project_key="nobody's") == []


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("last", NEW.run),
        (OLD.run, OLD.run),
        (OLD.run.replace("-", ""), OLD.run),
        (OLD.run.upper(), OLD.run),
        ("00002222", NEW.run),
        ("2", NEW.run),
        ("aaaa00001111", OLD.run),
        ("BBBB00001111", MIDDLE.run),
    ],
)
def test_a_run_is_named_by_its_id_or_any_end_of_it_that_fits_no_other(
    tmp_path: Path, reference: str, found: str
) -> None:
    begin(tmp_path, OLD, MIDDLE, NEW)

    assert find_run(tmp_path, reference).id == found


NEWEST = "the newest runs are 00002222, 00001111, 00001111"


@pytest.mark.parametrize(
    ("reference", "message", "hint"),
    [
        (
            "00001111",
            "'00001111' fits several runs: bbbb00001111, aaaa00001111",
            "give more digits",
        ),
        ("99999999", "there is no run '99999999'", NEWEST),
        ("", "there is no run ''", NEWEST),
        ("-", "there is no run '-'", NEWEST),
        ("LAST", "there is no run 'LAST'", NEWEST),
    ],
)
def test_a_name_that_fits_no_run_or_several_is_refused_with_what_would_fit(
    tmp_path: Path, reference: str, message: str, hint: str
) -> None:
    begin(tmp_path, OLD, MIDDLE, NEW)

    with pytest.raises(UsageError) as caught:
        find_run(tmp_path, reference)

    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_the_last_run_is_the_last_of_the_project_where_one_is_named(tmp_path: Path) -> None:
    begin(tmp_path, OLD, MIDDLE)

    assert find_run(tmp_path, "last", project_key="key").id == OLD.run
    assert find_run(tmp_path, "bbbb00001111", project_key="key").id == MIDDLE.run
    with pytest.raises(UsageError) as caught:
        find_run(tmp_path, "last", project_key="nobody's")

    assert (caught.value.message, caught.value.hint) == (
        "there are no runs of this project yet",
        "start one with `treadle deliver`, or name one of `treadle ls --all`",
    )


@pytest.mark.parametrize(
    ("reference", "message"),
    [("last", "there are no runs yet"), ("1234", "there is no run '1234'")],
)
def test_where_there_are_no_runs_a_person_is_told_how_to_start_one(
    tmp_path: Path, reference: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        find_run(tmp_path, reference)

    assert (caught.value.message, caught.value.hint) == (
        message,
        "start one with `treadle deliver`",
    )


def test_a_store_that_is_only_just_being_made_has_no_runs_yet(tmp_path: Path) -> None:
    (tmp_path / "events.db").touch()

    assert list_runs(tmp_path) == []
