"""Cancelling ends an idle run at once and asks a working one to stop."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import Popen

import pytest

from tests.builders import NOON, RUN, deliverable, run_started
from treadle.adapters.processes.marked_processes import SESSION_MARK
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.control_requests import ControlRequests
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import find_run
from treadle.domain.approval import Approval, ApprovalId
from treadle.domain.deliverable import Tally
from treadle.domain.errors import UsageError
from treadle.domain.events.agent import ProcessEnded, UsageReported
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import ApprovalAsked, ApprovalVoided
from treadle.domain.events.run import (
    InterruptRequested,
    RoundStarted,
    RunEnded,
    RunPaused,
    RunQueued,
    RunReopened,
)
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.events.work import DeliverableCreated, WorkspacePrepared
from treadle.domain.ids import SessionId
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunRow
from treadle.domain.session import Completed, SessionResult
from treadle.domain.usage import Usage
from treadle.durable.client import enqueue
from treadle.durable.queries import unfinished_workflows
from treadle.durable.stored_workflow import PARKED_QUEUE
from treadle.runs.cancel import cancel
from treadle.runs.engine_names import ENGINE_WORKFLOW, engine_location, leg_name
from treadle.runs.locks import lock_orphan
from treadle.runs.recovery import is_idle, is_set_aside, recover_lost_runs
from treadle.runs.request_json import store_request
from treadle.settings.environment import Environment, parse_environment

QUEUED = RunQueued(RUN, "deliver", "/project", "key", rehearsal=True)
WORKED = SessionResult(SessionId("session-1"), Completed("done"), 0.5, Usage(), 3, 60.0)
AT_WORK: list[Event] = [
    run_started(),
    DeliverableCreated(deliverable("DL-1")),
    RoundStarted(1, "coding"),
    SessionEnded(WORKED),
]
NOBODY = "cancelled while no process worked on it"


@dataclass(frozen=True)
class ProjectStore:
    environment: Environment

    @property
    def row(self) -> RunRow:
        return find_run(self.environment.storage, RUN, project_key="")

    @property
    def location(self) -> str:
        return engine_location(self.environment.storage)

    def record(self, *events: Event) -> None:
        with closing(open_store(self.environment.storage)) as store:
            store.append(RUN, [(NOON, event) for event in events])

    def events(self) -> list[Event]:
        with closing(open_store(self.environment.storage)) as store:
            return [recorded.event for recorded in store.read(RUN)]


@pytest.fixture
def project_store(tmp_path: Path) -> ProjectStore:
    return ProjectStore(
        parse_environment({"HOME": str(tmp_path), "TREADLE_ROOT": str(tmp_path / "root")})
    )


@pytest.fixture
def worked_on(project_store: ProjectStore) -> Iterator[ProjectStore]:
    """A run whose process lives."""
    project_store.record(*AT_WORK)
    with lock_orphan(project_store.environment.root, RUN) as held:
        assert held
        yield project_store


@pytest.mark.parametrize(
    ("told", "result"),
    [
        ([QUEUED], RunResult("cancelled", 0, Tally(), 0.0, Usage(), 0.0, NOBODY)),
        (AT_WORK, RunResult("cancelled", 1, Tally(total=1), 0.5, Usage(), 60.0, NOBODY)),
        (
            [*AT_WORK, RunPaused("quota", NOON)],
            RunResult("cancelled", 1, Tally(total=1), 0.5, Usage(), 60.0, NOBODY),
        ),
    ],
    ids=["queued", "lost", "lost in a pause"],
)
def test_a_run_that_nobody_works_on_ends_at_once(
    project_store: ProjectStore, told: list[Event], result: RunResult
) -> None:
    project_store.record(*told)

    assert cancel(project_store.row, project_store.environment) == "ended"
    assert project_store.events() == [*told, InterruptRequested("cancel"), RunEnded(result)]
    assert (project_store.row.state, project_store.row.reason) == ("ended", "cancelled")


def test_what_was_run_for_a_cancelled_run_is_ended(project_store: ProjectStore) -> None:
    """Also a command between two sessions, such as a check."""
    project_store.record(*AT_WORK, WorkspacePrepared("/w", "b", None, None, "c0"))
    command = ("/bin/sleep", "600")
    with Popen(command, env={SESSION_MARK: RUN}, start_new_session=True) as running:
        try:
            cancel(project_store.row, project_store.environment)
            ended = running.wait(timeout=10)
        finally:
            running.kill()

    told = [event for event in project_store.events() if isinstance(event, ProcessEnded)]
    assert (told, ended < 0) == ([ProcessEnded(running.pid, "/bin/sleep 600")], True)


async def test_no_worker_takes_up_a_run_that_was_cancelled_in_the_queue(
    project_store: ProjectStore,
) -> None:
    project_store.record(QUEUED)
    enqueue(project_store.location, RUN, ENGINE_WORKFLOW, {})
    waiting = [seen.workflow_id for seen in unfinished_workflows(project_store.location)]

    cancel(project_store.row, project_store.environment)

    assert (waiting, unfinished_workflows(project_store.location)) == ([RUN], [])
    assert await recover_lost_runs(project_store.environment, "") == []
    assert await is_idle(project_store.environment, "worker", "")


def test_all_legs_of_the_run_are_given_up_and_nobody_elses(project_store: ProjectStore) -> None:
    other = RUN.replace("9", "8")
    for name in (RUN, leg_name(RUN, 2), other):
        enqueue(project_store.location, name, ENGINE_WORKFLOW, {})
    ended = RunResult("max_iterations", 1, Tally(), 0.0, Usage(), 0.0)
    project_store.record(*AT_WORK, RunEnded(ended), RunReopened("resume", run_started().limits))

    cancel(project_store.row, project_store.environment)

    assert [seen.workflow_id for seen in unfinished_workflows(project_store.location)] == [other]


def test_a_run_that_somebody_works_on_is_asked_and_asking_twice_is_asking_once(
    worked_on: ProjectStore,
) -> None:
    for _ in range(2):
        assert cancel(worked_on.row, worked_on.environment) == "asked"

    with closing(open_database(worked_on.environment.storage)) as database:
        asked = ControlRequests(database).find_oldest(RUN)
    assert asked is not None
    assert (asked.kind, worked_on.events()) == ("cancel", AT_WORK)


def test_a_run_that_has_ended_cannot_be_cancelled(project_store: ProjectStore) -> None:
    project_store.record(*AT_WORK)
    cancel(project_store.row, project_store.environment)

    with pytest.raises(UsageError, match="run 9abcdef0 has already ended"):
        cancel(project_store.row, project_store.environment)


async def test_a_run_that_waits_for_a_worker_keeps_it_from_being_idle(
    project_store: ProjectStore,
) -> None:
    assert await is_idle(project_store.environment, "worker", "")

    enqueue(project_store.location, RUN, ENGINE_WORKFLOW, {})

    assert not await is_idle(project_store.environment, "worker", "")
    assert await recover_lost_runs(project_store.environment, "") == []  # it is where it belongs


async def test_a_run_on_the_queue_of_a_process_that_is_gone_is_handed_to_the_workers(
    project_store: ProjectStore,
) -> None:
    enqueue(project_store.location, RUN, ENGINE_WORKFLOW, {}, queue=f"run.{RUN}")
    with lock_orphan(project_store.environment.root, RUN):
        while_alive = await recover_lost_runs(project_store.environment, "")

    assert (while_alive, await recover_lost_runs(project_store.environment, "")) == ([], [RUN])
    assert [seen.queue for seen in unfinished_workflows(project_store.location)] == ["shared"]


def test_what_a_session_that_was_cut_has_used_counts(project_store: ProjectStore) -> None:
    cut: list[Event] = [
        RoundStarted(2, "coding"),
        SessionStarted(SessionId("session-2"), "implementer", "sonnet"),
        UsageReported("sonnet", Usage(10, 20), 0.25),
    ]
    project_store.record(*AT_WORK, *cut)

    cancel(project_store.row, project_store.environment)

    end = project_store.events()[-1]
    assert end == RunEnded(
        RunResult("cancelled", 2, Tally(total=1), 0.75, Usage(10, 20), 60.0, NOBODY)
    )


def test_a_run_that_ended_since_it_was_seen_is_not_ended_again(project_store: ProjectStore) -> None:
    project_store.record(*AT_WORK)
    seen = project_store.row
    cancel(seen, project_store.environment)
    told = project_store.events()

    with pytest.raises(UsageError, match="run 9abcdef0 has already ended"):
        cancel(seen, project_store.environment)
    assert project_store.events() == told


def test_nothing_is_left_to_answer_for_a_run_that_was_cancelled(
    project_store: ProjectStore,
) -> None:
    asked = ApprovalId("asked")
    approval = Approval(asked, RUN, "landing", "Land it?", "", "", NOON, None, "deny")
    project_store.record(*AT_WORK, ApprovalAsked(approval))
    with closing(open_database(project_store.environment.storage)) as database:
        DatabaseApprovals(database).ask(approval)

        cancel(project_store.row, project_store.environment)

        assert DatabaseApprovals(database).list_open(NOON) == []
    assert project_store.events()[-2] == ApprovalVoided(asked, "the run ended")


async def test_a_queued_run_that_nobody_put_on_the_queue_is_put_there(
    project_store: ProjectStore,
) -> None:
    project_store.record(QUEUED)
    nobody_knows = await recover_lost_runs(project_store.environment, "")
    store_request(
        project_store.environment.root,
        RunRequest(RUN, "/project", {}, no_sandbox=False, rehearsal=True),
    )
    with lock_orphan(project_store.environment.root, RUN):
        while_held = await recover_lost_runs(project_store.environment, "")

    assert (nobody_knows, while_held, await recover_lost_runs(project_store.environment, "")) == (
        [],
        [],
        [RUN],
    )
    assert [seen.queue for seen in unfinished_workflows(project_store.location)] == ["shared"]
    assert await recover_lost_runs(project_store.environment, "") == []


async def test_a_run_that_was_set_aside_keeps_no_worker_from_being_idle(
    project_store: ProjectStore,
) -> None:
    enqueue(project_store.location, RUN, ENGINE_WORKFLOW, {}, queue=PARKED_QUEUE)

    assert await is_idle(project_store.environment, "", "")
    assert (
        await recover_lost_runs(project_store.environment, ""),
        is_set_aside(project_store.environment, RUN),
    ) == (
        [],
        True,
    )


def test_what_was_asked_after_the_end_is_not_asked_of_the_next_leg(
    project_store: ProjectStore,
) -> None:
    ended = RunResult("max_iterations", 1, Tally(), 0.0, Usage(), 0.0)
    project_store.record(*AT_WORK, RunEnded(ended))
    with closing(open_database(project_store.environment.storage)) as database:
        ControlRequests(database).add(RUN, "cancel", by="somebody", at=NOON)
        project_store.record(RunReopened("resume", run_started().limits))

        assert ControlRequests(database).find_oldest(RUN) is None


async def test_a_lost_run_is_left_to_a_worker_with_its_login(project_store: ProjectStore) -> None:
    project_store.record(*AT_WORK)
    root = project_store.environment.root
    request = RunRequest(RUN, "/project", {}, no_sandbox=False, rehearsal=True)
    store_request(root, replace(request, login="personal"))
    enqueue(project_store.location, RUN, ENGINE_WORKFLOW, {}, queue=f"run.{RUN}")

    by_another = await recover_lost_runs(project_store.environment, "company")

    assert (by_another, await recover_lost_runs(project_store.environment, "personal")) == (
        [],
        [RUN],
    )
    assert await recover_lost_runs(project_store.environment, "company") == []
    assert await is_idle(project_store.environment, "worker", "company")
    assert not await is_idle(project_store.environment, "worker", "personal")


async def test_any_worker_takes_what_an_earlier_version_queued(project_store: ProjectStore) -> None:
    project_store.record(QUEUED)
    request = RunRequest(RUN, "/project", {}, no_sandbox=False, rehearsal=True)
    store_request(project_store.environment.root, request)
    enqueue(project_store.location, RUN, ENGINE_WORKFLOW, {})

    assert await recover_lost_runs(project_store.environment, "company") == [RUN]
    assert not await is_idle(project_store.environment, "worker", "company")
