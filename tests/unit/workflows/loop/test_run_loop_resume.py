"""Sessions interrupted with their process, and legs that continue: what is resumed and counted."""

from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.killed_process import KilledSteps, ProcessKilled
from tests.unit.workflows.run_harness import (
    BRANCH,
    RunHarness,
    did,
    ending,
    make_run_harness,
    turned,
)
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.agent import ResponseUsed
from treadle.domain.deliverable import Tally
from treadle.domain.events.run import RoundStarted, RunEnded, RunReopened
from treadle.domain.events.session import SessionStarted
from treadle.domain.events.work import WithheldPath
from treadle.domain.run import RunResult
from treadle.domain.session import BudgetExceeded
from treadle.domain.usage import Usage
from treadle.workflows.loop.instructions import instruction_text, resumed_text
from treadle.workflows.loop.run_progress import RunProgress
from treadle.workflows.loop.withheld_files import withheld_prompt
from treadle.workspace.round_losses import note_withheld

# After `begin` and `look 1`.
SESSION_STEP = 3


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    made = make_run_harness(tmp_path)
    made.plan(deliverable("DL-1"))
    return made


def kill_process() -> None:
    raise ProcessKilled


async def test_a_session_that_was_cut_off_is_gone_on_with_in_the_agent(harness: RunHarness) -> None:
    harness.limit(max_iterations=2)
    harness.sessions = [[ending()], [harness.wrote("one.py"), did(kill_process)]]
    with pytest.raises(ProcessKilled):
        await harness.execute()
    harness.agent.sessions = [[], [turned("DL-1", "passed"), ending()]]

    ended = await harness.execute()

    assert (ended.reason, ended.rounds) == ("all_passed", 2)
    fresh, cut, resumed = harness.agent.briefs
    assert [fresh.session, cut.session, resumed.session] == ["session-1", "session-2", "session-2"]
    assert (cut.resume, resumed.resume, resumed.prompt) == (False, True, resumed_text())
    assert (resumed.context, resumed.role, resumed.model) == (cut.context, cut.role, cut.model)
    assert harness.user.log(BRANCH) == ["Round 2: What DL-1 is about (DL-1)", "First"]
    assert [
        (each.session, each.resumed)
        for each in harness.of_type(SessionStarted)
        if isinstance(each, SessionStarted)
    ] == [("session-1", False), ("session-2", False), ("session-2", True)]


async def test_a_session_that_the_agent_knows_nothing_of_begins_anew_with_its_own_id(
    harness: RunHarness,
) -> None:
    harness.sessions = [[did(kill_process)]]
    with pytest.raises(ProcessKilled):
        await harness.execute()
    harness.agent.briefs.clear()
    harness.agent.sessions = [[harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()]]
    withheld = (WithheldPath("clock.py", 3, "an API key"),)
    assert harness.run_workspace is not None
    note_withheld(harness.run_workspace.path, withheld)

    ended = await harness.execute()

    (brief,) = harness.agent.briefs
    assert (ended.reason, brief.session, brief.resume) == ("all_passed", "session-1", False)
    assert brief.prompt.startswith(
        instruction_text(harness.user.path, "deliver", "coding").rstrip()
    )
    # What the session was begun with it has not heard yet.
    assert brief.prompt.endswith(withheld_prompt(withheld))


async def test_what_a_session_had_used_before_it_was_cut_off_is_part_of_what_it_cost(
    harness: RunHarness,
) -> None:
    used = Usage(output_tokens=100_000)  # 1 USD
    harness.limit(max_cost_usd=10.0)
    before: list[ReplayStep] = [
        did(lambda: harness.clock.advance(20)),
        ResponseUsed("sonnet", used),
    ]
    harness.sessions = [[*before, did(kill_process), ending()]]
    with pytest.raises(ProcessKilled):
        await harness.execute()
    harness.clock.advance(8 * 3600)
    after: list[ReplayStep] = [did(lambda: harness.clock.advance(7)), ResponseUsed("sonnet", used)]
    harness.agent.sessions = [
        [*after, harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()]
    ]

    ended = await harness.execute()

    assert ended == RunResult("all_passed", 1, Tally(passed=1, total=1), 2.0, used + used, 27.0)
    cut, resumed = harness.agent.briefs
    assert (cut.max_cost_usd, resumed.max_cost_usd, resumed.cost_before_usd) == (5.0, 4.0, 1.0)


