"""What a person has said about a plan holds in every later leg of the run."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.workflows.focus.focus_harness import (
    FocusHarness,
    FocusOptions,
    make_focus_harness,
    marker,
    planned,
)
from tests.unit.workflows.run_harness import (
    RunHarness,
    created,
    did,
    ending,
    make_run_harness,
    use,
)
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.domain.approval import Answer, AnswerVerdict
from treadle.domain.events.oversight import ApprovalAsked
from treadle.domain.events.run import RunEnded, RunReopened
from treadle.domain.storage import Storage
from treadle.workflows.definition import LogFollower
from treadle.workflows.loop.plan_question import PlanEdits, edits_prompt
from treadle.workflows.loop.run_loop import RunLoop
from treadle.workflows.loop.run_parts import PlanningRules
from treadle.workflows.task.task_log import TaskLog

REPLY = "Use SQLite"


class DeliverAsking(RunHarness):
    def adjust(self, loop: RunLoop) -> None:
        """The progress is the loop's own."""


class FocusAsking(FocusHarness):
    def adjust(self, loop: RunLoop) -> None:
        """The progress is the loop's own."""


class TaskAsking(DeliverAsking):
    def follow_log(self) -> LogFollower:
        self.workflow, self.options = "task", FocusOptions("major", 3)
        self.inputs = {"words": "Tell the time"}
        log = TaskLog()
        log.load(self.store.read(self.run))
        return log


@dataclass(frozen=True)
class PlannedRun:
    """A run of one workflow, and a planner's session of it."""

    harness: RunHarness
    plan: Callable[[str], list[ReplayStep]]


def _task_plan(title: str) -> list[ReplayStep]:
    call = {"title": title, "approach": "As ever.", "criteria": [{"text": "It ticks"}]}
    return [use("write_plan", call), *marker("PLAN_COMPLETE", "Planned."), ending()]


@pytest.fixture(params=["deliver", "focus", "task"])
def planned_run(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PlannedRun]:
    with closing(open_database(Storage(tmp_path / "root"))) as database:
        approvals = DatabaseApprovals(database)
        rules = PlanningRules("open", timedelta(minutes=20))
        user = make_run_harness(tmp_path).user if request.param != "focus" else None
        match request.param:
            case "deliver":
                assert user is not None
                harness: RunHarness = DeliverAsking(tmp_path, user)
                run = PlannedRun(harness, lambda name: [created(name), ending()])
            case "focus":
                user = make_focus_harness(tmp_path).user
                run = PlannedRun(FocusAsking(tmp_path, user), planned)
            case _:
                assert user is not None
                run = PlannedRun(TaskAsking(tmp_path, user), _task_plan)
        run.harness.approvals, run.harness.planning = approvals, rules
        yield run


def _answer_and_then_stop(harness: RunHarness, *answers: tuple[AnswerVerdict, str]) -> None:
    """A person answers what is asked; the run is asked to stop at a question without an answer."""
    waiting = list(answers)
    store = harness.approvals
    assert isinstance(store, DatabaseApprovals)

    def look() -> None:
        now = harness.clock.now()
        for record in store.list_open(now):
            if not waiting:
                harness.stop.set()
                return
            answer = Answer(waiting[0][0], "ada", now, waiting.pop(0)[1])
            store.answer(record.approval.id, answer, subject_hash=record.approval.subject_hash)

    harness.clock.on_sleep = look


def _questions(harness: RunHarness) -> list[tuple[str, bool]]:
    """The plans that were asked about, and whether time alone could have approved them."""
    return [
        (each.approval.subject, each.approval.deadline is not None)
        for each in harness.of_type(ApprovalAsked)
        if isinstance(each, ApprovalAsked)
    ]


async def _reopen(harness: RunHarness) -> None:
    result = await harness.execute()
    harness.record(RunEnded(result), RunReopened("resume", harness.limits))
    harness.stop.clear()


async def test_a_plan_that_a_person_wants_changed_never_comes_back_as_it_was(
    planned_run: PlannedRun,
) -> None:
    harness, plan = planned_run.harness, planned_run.plan
    harness.sessions = [plan("DL-1"), [did(harness.stop.set), ending()], plan("DL-2")]
    _answer_and_then_stop(harness, ("replied", REPLY))
    await _reopen(harness)

    await harness.execute()

    first, second = _questions(harness)
    assert ("DL-1" in first[0], "DL-1" in second[0], "DL-2" in second[0]) == (True, False, True)
    prompt = harness.agent.briefs[2].prompt
    assert edits_prompt(PlanEdits(REPLY, first[0])).strip() in prompt


async def test_a_plan_that_a_person_denied_is_not_approved_by_time_after_it_was_resumed(
    planned_run: PlannedRun,
) -> None:
    harness, plan = planned_run.harness, planned_run.plan
    harness.sessions = [plan("DL-1")]
    _answer_and_then_stop(harness, ("denied", ""))
    await _reopen(harness)

    result = await harness.execute()

    first, second = _questions(harness)
    assert second == (first[0], False)
    assert result.reason == "interrupted"
