"""An agent may leave anything in its home: the host goes nowhere that a link there leads."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.workspace.deep_trees import dig
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.private_home import (
    FIRST_START_SETTINGS,
    make_folder,
    remove_file,
    reset_settings,
)
from treadle.domain.ids import SessionId

SESSION = SessionId("s-1")
AGENT = ClaudeAgent(Path("/nonexistent"), {})
KEPT = {"precious": "of the user", "s-1.jsonl": "a line"}

Leave = Callable[[Path, Path], None]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def theirs(tmp_path: Path) -> Path:
    """A directory of the user's."""
    (tmp_path / "theirs").mkdir()
    for name, text in KEPT.items():
        (tmp_path / "theirs" / name).write_text(text)
    return tmp_path / "theirs"


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def link(place: Path, theirs: Path) -> None:
    place.symlink_to(theirs)


def dangling(place: Path, theirs: Path) -> None:
    place.symlink_to(theirs / "nothing")


def file(place: Path, theirs: Path) -> None:
    place.write_text("x")


def folder(place: Path, theirs: Path) -> None:
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "link").symlink_to(theirs)


def deep(place: Path, theirs: Path) -> None:
    place.mkdir()
    dig(place)


LEFT = [link, dangling, file, folder]
REMOVED = [*LEFT, deep]


@pytest.mark.parametrize("leave", LEFT)
def test_a_directory_is_made_whatever_lies_there(leave: Leave, home: Path, theirs: Path) -> None:
    leave(home / "tmp", theirs)

    make_folder(home, "tmp")

    assert ((home / "tmp").is_dir(), (home / "tmp").is_symlink()) == (True, False)
    assert content(theirs) == KEPT


@pytest.mark.parametrize("leave", REMOVED)
def test_what_is_removed_is_what_lies_there_itself(leave: Leave, home: Path, theirs: Path) -> None:
    leave(home / "given-1", theirs)

    remove_file(home, "given-1")
    remove_file(home, "given-2")

    assert (list(home.iterdir()), content(theirs)) == ([], KEPT)


@pytest.mark.parametrize(("text", "remembered"), [("a line", True), ("", False)])
def test_a_session_is_remembered_once_its_transcript_has_a_line(
    text: str, remembered: bool, home: Path
) -> None:
    projects = home / ".claude/projects"
    (projects / "other").mkdir(parents=True)
    (projects / "mine").mkdir()
    (projects / "mine" / f"{SESSION}.jsonl").write_text(text)

    assert AGENT.can_resume(SESSION, home) is remembered


@pytest.mark.parametrize(
    "place",
    [".claude", ".claude/projects", ".claude/projects/p", f".claude/projects/p/{SESSION}.jsonl"],
)
@pytest.mark.parametrize("leave", LEFT)
def test_what_a_link_leads_to_is_no_transcript(
    leave: Leave, place: str, home: Path, theirs: Path
) -> None:
    for part in ("projects/p", "p", "."):
        (theirs / part).mkdir(parents=True, exist_ok=True)
        (theirs / part / f"{SESSION}.jsonl").write_text("a line")
    (home / place).parent.mkdir(parents=True, exist_ok=True)
    (home / place).parent.joinpath("beside").symlink_to(theirs / "nothing")
    target = theirs / f"{SESSION}.jsonl" if place.endswith("jsonl") else theirs
    if leave is file and place.endswith("jsonl"):
        return  # that is one

    leave(home / place, target)

    assert not AGENT.can_resume(SESSION, home)


def test_what_the_agent_would_obey_is_forgotten_and_its_transcripts_stay(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("the host's own")
    (home / ".claude" / "projects" / "place").mkdir(parents=True)
    (home / ".claude" / "projects" / "place" / "s-1.jsonl").write_text("{}")
    (home / ".claude" / "plugins").symlink_to(outside)
    (home / ".claude" / "settings.json").write_text("{}")
    # A login that an agent left there, or a link to the user's, which an earlier version made.
    (home / ".claude" / ".credentials.json").symlink_to(outside / "kept")
    (home / ".claude.json").mkdir()
    (home / ".claude.json.backup").write_text("{}")
    (home / "notes").write_text("the agent's own")

    reset_settings(home)

    left = sorted(str(path.relative_to(home)) for path in home.rglob("*"))
    projects = [".claude/projects", ".claude/projects/place", ".claude/projects/place/s-1.jsonl"]
    assert left == [".claude", ".claude.json", *projects, "notes"]
    assert json.loads((home / ".claude.json").read_text()) == FIRST_START_SETTINGS
    assert stat.S_IMODE((home / ".claude.json").stat().st_mode) == 0o600
    assert (outside / "kept").read_text() == "the host's own"


def test_rights_that_were_taken_from_the_home_come_back(home: Path) -> None:
    project = home / ".claude/projects/p"
    project.mkdir(parents=True)
    (project / f"{SESSION}.jsonl").write_text("a line")
    (home / "tmp").mkdir()
    (home / ".claude/todos/closed").mkdir(parents=True)
    places = [*sorted(home.rglob("*"), reverse=True), home]
    for place in places:
        place.chmod(0)

    assert AGENT.can_resume(SESSION, home)
    reset_settings(home)
    make_folder(home, "tmp")

    found = {
        str(place.relative_to(home)): stat.S_IMODE(place.stat().st_mode)
        for place in places
        if place.exists()
    }
    assert found == {
        ".": 0o700,
        ".claude": 0o700,
        ".claude/projects": 0o700,
        ".claude/projects/p": 0o700,
        f".claude/projects/p/{SESSION}.jsonl": 0o600,
        "tmp": 0o700,
    }


def test_no_rights_are_given_to_what_a_link_leads_to(home: Path, theirs: Path) -> None:
    theirs.chmod(0o500)
    (home / ".claude").mkdir()
    (home / ".claude/projects").symlink_to(theirs)

    reset_settings(home)

    assert stat.S_IMODE(theirs.stat().st_mode) == 0o500
