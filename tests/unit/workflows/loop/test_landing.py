"""Where the work of a run ends up: in the checkout, or on its branch with the way to get it."""

from pathlib import Path

import pytest

from tests.builders import deliverable
from tests.unit.workflows.run_harness import BRANCH, StoryStage, did, ending, stage_in, turned
from treadle.domain.events.all_events import Event
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import WorkImported, WorkKept, WorkLanded, WorkspacePrepared
from treadle.domain.run import LandingMode

COMMAND = "treadle land 9abcdef0"


@pytest.fixture
def stage(tmp_path: Path) -> StoryStage:
    made = stage_in(tmp_path)
    made.plan(deliverable("DL-1"))
    made.sessions = [[made.wrote("clock.py"), turned("DL-1", "passed"), ending()]]
    return made


async def finished(
    stage: StoryStage, landing: LandingMode, answer: bool | None = None
) -> tuple[Event, list[str]]:
    """The last event, and what was asked."""
    await stage.tell()
    assert stage.worksite is not None
    asked: list[str] = []

    async def ask(question: str) -> bool:
        asked.append(question)
        return bool(answer)

    await stage.worksite.finish(landing, ask=None if answer is None else ask)
    return stage.events[-1], asked


def work_of(stage: StoryStage) -> str:
    return stage.user.git("rev-parse", BRANCH)


async def test_work_lands_by_itself_where_that_is_wanted(stage: StoryStage) -> None:
    event, asked = await finished(stage, "auto")

    assert (event, asked) == (WorkLanded(BRANCH, work_of(stage), "commits"), [])
    assert stage.user.log() == ["Round 1: What DL-1 is about (DL-1)", "First"]
    assert (stage.user.path / "clock.py").read_text() == "text\n"


@pytest.mark.parametrize(
    ("landing", "answer", "reason"),
    [
        ("never", None, "landing is switched off"),
        ("never", True, "landing is switched off"),
        ("ask", None, "landing has to be asked for, and nobody is at the terminal"),
        ("ask", False, "you said no"),
    ],
)
async def test_work_that_is_not_to_land_waits_on_its_branch(
    stage: StoryStage, landing: LandingMode, answer: bool | None, reason: str
) -> None:
    event, _ = await finished(stage, landing, answer)

    assert event == WorkKept(BRANCH, reason, COMMAND)
    assert stage.user.log() == ["First"]
    assert not (stage.user.path / "clock.py").exists()


async def test_work_lands_when_a_person_says_so(stage: StoryStage) -> None:
    event, asked = await finished(stage, "ask", answer=True)

    assert asked == ["Land 1 commit in your checkout?"]
    assert event == WorkLanded(BRANCH, work_of(stage), "commits")


async def test_a_run_without_work_says_nothing_about_landing(stage: StoryStage) -> None:
    stage.sessions = [[turned("DL-1", "passed"), ending()]]

    event, asked = await finished(stage, "ask", answer=True)

    assert (event.type, asked) == ("session.ended", [])


async def test_a_dirty_checkout_is_what_the_run_starts_from_and_lands_in(
    stage: StoryStage,
) -> None:
    stage.user.write("README.md", "A clock, changed.\n")
    stage.user.write("new.md", "New.\n")
    head = stage.user.git("rev-parse", "HEAD")
    seen: list[str] = []
    stage.sessions = [
        [
            did(lambda: seen.append((stage.workspace / "README.md").read_text())),
            did(lambda: seen.append((stage.workspace / "new.md").read_text())),
            *stage.sessions[0],
        ]
    ]

    event, _ = await finished(stage, "auto")

    prepared = stage.events[0]
    assert isinstance(prepared, WorkspacePrepared)
    assert (prepared.head, prepared.checkout, prepared.branch) == (head, "main", BRANCH)
    assert prepared.snapshot != head
    assert seen == ["A clock, changed.\n", "New.\n"]
    assert event == WorkLanded(BRANCH, work_of(stage), "commits")
    assert (stage.user.path / "README.md").read_text() == "A clock, changed.\n"
    assert (stage.user.path / "clock.py").read_text() == "text\n"


async def test_a_checkout_changed_meanwhile_is_left_alone(stage: StoryStage) -> None:
    stage.sessions = [
        [did(lambda: stage.user.write("README.md", "Changed by Ada.\n")), *stage.sessions[0]]
    ]

    event, _ = await finished(stage, "auto")

    assert event == WorkKept(
        BRANCH,
        "files were changed after the run started: commit them first",
        f"git merge {BRANCH}",
    )
    assert (stage.user.path / "README.md").read_text() == "Changed by Ada.\n"
    assert not (stage.user.path / "clock.py").exists()


async def test_commits_made_meanwhile_are_left_alone(stage: StoryStage) -> None:
    def commit() -> None:
        stage.user.write("ada.md", "Ada's.\n")
        stage.user.git("add", "ada.md")
        stage.user.git("commit", "--quiet", "--message", "Ada's own")

    stage.sessions = [[did(commit), *stage.sessions[0]]]

    event, _ = await finished(stage, "auto")

    assert event == WorkKept(
        BRANCH, "main has other commits than when the run started", f"git merge {BRANCH}"
    )
    assert stage.user.log() == ["Ada's own", "First"]


async def test_work_can_land_as_uncommitted_changes(stage: StoryStage) -> None:
    stage.form = "files"

    event, _ = await finished(stage, "auto")

    assert event == WorkLanded(BRANCH, work_of(stage), "files")
    assert stage.user.log() == ["First"]
    assert (stage.user.path / "clock.py").read_text() == "text\n"


async def test_a_nested_repository_is_told_and_left_out(stage: StoryStage) -> None:
    def nest() -> None:
        nested = stage.workspace / "nested"
        nested.mkdir()
        stage.user.git("init", "--quiet", str(nested))
        (nested / "a.txt").write_text("a")

    stage.sessions = [[did(nest), *stage.sessions[0]]]

    await stage.tell()

    assert stage.of_type(RunWarned) == [
        RunWarned("nested repositories are not part of the work: nested/")
    ]
    assert stage.of_type(WorkImported) == [WorkImported(BRANCH, work_of(stage), 1)]
    assert stage.user.git("ls-tree", "--name-only", BRANCH).splitlines() == [
        "README.md",
        "SPEC.md",
        "clock.py",
    ]


async def test_notes_that_are_no_plain_file_are_told_and_left_alone(stage: StoryStage) -> None:
    def link() -> None:
        (stage.workspace / ".treadle-notes.md").symlink_to("/etc/passwd")

    stage.sessions = [[did(link), *stage.sessions[0]]]

    await stage.tell()

    (warned,) = stage.of_type(RunWarned)
    assert isinstance(warned, RunWarned)
    assert warned.message.startswith(".treadle-notes.md cannot be read as a plain file")
    assert not (stage.user.path / ".treadle-notes.md").exists()
