"""The list of runs: a projection of the logs, and how a person names one of them."""

import fcntl
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tests.builders import NOON, RUN, run_started
from tests.contracts.storages import DATABASES, storage_of
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import find_run, list_runs, run_directory, run_lock
from treadle.domain.approval import Approval, ApprovalId
from treadle.domain.deliverable import Tally
from treadle.domain.errors import UsageError
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAsked
from treadle.domain.events.run import RoundStarted, RunEnded, RunPaused, RunQueued, RunStarted
from treadle.domain.ids import RunId, make_run_id
from treadle.domain.lifecycle import RunState
from treadle.domain.run import RunResult
from treadle.domain.run_row import RunFilter
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage


@pytest.fixture(params=DATABASES)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return storage_of(request.param, request, tmp_path)


def begin(storage: Storage, *runs: RunStarted, at: datetime = NOON) -> None:
    with closing(open_store(storage)) as store:
        for number, run in enumerate(runs):
            store.append(run.run, [(at + timedelta(seconds=number), run)])


@contextmanager
def held(root: Path, run: RunId) -> Iterator[None]:
    """As the process that works on the run holds it."""
    run_directory(root, run).mkdir(parents=True)
    with run_lock(root, run).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def named(unix_ms: int, bits: int, key: str = "key") -> RunStarted:
    return run_started(make_run_id(unix_ms=unix_ms, random_bits=bits), key=key)


OLD = named(1, 0xAAAA_0000_1111)
MIDDLE = named(2, 0xBBBB_0000_1111, key="another")
NEW = named(3, 0xCCCC_0000_2222)

PAUSED = RunPaused("quota", NOON)
ASKED = ApprovalAsked(
    Approval(
        id=ApprovalId("a1"),
        run=RUN,
        kind="landing",
        question="Land it?",
        subject="",
        subject_hash="",
        asked_at=NOON,
        deadline=None,
        at_deadline="deny",
    )
)


def test_a_row_tells_rehearsals_from_real_runs(storage: Storage) -> None:
    begin(storage, OLD, replace(NEW, rehearsal=False))

    assert [(row.id, row.rehearsal) for row in list_runs(storage)] == [(NEW.run, 0), (OLD.run, 1)]


