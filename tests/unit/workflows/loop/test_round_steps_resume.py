"""A session that was cut off and cannot go on at once; what changed while nobody worked."""

import asyncio
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.killed_process import Killed
from tests.unit.workflows.run_harness import BRANCH, StoryStage, did, ending, stage_in, turned
from treadle.domain.agent import ResponseUsed
from treadle.domain.events.run import RunEnded, RunReopened
from treadle.domain.events.work import WorkCommitted, WorkImported
from treadle.domain.service_health import QuotaBlock
from treadle.domain.usage import Usage
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace

USED = ResponseUsed("sonnet", Usage(output_tokens=100_000))


def kill() -> None:
    raise Killed


@pytest.fixture
def stage(tmp_path: Path) -> StoryStage:
    made = stage_in(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


async def cut_off_after_the_last_pass(stage: StoryStage) -> None:
    stage.sessions = [
        [stage.wrote("one.py"), USED, turned("DL-1", "passed"), did(kill), ending()],
    ]
    with pytest.raises(Killed):
        await stage.tell()


async def test_a_cut_session_that_meets_a_shut_gate_ends_with_its_work_home(
    stage: StoryStage,
) -> None:
    stage.wait_for_quota = True
    await cut_off_after_the_last_pass(stage)
    now = stage.clock.now()
    shut = QuotaBlock("fingerprint", now + timedelta(hours=1), "spent", now)
    stage.quota_gates.block(None, shut)

    ended = await stage.tell()

    assert (ended.reason, ended.rounds, ended.cost_usd) == ("all_passed", 1, 1.0)
    assert len(stage.of_type(WorkCommitted)) == len(stage.of_type(WorkImported)) == 1


async def test_a_cut_session_that_is_stopped_before_it_goes_on_ends_with_its_work_home(
    stage: StoryStage,
) -> None:
    await cut_off_after_the_last_pass(stage)
    stage.stop.set()

    stopped = await stage.tell()

    assert (stopped.reason, stopped.rounds, stopped.cost_usd) == ("interrupted", 1, 1.0)
    assert len(stage.of_type(WorkImported)) == 1
    stage.stop = asyncio.Event()
    stage.record(RunEnded(stopped), RunReopened("resume", stage.limits))
    stage.progress = RunProgress(rounds=stopped.rounds, cost_usd=stopped.cost_usd)
    assert (await stage.tell()).reason == "all_passed"
    assert len(stage.of_type(WorkImported)) == 1


async def test_work_that_is_taken_back_comes_home_as_the_commit_it_was(stage: StoryStage) -> None:
    def take_back() -> None:
        git = ["git", "-C", str(stage.workspace), "reset", "--hard", "-q", "HEAD~1"]
        subprocess.run(git, check=True)

    stage.limit(max_iterations=3)
    stage.sessions = [
        [stage.wrote("one.py"), ending()],
        [stage.wrote("two.py"), ending()],
        [did(take_back), ending()],
    ]

    await stage.tell()

    first, second, third = (e.commit for e in stage.events if isinstance(e, WorkImported))
    assert (first, third) == (third, stage.user.git("rev-parse", BRANCH))
    assert second != first


async def test_a_commit_is_told_after_a_crash_whatever_the_order_of_its_passes(
    stage: StoryStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.plan(deliverable("DL-1"), deliverable("DL-2"))
    stage.sessions = [
        [stage.wrote("one.py"), turned("DL-2", "passed"), turned("DL-1", "passed"), ending()],
    ]
    with monkeypatch.context() as patched:
        patched.setattr(RunWorkspace, "_record_commit", lambda *_: kill())
        with pytest.raises(Killed):
            await stage.tell()

    await stage.tell()

    told = [event.message for event in stage.events if isinstance(event, WorkCommitted)]
    assert told == ["Round 1: What DL-2 is about (DL-2), What DL-1 is about (DL-1)"]


async def test_what_a_person_sets_back_between_two_legs_stays_so(stage: StoryStage) -> None:
    stage.plan(deliverable("DL-1"), deliverable("DL-2"))
    stage.limit(max_iterations=1)
    stage.sessions = [
        [stage.wrote("one.py"), turned("DL-1", "passed"), ending()],
        [ending()],
    ]
    ended = await stage.tell()
    stage.record(RunEnded(ended), RunReopened("resume", stage.limits))
    stage.plan(deliverable("DL-1"), deliverable("DL-2"))
    stage.limit(max_iterations=2)

    assert (await stage.tell()).tally.passed == 0
