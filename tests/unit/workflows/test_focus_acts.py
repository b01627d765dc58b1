"""What a `focus` run does around its sessions when something is in the way."""

from pathlib import Path

import pytest

from treadle.adapters.agents.replay.agent import ReplayStep
from treadle.domain.agent import ToolReply
from treadle.domain.events.all_events import Event
from treadle.domain.events.focus import CommitFailed, PlanWritten, ReviewWritten
from treadle.domain.events.verification import SuiteFinished
from treadle.domain.events.work import WorkCommitted
from treadle.verify.check_runner import CommandStopped
from treadle.verify.memory_check_runner import GREEN, RED, MemoryCheckRunner
from treadle.verify.suite import SuiteCommand
from treadle.verify.suite_comparison import RegressionRules
from treadle.workflows.focus.focus_history import FocusHistory
from treadle.workflows.focus.tools import LONGEST_PLAN, plan_tool, review_tool
from treadle.workflows.loop.suite_verifier import SuiteVerdict, SuiteVerifier

from .focus_stage import FocusStage, focus_stage_in, marker, planned, reviewed
from .story_stage import BRANCH, did, ending


@pytest.fixture
def stage(tmp_path: Path) -> FocusStage:
    return focus_stage_in(tmp_path)


async def test_work_that_git_refuses_is_told_and_comes_home_with_the_next(
    stage: FocusStage,
) -> None:
    # What another git would leave that was ended in the middle of it.
    lock = stage.user.path / ".git" / "refs" / "heads" / f"{BRANCH}.lock"
    lock.parent.mkdir()
    first: list[ReplayStep] = [
        stage.wrote("hands.py"),
        did(lock.touch),
        *marker("PROGRESS", "Add hands"),
        ending(),
    ]
    second: list[ReplayStep] = [
        did(lock.unlink),
        stage.wrote("face.py"),
        *marker("DONE", "Add the face"),
        ending(),
    ]
    stage.sessions = [planned("# Plan\n"), first, second, reviewed("APPROVED")]

    result = await stage.tell()

    assert result.reason == "approved"
    assert [event.type for event in stage.of_type(CommitFailed)] == ["commit.failed"]
    assert stage.user.log(BRANCH) == ["Add the face", "Add hands", "First"]


async def test_a_session_that_leaves_nothing_makes_no_commit(stage: FocusStage) -> None:
    idle: list[ReplayStep] = [*marker("DONE", "All is there already"), ending()]
    stage.sessions = [planned("# Plan\n\nNothing.\n"), idle, reviewed("APPROVED")]

    result = await stage.tell()

    assert (result.reason, stage.of_type(WorkCommitted)) == ("approved", [])


async def test_a_check_that_somebody_stopped_is_not_told(stage: FocusStage) -> None:
    stage.said = {}
    done: list[ReplayStep] = [*marker("DONE", "Done"), ending()]
    stage.sessions = [planned("# Plan\n"), done, reviewed("APPROVED")]

    await stage.tell()

    assert "command.finished" not in stage.types


async def test_working_files_that_cannot_be_written_stop_nothing(stage: FocusStage) -> None:
    (stage.user.path / ".treadle").mkdir()
    (stage.user.path / ".treadle" / "wip").write_text("in the way\n")
    done: list[ReplayStep] = [*marker("DONE", "Done"), ending()]
    stage.sessions = [planned("# Plan\n"), done, reviewed("APPROVED")]

    result = await stage.tell()

    assert result.reason == "approved"
    assert stage.chronicle is not None
    assert stage.chronicle.problem.startswith("cannot write")
    stage.chronicle.close()


async def test_a_plan_is_taken_once_and_only_whole() -> None:
    recorded = list[Event]()
    course = FocusHistory(draft="# Plan\n")
    tool = plan_tool(lambda: course, recorded.append, lambda arguments: arguments)
    kept = ToolReply("The plan is kept. Give the signal plan_complete to end planning.")

    texts = ["# Plan\n", "# New\n", None, " "]
    replies = [await tool.call({"text": text}) for text in texts]
    long = await tool.call({"text": "x" * (LONGEST_PLAN + 1)})

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


def gate(ground: MemoryCheckRunner, recorded: list[Event]) -> SuiteVerifier:
    rules = RegressionRules("", 80.0)
    return SuiteVerifier(ground, SUITE, "before", lambda: rules, recorded.append)


async def test_tests_that_the_work_broke_stand_against_it() -> None:
    recorded = list[Event]()
    ground = MemoryCheckRunner({("make test", "before"): GREEN, ("make test", "after"): RED})

    gated = await gate(ground, recorded).verify("after")

    assert isinstance(gated, SuiteVerdict)
    assert "it does not hold" in gated.problems
    assert [type(event) for event in recorded] == [SuiteFinished, SuiteFinished]


async def test_what_the_tests_said_before_the_work_is_asked_once() -> None:
    ground = MemoryCheckRunner({("make test", ""): GREEN})
    judge = gate(ground, []).verify

    gated = [await judge("one"), await judge("two")]

    assert [isinstance(each, SuiteVerdict) and each.problems for each in gated] == ["", ""]
    assert [trial.commit for trial in ground.commands] == ["before", "one", "two"]


@pytest.mark.parametrize("known", ["before", ""])
async def test_tests_that_somebody_stopped_say_nothing(known: str) -> None:
    ground = MemoryCheckRunner({("make test", known): GREEN} if known else {})

    assert await gate(ground, []).verify("after") == CommandStopped()
