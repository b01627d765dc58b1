"""All commands mean the same project, from wherever in it they are started."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.sample_runs import BRANCH, COMMIT, RUN, interrupted, recorded, success
from tests.unit.cli.stored_runs import Command, store
from treadle.domain.events.work import WorkLanded
from treadle.workspace.project_root import find_project_root


def made(directory: Path, *marks: str) -> Path:
    """A directory with these in it; one that ends with a stroke is a directory, too."""
    directory.mkdir(parents=True)
    for mark in marks:
        path = directory / mark
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir() if mark.endswith("/") else path.touch()
    return directory


@pytest.mark.parametrize(
    ("marks", "place", "project"),
    [
        ([".git/HEAD"], "a/b", "."),
        ([".git"], "a", "."),  # a linked worktree or a submodule
        ([".git/HEAD", "a/treadle.toml"], "a", "."),  # the repository, whatever lies in it
        (["a/treadle.toml"], "a/b", "a"),
        ([".git/HEAD", "a/.git/HEAD"], "a/b", "a"),
        ([".git/HEAD", "a/.git/"], "a/b", "."),  # git passes an empty one over as well
        (["a/.git/HEAD", "treadle.toml"], "b", "."),
        ([".treadle/status.json"], "a", None),
    ],
)
def test_the_project_is_the_repository_around_one(
    tmp_path: Path, marks: list[str], place: str, project: str | None
) -> None:
    top = made(tmp_path / "top", *marks)
    (top / place).mkdir(parents=True, exist_ok=True)

    assert find_project_root(top / place) == (None if project is None else top / project)


@pytest.mark.parametrize(
    "command", ["status --json", "ls --json", "config show", "show --json", "logs --json"]
)
def test_a_command_shows_the_same_from_everywhere_in_the_project(
    command: str, root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "treadle.toml").write_text('land = "never"\n')
    below = made(project / "src" / "deep")
    made(below / "settings-of-nobody", "treadle.toml")
    store(root, success(), project)

    treadle(*command.split())
    at_the_top = capsys.readouterr().out
    treadle(*command.split(), inside=below / "settings-of-nobody")

    assert capsys.readouterr().out == at_the_top
    assert "never" in at_the_top or RUN in at_the_top


def test_last_is_the_newest_run_of_the_project_one_stands_in(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    other = made(project.parent / "other", ".git/HEAD")
    outside = made(project.parent / "outside")
    store(root, success(), project, number=1)
    store(root, success(), other, number=2)

    for arguments, inside in [
        (("show", "--json"), project),
        (("show", "last", "--json"), other),
        (("show", "--json", "-p", str(other)), project),
        (("show", "--json", "--all"), project),
        (("show", "--json"), outside),
    ]:
        treadle(*arguments, inside=inside)
    shown = capsys.readouterr().out.replace("}\n{", "}\n\0{").split("\0")

    assert [json.loads(each)["run"]["id"][-1] for each in shown] == ["1", "2", "2", "2", "2"]


@pytest.mark.parametrize("command", ["land", "diff", "show", "logs"])
def test_without_a_run_of_its_own_a_project_never_takes_another_ones(
    command: str, root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, success(), project.parent / "other")

    assert treadle(command) == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: there are no runs of this project yet",
        "  hint: start one with `treadle deliver`, or name one of `treadle ls --all`",
    ]


def test_a_run_can_be_named_from_anywhere(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    store(root, success(), project.parent / "other", number=2)

    assert treadle("show", "d2e2", "--json") == 0
    assert json.loads(capsys.readouterr().out)["run"]["id"].endswith("2")
    assert treadle("show", "%") == 2


def test_logs_show_work_that_landed_after_the_end(
    root: Path, project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    late = WorkLanded(BRANCH, COMMIT, "commits")
    store(root, recorded([*(each.event for each in interrupted()), late]), project)

    treadle("logs", "--json")
    stored = capsys.readouterr().out.splitlines()
    treadle("logs", "-f", "--after", str(len(stored)))

    assert json.loads(stored[-1])["event"]["type"] == "work.landed"
    assert capsys.readouterr().err == ""
