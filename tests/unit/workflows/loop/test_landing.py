"""Where the work of a run ends up: in the checkout, or on its branch with the way to get it."""

from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.run_harness import (
    BRANCH,
    RunHarness,
    did,
    ending,
    make_run_harness,
    turned,
)
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import WorkImported, WorkKept, WorkLanded, WorkspacePrepared
from treadle.domain.run import LandingMode

COMMAND = "treadle land 9abcdef0"


@pytest.fixture
def harness(tmp_path: Path) -> RunHarness:
    made = make_run_harness(tmp_path)
    made.plan(deliverable("DL-1"))
    made.sessions = [[made.wrote("clock.py"), turned("DL-1", "passed"), ending()]]
    return made


async def finished(
    harness: RunHarness, landing: LandingMode, answer: bool | None = None, because: str = ""
) -> tuple[Event, list[str]]:
    """The last event, and what was asked."""
    await harness.execute()
    assert harness.run_workspace is not None
    asked: list[str] = []

    async def ask(question: str) -> bool:
        asked.append(question)
        return bool(answer)

    await harness.run_workspace.finish(
        landing, ask=None if answer is None else ask, because=because
    )
    return harness.events[-1], asked


def work_of(harness: RunHarness) -> str:
    return harness.user.git("rev-parse", BRANCH)


async def test_work_lands_by_itself_where_that_is_wanted(harness: RunHarness) -> None:
    event, asked = await finished(harness, "auto")

    assert (event, asked) == (WorkLanded(BRANCH, work_of(harness), "commits"), [])
    assert harness.user.log() == ["Round 1: What DL-1 is about (DL-1)", "First"]
    assert (harness.user.path / "clock.py").read_text() == "text\n"


@pytest.mark.parametrize(
    ("landing", "answer", "reason"),
    [
        ("never", None, "landing is switched off"),
        ("never", True, "landing is switched off"),
        ("ask", None, "landing needs your approval, and there is no terminal to ask on"),
        ("ask", False, "you said no"),
    ],
)
async def test_work_that_is_not_to_land_waits_on_its_branch(
    harness: RunHarness, landing: LandingMode, answer: bool | None, reason: str
) -> None:
    event, _ = await finished(harness, landing, answer)

    assert event == WorkKept(BRANCH, reason, COMMAND)
    assert harness.user.log() == ["First"]
    assert not (harness.user.path / "clock.py").exists()


async def test_work_lands_when_a_person_says_so(harness: RunHarness) -> None:
    event, asked = await finished(harness, "ask", answer=True)

    assert asked == ["Land 1 commit in your checkout?"]
    assert event == WorkLanded(BRANCH, work_of(harness), "commits")


async def test_a_question_says_why_it_is_asked(harness: RunHarness) -> None:
    _, asked = await finished(harness, "ask", answer=True, because="it deletes 62 of 80 files")

    assert asked == ["Land 1 commit in your checkout? It deletes 62 of 80 files."]


async def test_work_that_needs_a_yes_and_gets_no_answer_says_why_it_waits(
    harness: RunHarness,
) -> None:
    event, _ = await finished(harness, "ask", because="it deletes 62 of 80 files")

    reason = "it deletes 62 of 80 files, and there is no terminal to ask on"
    assert event == WorkKept(BRANCH, reason, COMMAND)


async def test_a_run_without_work_says_nothing_about_landing(harness: RunHarness) -> None:
    harness.sessions = [[turned("DL-1", "passed"), ending()]]

    event, asked = await finished(harness, "ask", answer=True)

    assert (event.type, asked) == ("session.ended", [])


async def test_a_dirty_checkout_is_what_the_run_starts_from_and_lands_in(
    harness: RunHarness,
) -> None:
    harness.user.write("README.md", "A clock, changed.\n")
    harness.user.write("new.md", "New.\n")
    head = harness.user.git("rev-parse", "HEAD")
    seen: list[str] = []
    harness.sessions = [
        [
            did(lambda: seen.append((harness.workspace / "README.md").read_text())),
            did(lambda: seen.append((harness.workspace / "new.md").read_text())),
            *harness.sessions[0],
        ]
    ]

    event, _ = await finished(harness, "auto")

    prepared = harness.events[0]
    assert isinstance(prepared, WorkspacePrepared)
    assert (prepared.head, prepared.checkout, prepared.branch) == (head, "main", BRANCH)
    assert prepared.snapshot != head
    assert seen == ["A clock, changed.\n", "New.\n"]
    assert event == WorkLanded(BRANCH, work_of(harness), "commits")
    assert (harness.user.path / "README.md").read_text() == "A clock, changed.\n"
    assert (harness.user.path / "clock.py").read_text() == "text\n"


async def test_a_checkout_changed_meanwhile_is_left_alone(harness: RunHarness) -> None:
    harness.sessions = [
        [did(lambda: harness.user.write("README.md", "Changed by Ada.\n")), *harness.sessions[0]]
    ]

    event, _ = await finished(harness, "auto")

    assert event == WorkKept(
        BRANCH,
        "files were changed after the run started: commit them first",
        f"git merge {BRANCH}",
        by_checkout=True,
    )
    assert (harness.user.path / "README.md").read_text() == "Changed by Ada.\n"
    assert not (harness.user.path / "clock.py").exists()


async def test_commits_made_meanwhile_are_left_alone(harness: RunHarness) -> None:
    def commit() -> None:
        harness.user.write("ada.md", "Ada's.\n")
        harness.user.git("add", "ada.md")
        harness.user.git("commit", "--quiet", "--message", "Ada's own")

    harness.sessions = [[did(commit), *harness.sessions[0]]]

    event, _ = await finished(harness, "auto")

    assert event == WorkKept(
        BRANCH,
        "main has other commits than when the run started",
        f"git merge {BRANCH}",
        by_checkout=True,
    )
    assert harness.user.log() == ["Ada's own", "First"]


async def test_work_can_land_as_uncommitted_changes(harness: RunHarness) -> None:
    harness.form = "files"

    event, _ = await finished(harness, "auto")

    assert event == WorkLanded(BRANCH, work_of(harness), "files")
    assert harness.user.log() == ["First"]
    assert (harness.user.path / "clock.py").read_text() == "text\n"


async def test_a_nested_repository_is_reported_and_left_out(harness: RunHarness) -> None:
    def nest() -> None:
        nested = harness.workspace / "nested"
        nested.mkdir()
        harness.user.git("init", "--quiet", str(nested))
        (nested / "a.txt").write_text("a")

    harness.sessions = [[did(nest), *harness.sessions[0]]]

    await harness.execute()

    assert harness.of_type(RunWarned) == [
        RunWarned("nested repositories are not part of the work: nested/")
    ]
    assert harness.of_type(WorkImported) == [WorkImported(BRANCH, work_of(harness), 1)]
    assert harness.user.git("ls-tree", "--name-only", BRANCH).splitlines() == [
        "README.md",
        "SPEC.md",
        "clock.py",
    ]


async def test_notes_that_are_no_plain_file_are_reported_and_left_alone(
    harness: RunHarness,
) -> None:
    def link() -> None:
        (harness.workspace / ".treadle-notes.md").symlink_to("/etc/passwd")

    harness.sessions = [[did(link), *harness.sessions[0]]]

    await harness.execute()

    (warned,) = harness.of_type(RunWarned)
    assert isinstance(warned, RunWarned)
    assert warned.message.startswith(".treadle-notes.md cannot be read as a plain file")
    assert not (harness.user.path / ".treadle-notes.md").exists()
