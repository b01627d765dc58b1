"""What a `focus` run does around its sessions when something is in the way."""

from pathlib import Path

import pytest

from tests.unit.workflows.focus.focus_harness import (
    FocusHarness,
    make_focus_harness,
    marker,
    planned,
    reviewed,
)
from tests.unit.workflows.run_harness import BRANCH, did, ending
from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.agent import ToolReply
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import CommitFailed, PlanWritten, ReviewWritten
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.events.work import WorkCommitted
from treadle.verify.results.check_runner import CommandStopped
from treadle.verify.results.memory_check_runner import GREEN, RED, MemoryCheckRunner
from treadle.verify.suites.suite import SuiteCommand
from treadle.verify.suites.suite_comparison import RegressionRules
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.tools import MAX_PLAN, plan_tool, review_tool
from treadle.workflows.loop.suite_verifier import SuiteVerdict, SuiteVerifier


@pytest.fixture
def harness(tmp_path: Path) -> FocusHarness:
    return make_focus_harness(tmp_path)


async def test_work_that_git_refuses_is_reported_and_imported_with_the_next(
    harness: FocusHarness,
) -> None:
    # What another git would leave that was ended in the middle of it.
    lock = harness.user.path / ".git" / "refs" / "heads" / f"{BRANCH}.lock"
    lock.parent.mkdir()
    first: list[ReplayStep] = [
        harness.wrote("hands.py"),
        did(lock.touch),
        *marker("PROGRESS", "Add hands"),
        ending(),
    ]
    second: list[ReplayStep] = [
        did(lock.unlink),
        harness.wrote("face.py"),
        *marker("DONE", "Add the face"),
        ending(),
    ]
    harness.sessions = [planned("# Plan\n"), first, second, reviewed("APPROVED")]

    result = await harness.execute()

    assert result.reason == "approved"
    assert [event.type for event in harness.of_type(CommitFailed)] == ["commit.failed"]
    assert harness.user.log(BRANCH) == ["Add the face", "Add hands", "First"]


async def test_a_session_that_leaves_nothing_makes_no_commit(harness: FocusHarness) -> None:
    idle: list[ReplayStep] = [*marker("DONE", "All is there already"), ending()]
    harness.sessions = [planned("# Plan\n\nNothing.\n"), idle, reviewed("APPROVED")]

    result = await harness.execute()

    assert (result.reason, harness.of_type(WorkCommitted)) == ("approved", [])


async def test_a_check_that_was_stopped_is_not_reported(harness: FocusHarness) -> None:
    harness.said = {}
    done: list[ReplayStep] = [*marker("DONE", "Done"), ending()]
    harness.sessions = [planned("# Plan\n"), done, reviewed("APPROVED")]

    await harness.execute()

    assert "command.finished" not in harness.types


async def test_working_files_that_cannot_be_written_stop_nothing(harness: FocusHarness) -> None:
    (harness.user.path / ".treadle").mkdir()
    (harness.user.path / ".treadle" / "wip").write_text("in the way\n")
    done: list[ReplayStep] = [*marker("DONE", "Done"), ending()]
    harness.sessions = [planned("# Plan\n"), done, reviewed("APPROVED")]

    result = await harness.execute()

    assert result.reason == "approved"
    assert harness.focus_files is not None
    assert harness.focus_files.problem.startswith("cannot write")
    harness.focus_files.close()


async def test_a_plan_is_taken_once_and_only_whole() -> None:
    recorded = list[Event]()
    course = FocusHistory(draft="# Plan\n")
    tool = plan_tool(lambda: course, recorded.append, lambda arguments: arguments)
    kept = ToolReply("The plan is kept. Give the signal plan_complete to end planning.")

    texts = ["# Plan\n", "# New\n", None, " "]
    replies = [await tool.call({"text": text}) for text in texts]
    long = await tool.call({"text": "x" * (MAX_PLAN + 1)})

    assert replies[:2] == [kept, kept]
    assert [reply.is_error for reply in (*replies[2:], long)] == [True, True, True]
    assert recorded == [PlanWritten("# New\n")]


async def test_a_review_is_taken_once_and_only_whole() -> None:
    recorded = list[Event]()
    course = FocusHistory(review=ReviewWritten(()))
    tool = review_tool(lambda: course, recorded.append, lambda arguments: arguments)

    replies = [await tool.call({"findings": []}), await tool.call({})]

    assert [reply.is_error for reply in replies] == [False, True]
    assert recorded == []


SUITE = SuiteCommand("make test", 60.0)


def gate(runner: MemoryCheckRunner, recorded: list[Event]) -> SuiteVerifier:
    rules = RegressionRules("", 80.0)
    return SuiteVerifier(runner, SUITE, "before", lambda: rules, recorded.append)


async def test_tests_that_the_work_broke_stand_against_it() -> None:
    recorded = list[Event]()
    runner = MemoryCheckRunner({("make test", "before"): GREEN, ("make test", "after"): RED})

    gated = await gate(runner, recorded).verify("after")

    assert isinstance(gated, SuiteVerdict)
    assert "it does not hold" in gated.problems
    assert [type(event) for event in recorded] == [SuiteFinished, SuiteFinished]


async def test_what_the_tests_said_before_the_work_is_asked_once() -> None:
    runner = MemoryCheckRunner({("make test", ""): GREEN})
    judge = gate(runner, []).verify

    gated = [await judge("one"), await judge("two")]

    assert [isinstance(each, SuiteVerdict) and each.problems for each in gated] == ["", ""]
    assert [trial.commit for trial in runner.commands] == ["before", "one", "two"]


@pytest.mark.parametrize("known", ["before", ""])
async def test_tests_that_somebody_stopped_say_nothing(known: str) -> None:
    runner = MemoryCheckRunner({("make test", known): GREEN} if known else {})

    assert await gate(runner, []).verify("after") == CommandStopped()
