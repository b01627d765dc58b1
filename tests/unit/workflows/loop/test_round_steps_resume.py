"""An interrupted session that cannot resume at once, and changes made in the meantime."""

import asyncio
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.killed_process import ProcessKilled
from tests.unit.workflows.run_harness import (
    BRANCH,
    RunHarness,
    did,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.agent import ResponseUsed
from treadle.domain.events.run import RunEnded, RunReopened
from treadle.domain.events.work import WorkCommitted, WorkImported
from treadle.domain.service_health import QuotaBlock
from treadle.domain.usage import Usage
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.run_workspace import RunWorkspace

USED = ResponseUsed("sonnet", Usage(output_tokens=100_000))


def kill() -> None:
    raise ProcessKilled


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    made = make_run_harness(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


async def cut_off_after_the_last_pass(harness: RunHarness) -> None:
    harness.sessions = [
        [harness.wrote("one.py"), USED, turned("DL-1", "passed"), did(kill), ending()],
    ]
    with pytest.raises(ProcessKilled):
        await harness.execute()


async def test_an_interrupted_session_that_may_not_start_ends_with_its_work_imported(
    harness: RunHarness,
) -> None:
    harness.wait_for_quota = True
    await cut_off_after_the_last_pass(harness)
    now = harness.clock.now()
    shut = QuotaBlock("fingerprint", now + timedelta(hours=1), "spent", now)
    harness.quota_gates.block(None, shut)

    ended = await harness.execute()

    assert (ended.reason, ended.rounds, ended.cost_usd) == ("all_passed", 1, 1.0)
    assert len(harness.of_type(WorkCommitted)) == len(harness.of_type(WorkImported)) == 1


async def test_an_interrupted_session_that_is_stopped_before_it_resumes_ends_with_its_work_imported(
    harness: RunHarness,
) -> None:
    await cut_off_after_the_last_pass(harness)
    harness.stop.set()

    stopped = await harness.execute()

    assert (stopped.reason, stopped.rounds, stopped.cost_usd) == ("interrupted", 1, 1.0)
    assert len(harness.of_type(WorkImported)) == 1
    harness.stop = asyncio.Event()
    harness.record(RunEnded(stopped), RunReopened("resume", harness.limits))
    harness.progress = RunProgress(rounds=stopped.rounds, cost_usd=stopped.cost_usd)
    assert (await harness.execute()).reason == "all_passed"
    assert len(harness.of_type(WorkImported)) == 1


async def test_work_that_is_taken_back_is_imported_as_the_commit_it_was(
    harness: RunHarness,
) -> None:
    def take_back() -> None:
        git = ["git", "-C", str(harness.workspace), "reset", "--hard", "-q", "HEAD~1"]
        subprocess.run(git, check=True)

    harness.limit(max_iterations=3)
    harness.sessions = [
        [harness.wrote("one.py"), ending()],
        [harness.wrote("two.py"), ending()],
        [did(take_back), ending()],
    ]

    await harness.execute()

    first, second, third = (e.commit for e in harness.events if isinstance(e, WorkImported))
    assert (first, third) == (third, harness.user.git("rev-parse", BRANCH))
    assert second != first


async def test_a_commit_is_recorded_after_a_crash_whatever_the_order_of_its_passes(
    harness: RunHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness.plan(deliverable("DL-1"), deliverable("DL-2"))
    harness.sessions = [
        [harness.wrote("one.py"), turned("DL-2", "passed"), turned("DL-1", "passed"), ending()],
    ]
    with monkeypatch.context() as patched:
        patched.setattr(RunWorkspace, "_record_commit", lambda *_: kill())
        with pytest.raises(ProcessKilled):
            await harness.execute()

    await harness.execute()

    told = [event.message for event in harness.events if isinstance(event, WorkCommitted)]
    assert told == ["Round 1: What DL-2 is about (DL-2), What DL-1 is about (DL-1)"]


async def test_what_a_person_sets_back_between_two_legs_stays_so(harness: RunHarness) -> None:
    harness.plan(deliverable("DL-1"), deliverable("DL-2"))
    harness.limit(max_iterations=1)
    harness.sessions = [
        [harness.wrote("one.py"), turned("DL-1", "passed"), ending()],
        [ending()],
    ]
    ended = await harness.execute()
    harness.record(RunEnded(ended), RunReopened("resume", harness.limits))
    harness.plan(deliverable("DL-1"), deliverable("DL-2"))
    harness.limit(max_iterations=2)

    assert (await harness.execute()).tally.passed == 0