def test_without_a_file_there_are_no_runs_and_none_is_made(tmp_path: Path) -> None:
    assert list_runs(Storage(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("event", "state"),
    [(RoundStarted(1, "coding"), "running"), (PAUSED, "paused"), (ASKED, "waiting")],
)
def test_a_run_is_alive_while_somebody_holds_it_and_lost_otherwise(
    event: Event, state: RunState, storage: Storage
) -> None:
    begin(storage, run_started())
    with closing(open_store(storage)) as store:
        store.append(RUN, [(NOON, event)])

    with held(storage.root, RUN):
        (during,) = list_runs(storage)
    (after,) = list_runs(storage)

    assert (during.state, during.alive) == (state, True)
    assert (after, after.alive) == (replace(during, state="lost"), False)


@pytest.mark.slow
@pytest.mark.xdist_group("postgres")
def test_a_run_of_another_machine_is_taken_at_its_word(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    there = storage_of("postgres", request, tmp_path / "there")
    here = replace(there, root=tmp_path / "here")
    begin(there, run_started())

    assert [row.state for row in list_runs(there)] == ["lost"]
    assert [row.state for row in list_runs(here)] == ["running"]


def test_the_runs_of_one_file_are_its_own_wherever_it_was_moved_to(tmp_path: Path) -> None:
    begin(Storage(tmp_path / "before"), run_started())
    (tmp_path / "before").rename(tmp_path / "after")

    assert [row.state for row in list_runs(Storage(tmp_path / "after"))] == ["lost"]


def test_a_queued_run_has_no_owner_to_lose(storage: Storage) -> None:
    with closing(open_store(storage)) as store:
        store.append(RUN, [(NOON, RunQueued(RUN, "deliver", "/project", "key", rehearsal=False))])

    assert [(row.state, row.alive) for row in list_runs(storage)] == [("queued", False)]


def test_runs_are_listed_newest_first_of_one_project_or_of_all(storage: Storage) -> None:
    begin(storage, OLD, MIDDLE, NEW)

    assert listed(storage) == [NEW.run, MIDDLE.run, OLD.run]
    assert listed(storage, limit=2) == [NEW.run, MIDDLE.run]
    assert listed(storage, project_key="key") == [NEW.run, OLD.run]
    assert listed(storage, project_key="nobody's") == []


def test_runs_are_listed_by_state_by_workflow_and_by_time(storage: Storage) -> None:
    begin(storage, OLD, MIDDLE, NEW)
    stuck = RunEnded(RunResult("stuck", 1, Tally(0, 0, 0), 0.0, Usage(), 1.0))
    with closing(open_store(storage)) as store:
        store.append(NEW.run, [(NOON, stuck)])

    with held(storage.root, OLD.run):
        assert listed(storage, states=("running",)) == [OLD.run]
        assert listed(storage, states=("lost",)) == [MIDDLE.run]
        assert listed(storage, states=("lost", "running", "ended"), limit=2) == [
            NEW.run,
            MIDDLE.run,
        ]
    assert listed(storage, states=("succeeded", "paused", "waiting", "queued")) == []
    assert listed(storage, workflow="deliver", project_key="another") == [MIDDLE.run]
    assert listed(storage, workflow="focus") == []
    since = (NOON + timedelta(seconds=1)).astimezone(timezone(timedelta(hours=5)))
    assert listed(storage, since=since) == [NEW.run, MIDDLE.run]


def listed(storage: Storage, **wanted: Any) -> list[str]:
    return [row.id for row in list_runs(storage, RunFilter(**wanted))]


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
        # As it is printed: the beginning of the last eight.
        ("00002", NEW.run),
    ],
)
def test_a_run_is_named_by_its_id_or_an_end_or_beginning_that_fits_no_other(
    storage: Storage, reference: str, found: str
) -> None:
    begin(storage, OLD, MIDDLE, NEW)

    assert find_run(storage, reference).id == found


NEWEST = "the newest runs are 00002222, 00001111, 00001111"


@pytest.mark.parametrize(
    ("reference", "message", "hint"),
    [
        (
            "00001111",
            "'00001111' matches several runs: bbbb00001111, aaaa00001111",
            "give more characters",
        ),
        ("99999999", "there is no run '99999999'", NEWEST),
        ("", "there is no run ''", NEWEST),
        ("-", "there is no run '-'", NEWEST),
        ("LAST", "there is no run 'LAST'", NEWEST),
    ],
)
def test_a_name_that_fits_no_run_or_several_is_refused_with_what_would_fit(
    storage: Storage, reference: str, message: str, hint: str
) -> None:
    begin(storage, OLD, MIDDLE, NEW)

    with pytest.raises(UsageError) as caught:
        find_run(storage, reference)

    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_the_last_run_is_the_last_of_the_project_where_one_is_named(storage: Storage) -> None:
    begin(storage, OLD, MIDDLE)

    assert find_run(storage, "last", project_key="key").id == OLD.run
    assert find_run(storage, "bbbb00001111", project_key="key").id == MIDDLE.run
    with pytest.raises(UsageError) as caught:
        find_run(storage, "last", project_key="nobody's")

    assert (caught.value.message, caught.value.hint) == (
        "there are no runs of this project yet",
        "start one with `treadle deliver`, or name one of `treadle ls --all`",
    )


@pytest.mark.parametrize(
    ("reference", "message"),
    [("last", "there are no runs yet"), ("1234", "there is no run '1234'")],
)
def test_where_there_are_no_runs_a_person_is_told_how_to_start_one(
    storage: Storage, reference: str, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        find_run(storage, reference)

    assert (caught.value.message, caught.value.hint) == (
        message,
        "start one with `treadle deliver`",
    )


def test_a_file_that_is_only_just_being_made_has_no_runs_yet(tmp_path: Path) -> None:
    (tmp_path / "events.db").touch()

    assert list_runs(Storage(tmp_path)) == []
