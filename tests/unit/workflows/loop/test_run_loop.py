"""Runs of `deliver` from their first round to their result, compared as whole courses of events."""

import json
from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.run_harness import (
    ADOPTED,
    BRANCH,
    CHANGING,
    CREATING,
    ENDING,
    HOME,
    OPENING,
    PLANNED,
    RunHarness,
    created,
    did,
    ending,
    make_run_harness,
    turned,
    use,
)
from treadle.domain.agent import Fault
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError
from treadle.domain.events.run import RoundFailed, RoundStarted, RunWarned
from treadle.domain.events.work import StatusAdopted, WorkCommitted, WorkImported
from treadle.domain.run import RunResult
from treadle.domain.session import Completed, Crashed, ExecutionError, MaxTurns
from treadle.domain.usage import Usage


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    return make_run_harness(tmp_path)


def result(reason: str, rounds: int, tally: Tally, message: str = "") -> RunResult:
    return RunResult(reason, rounds, tally, 0.0, Usage(), 0.0, message)  # type: ignore[arg-type]


async def test_a_specification_becomes_finished_work_over_rounds(harness: RunHarness) -> None:
    harness.sessions = [
        [created("DL-1", "DL-2"), harness.wrote("plan.md"), ending(cost_usd=0.25)],
        [harness.wrote("one.py"), turned("DL-1", "passed"), ending(cost_usd=0.5)],
        [harness.wrote("two.py"), turned("DL-2", "passed"), ending(cost_usd=1.0)],
    ]

    ended = await harness.execute()

    assert ended == RunResult(
        "all_passed", 3, Tally(passed=2, total=2), 1.75, Usage(), 0.0, message=""
    )
    assert harness.types == [
        *OPENING, "tool.called", "tool.decided", "deliverable.created", "deliverable.created",
        "tool.finished", *ENDING, *HOME, *PLANNED,
        *OPENING, *CHANGING, *ENDING, *HOME,
        *OPENING, *CHANGING, *ENDING, *HOME,
    ]  # fmt: skip
    assert harness.of_type(RoundStarted) == [
        RoundStarted(1, "initializer"),
        RoundStarted(2, "coding"),
        RoundStarted(3, "coding"),
    ]
    assert [brief.session for brief in harness.agent.briefs] == [
        "session-1",
        "session-2",
        "session-3",
    ]


async def test_the_work_of_each_round_is_committed_and_imported(harness: RunHarness) -> None:
    seen: list[list[str]] = []

    def look() -> None:
        seen.append(harness.user.log(BRANCH) if BRANCH in harness.user.git("branch", "-a") else [])

    harness.sessions = [
        [did(look), created("DL-1"), harness.wrote("plan.md"), ending()],
        [did(look), harness.wrote("one.py"), ending(ExecutionError("no", "retryable"))],
        [did(look), turned("DL-1", "passed"), harness.wrote("two.py"), ending()],
    ]

    await harness.execute()

    titles = [
        "Round 3: What DL-1 is about (DL-1)",
        "Round 2: work in progress",
        "Round 1: work in progress",
        "First",
    ]
    assert harness.user.log(BRANCH) == titles
    assert seen == [[], titles[2:], titles[1:]]
    commits = harness.user.git("rev-list", "--reverse", f"main..{BRANCH}").splitlines()
    assert harness.of_type(WorkCommitted) == [
        WorkCommitted(commit, title)
        for commit, title in zip(commits, reversed(titles[:3]), strict=True)
    ]
    assert harness.of_type(WorkImported) == [
        WorkImported(BRANCH, commit, number) for number, commit in enumerate(commits, 1)
    ]
    assert harness.user.git("status", "--porcelain", "--untracked-files=no") == ""
    assert harness.user.git("log", "-1", "--format=%an <%ae>", BRANCH) == "Ada <ada@example.com>"