async def test_a_session_that_is_cut_off_again_and_again_uses_no_more_than_it_may(
    harness: RunHarness,
) -> None:
    harness.limit(max_cost_usd=4.0)
    used = ResponseUsed("sonnet", Usage(output_tokens=100_000))  # 1 USD
    harness.sessions = [[used, did(kill_process), ending()]]
    for _ in range(2):
        with pytest.raises(ProcessKilled):
            await harness.execute()
    harness.agent.sessions = [[*[used] * 9, ending()]]

    ended = await harness.execute()

    assert (ended.reason, ended.cost_usd, ended.rounds) == ("budget_exceeded", 5.0, 1)
    assert harness.outcomes == [BudgetExceeded(2.0)]


async def test_a_session_that_had_ended_is_not_run_again(harness: RunHarness) -> None:
    harness.sessions = [[harness.wrote("one.py"), turned("DL-1", "passed"), ending(cost_usd=0.5)]]
    harness.wrap_steps = lambda steps: KilledSteps(steps, SESSION_STEP, "before it is stored")
    with pytest.raises(ProcessKilled):
        await harness.execute()
    harness.wrap_steps = lambda steps: steps

    ended = await harness.execute()

    assert (ended.reason, ended.cost_usd, len(harness.agent.briefs)) == ("all_passed", 0.5, 1)
    assert harness.user.log(BRANCH) == ["Round 1: What DL-1 is about (DL-1)", "First"]


async def test_a_run_that_is_stopped_before_a_session_says_so_by_an_attempt_without_result(
    harness: RunHarness,
) -> None:
    harness.sessions = [[ending()], [turned("DL-1", "passed"), ending()]]
    harness.clock.on_sleep = harness.stop.set  # between the rounds

    ended = await harness.execute()

    assert (ended.reason, ended.rounds) == ("interrupted", 1)
    (leg,) = harness.finished.values()
    assert [step for step in leg if step[0] == "session 2"] == [
        ("session 2", {"result": None, "hold": None, "prepared_s": 0.0})
    ]
    assert harness.of_type(RoundStarted) == [RoundStarted(1, "coding")]


async def test_a_leg_that_is_reopened_counts_rounds_cost_and_time_on(harness: RunHarness) -> None:
    harness.limit(max_iterations=1)
    work = did(lambda: harness.clock.advance(60))
    harness.sessions = [
        [work, harness.wrote("one.py"), ending(cost_usd=0.5)],
        [work, harness.wrote("two.py"), turned("DL-1", "passed"), ending(cost_usd=0.25)],
    ]
    first = await harness.execute()
    harness.limit(max_iterations=2)
    harness.record(RunEnded(first), RunReopened("resume", harness.limits))
    harness.progress = RunProgress(
        rounds=first.rounds, cost_usd=first.cost_usd, running_s=first.duration_s
    )

    ended = await harness.execute()

    assert first.reason == "max_iterations"
    assert ended == RunResult("all_passed", 2, Tally(passed=1, total=1), 0.75, Usage(), 120.0)
    assert harness.of_type(RoundStarted) == [RoundStarted(1, "coding"), RoundStarted(2, "coding")]
    assert [brief.resume for brief in harness.agent.briefs] == [False, False]
    assert harness.user.log(BRANCH) == [
        "Round 2: What DL-1 is about (DL-1)",
        "Round 1: work in progress",
        "First",
    ]
