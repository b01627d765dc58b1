"""A run that asks about its plan builds nothing before the answer."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.workflows.run_harness import (
    RunHarness,
    created,
    ending,
    make_run_harness,
    turned,
)
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.domain.approval import Answer, AnswerVerdict
from treadle.domain.events.oversight import ApprovalAsked
from treadle.domain.events.run import RoundStarted
from treadle.domain.events.work import DeliverableCreated, StatusAdopted
from treadle.domain.storage import Storage
from treadle.workflows.loop.run_parts import PlanningRules
from treadle.workflows.loop.run_progress import RunProgress


class PlanHarness(RunHarness):
    """A run that asks about its plan, and a person who answers as soon as asked."""

    def answer_with(self, *answers: tuple[AnswerVerdict, str]) -> None:
        waiting = list(answers)
        store = self.approvals
        assert isinstance(store, DatabaseApprovals)

        def look() -> None:
            now = self.clock.now()
            for record in store.list_open(now):
                if waiting:
                    verdict, text = waiting.pop(0)
                    answer = Answer(verdict, "ada", now, text)
                    store.answer(
                        record.approval.id, answer, subject_hash=record.approval.subject_hash
                    )

        self.clock.on_sleep = look

    def build(self, name: str) -> Sequence[ReplayStep]:
        """A session that builds a deliverable."""
        return [self.wrote(f"{name}.py"), turned(name, "passed"), ending()]

    @property
    def instructions(self) -> list[str]:
        return [each.instruction for each in self.events if isinstance(each, RoundStarted)]

    @property
    def questions(self) -> list[str]:
        return [each.approval.subject for each in self.events if isinstance(each, ApprovalAsked)]


@pytest.fixture
def harness(tmp_path: Path) -> Iterator[PlanHarness]:
    base = make_run_harness(tmp_path)
    with closing(open_database(Storage(tmp_path / "root"))) as database:
        yield PlanHarness(
            base.directory,
            base.user,
            approvals=DatabaseApprovals(database),
            planning=PlanningRules("open", timedelta(minutes=20)),
            progress=RunProgress(plan_gate="open"),
        )


async def test_work_begins_after_a_person_approved_the_plan(harness: PlanHarness) -> None:
    harness.sessions = [[created("DL-1"), ending()], harness.build("DL-1")]
    harness.answer_with(("approved", ""))

    ended = await harness.execute()

    assert ended.reason == "all_passed"
    assert harness.instructions == ["initializer", "coding"]
    assert len(harness.questions) == 1


async def test_work_begins_if_nobody_answers_in_time(harness: PlanHarness) -> None:
    harness.sessions = [[created("DL-1"), ending()], harness.build("DL-1")]
    started = harness.clock.now()

    ended = await harness.execute()

    assert ended.reason == "all_passed"
    assert harness.clock.now() - started >= timedelta(minutes=20)
    # Waiting for a person is not running time.
    assert ended.duration_s < 60


async def test_a_reply_makes_another_plan_and_asks_about_it(harness: PlanHarness) -> None:
    harness.sessions = [
        [created("DL-9"), ending()],
        [created("DL-1"), ending()],
        harness.build("DL-1"),
    ]
    harness.answer_with(("replied", "call it DL-1"), ("approved", ""))

    ended = await harness.execute()

    assert ended.reason == "all_passed"
    assert harness.instructions == ["initializer", "initializer", "coding"]
    assert [d.id for d in harness.status.read()] == ["DL-1"]
    assert "call it DL-1" in harness.agent.briefs[1].prompt
    assert "DL-9" in harness.agent.briefs[1].prompt
    assert "call it DL-1" not in harness.agent.briefs[2].prompt


async def test_a_denied_plan_ends_the_run(harness: PlanHarness) -> None:
    harness.sessions = [[created("DL-1"), ending()]]
    harness.answer_with(("denied", "not this week"))

    ended = await harness.execute()

    assert (ended.reason, ended.message) == ("plan_denied", "ada denied the plan: not this week")
    assert harness.instructions == ["initializer"]


async def test_a_run_that_is_taken_up_again_does_not_repeat_the_reply(
    harness: PlanHarness,
) -> None:
    harness.sessions = [
        [created("DL-9"), ending()],
        [created("DL-1"), ending()],
        harness.build("DL-1"),
    ]
    harness.answer_with(("replied", "call it DL-1"), ("approved", ""))
    await harness.execute()

    again = await harness.execute()

    assert again.reason == "all_passed"
    assert [d.id for d in harness.status.read()] == ["DL-1"]
    adopted = [each.origin for each in harness.events if isinstance(each, StatusAdopted)]
    assert adopted == ["plan_rejected"]
    assert len(harness.of_type(DeliverableCreated)) == 2