async def test_a_round_without_changes_imports_nothing(harness: RunHarness) -> None:
    harness.sessions = [[created("DL-1"), ending()], [turned("DL-1", "passed"), ending()]]

    await harness.execute()

    assert harness.types == [
        *OPENING, *CREATING, *ENDING, *PLANNED, *OPENING, *CHANGING, *ENDING,
    ]  # fmt: skip
    assert harness.user.git("branch", "--list", "treadle/*") == ""


async def test_a_description_of_any_kind_makes_a_commit_message_of_one_line(
    harness: RunHarness,
) -> None:
    harness.plan(deliverable("DL-1"))
    odd = {"id": "DL-2", "description": "two\nlines\0\ud800 end", "acceptanceCriteria": ["x"]}
    harness.sessions = [
        [
            use("create_deliverable", {"deliverables": [odd]}),
            turned("DL-2", "passed"),
            harness.wrote("a.py"),
            ending(),
        ],
        [turned("DL-1", "passed"), ending()],
    ]

    await harness.execute()

    assert harness.user.log(BRANCH) == ["Round 1: two lines \ufffd end (DL-2)", "First"]
    assert harness.of_type(StatusAdopted) == [
        StatusAdopted((deliverable("DL-1"),), "earlier_run"),
    ]


async def test_notes_are_handed_from_run_to_session_to_user(harness: RunHarness) -> None:
    harness.user.write(".treadle-notes.md", "from the last run")
    harness.plan(deliverable("DL-1"))
    found: list[str] = []
    notes = harness.workspace / ".treadle-notes.md"
    harness.sessions = [
        [did(lambda: found.append(notes.read_text())), ending()],
        [harness.wrote(".treadle-notes.md", "half done"), ending()],
        [did(lambda: found.append(notes.read_text())), turned("DL-1", "passed"), ending()],
    ]

    await harness.execute()

    assert found == ["from the last run", "half done"]
    assert (harness.user.path / ".treadle-notes.md").read_text() == "half done"
    assert harness.of_type(WorkCommitted) == []


async def test_a_project_whose_work_is_done_needs_no_round(harness: RunHarness) -> None:
    harness.plan(deliverable("DL-1", "passed"), deliverable("DL-2", "blocked"))

    ended = await harness.execute()

    assert ended == result(
        "all_passed",
        0,
        Tally(passed=1, blocked=1, total=2),
        "nothing to do: everything had passed before; change the specification, "
        "or delete .treadle/status.json to start over",
    )
    assert (harness.types, harness.clock.slept, harness.agent.briefs) == (ADOPTED, [], [])


async def test_a_run_goes_on_with_the_deliverables_of_an_earlier_one(harness: RunHarness) -> None:
    harness.plan(deliverable("DL-1", "passed"), deliverable("DL-2"))
    harness.sessions = [[harness.wrote("DL-2.py"), turned("DL-2", "passed"), ending()]]

    ended = await harness.execute()

    assert ended == result("all_passed", 1, Tally(passed=2, total=2))
    assert harness.of_type(RoundStarted) == [RoundStarted(1, "coding")]
    assert harness.of_type(StatusAdopted) == [
        StatusAdopted((deliverable("DL-1", "passed"), deliverable("DL-2")), "earlier_run")
    ]


async def test_success_needs_only_what_is_not_blocked(harness: RunHarness) -> None:
    harness.sessions = [
        [created("DL-1", "DL-2"), ending()],
        [turned("DL-1", "blocked"), harness.wrote("DL-2.py"), turned("DL-2", "passed"), ending()],
    ]

    assert await harness.execute() == result("all_passed", 2, Tally(passed=1, blocked=1, total=2))


async def test_a_run_whose_deliverables_are_all_blocked_ends(harness: RunHarness) -> None:
    harness.sessions = [
        [created("DL-1"), ending()],
        [turned("DL-1", "blocked"), ending()],
    ]

    assert await harness.execute() == result("all_blocked", 2, Tally(blocked=1, total=1))


async def test_the_fourth_error_in_a_row_ends_the_run(harness: RunHarness) -> None:
    harness.plan(deliverable("DL-1"))
    harness.sessions = [
        [ending(Crashed("one", 1))],
        [ending(Fault("two"))],
        [ending(MaxTurns(50))],
        [ending(Crashed("four", 1))],
        [ending(Crashed("five", 1))],
        [ending(Crashed("six", 1))],
        [ending(Crashed("seven", 1))],
        [ending(Completed("never reached"))],
    ]

    ended = await harness.execute()

    given_up = "seven, after 3 retries in a row (--max-retries, limits.max_retries)"
    assert ended == result("max_retries_exceeded", 7, Tally(total=1), given_up)
    assert harness.of_type(RoundFailed) == [
        RoundFailed(1, "one", 1, 3),
        RoundFailed(2, "two", 2, 3),
        RoundFailed(4, "four", 1, 3),
        RoundFailed(5, "five", 2, 3),
        RoundFailed(6, "six", 3, 3),
        RoundFailed(7, "seven", 4, 3),
    ]
    assert harness.types[:10] == [
        *ADOPTED, *OPENING, *ENDING, "round.failed", *OPENING, *ENDING,
    ]  # fmt: skip


async def test_a_failed_round_keeps_what_it_had_built(harness: RunHarness) -> None:
    harness.limit(max_retries=0)
    harness.sessions = [[harness.wrote("half.py"), ending(Crashed("gone", 9))]]

    ended = await harness.execute()

    given_up = "gone, after 0 retries in a row (--max-retries, limits.max_retries)"
    assert ended == result("max_retries_exceeded", 1, Tally(), given_up)
    assert harness.types == [*OPENING, *ENDING, *HOME, "round.failed"]
    assert harness.user.git("show", f"{BRANCH}:half.py") == "text"


async def test_a_hand_edit_is_adopted_at_the_next_round(harness: RunHarness) -> None:
    def edit() -> None:
        board = harness.status
        board.read()
        board.write([deliverable("DL-1", "passed"), deliverable("DL-9")], today="2026-05-04")

    harness.plan(deliverable("DL-1"))
    harness.sessions = [
        [did(edit), ending()],
        [harness.wrote("DL-9.py"), turned("DL-9", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert ended == result("all_passed", 2, Tally(passed=2, total=2))
    assert harness.types == [
        *ADOPTED, *OPENING, *ENDING, *ADOPTED, *OPENING, *CHANGING, *ENDING, *HOME,
    ]  # fmt: skip
    assert harness.of_type(StatusAdopted) == [
        StatusAdopted((deliverable("DL-1"),), "earlier_run"),
        StatusAdopted((deliverable("DL-1", "passed"), deliverable("DL-9")), "hand_edit"),
    ]


async def test_an_invalid_hand_edit_is_refused_and_the_run_goes_on(harness: RunHarness) -> None:
    path = harness.user.path / ".treadle" / "status.json"
    harness.plan(deliverable("DL-1"))
    harness.sessions = [
        [did(lambda: path.write_text("{oops")), ending()],
        [harness.wrote("DL-1.py"), turned("DL-1", "passed"), ending()],
    ]

    ended = await harness.execute()

    assert ended == result("all_passed", 2, Tally(passed=1, total=1))
    assert len(harness.of_type(RunWarned)) == 1
    assert path.with_suffix(".json.refused").read_text() == "{oops"
    assert json.loads(path.read_text())["deliverables"][0]["passed"] is True


async def test_a_specification_that_git_ignores_is_refused(tmp_path: Path) -> None:
    harness = make_run_harness(tmp_path)
    harness.user.git("rm", "--quiet", "--cached", "SPEC.md")
    harness.user.write(".gitignore", "SPEC.md\n")
    harness.user.commit_all("Ignore it")

    with pytest.raises(ProjectError) as caught:
        await harness.execute()

    assert caught.value.message == "SPEC.md is ignored by git, so the agent would not see it"
