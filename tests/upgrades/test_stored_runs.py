"""Runs that an earlier version stored are listed, shown and gone on with.

`stored_runs.tar.xz` was made by `python -m tests.upgrades COMMIT`; its file `commit` says which.
"""

import json
from pathlib import Path

import pytest

from tests.acceptance.harness import CommandHarness, Finished
from tests.upgrades.stored_runs import unpack

# Each goes on with a real agent. One after the other: all copies have the same sessions, and who
# goes on with one run ends the processes of lost ones, by the names of their sessions.
pytestmark = [pytest.mark.timeout(240), pytest.mark.xdist_group("stored-runs")]

STATES = {"done": "succeeded", "limited": "ended", "cut": "lost"}


class StoredProject(CommandHarness):
    """One of the projects, which is there already."""

    def __init__(self, directory: Path, root: Path) -> None:
        self.directory, self.root = directory, root
        self.project, self.home = directory / "project", directory / "home"


class StoredRuns:
    """The projects of the stored runs, and the commands of today's version in each of them."""

    def __init__(self, directory: Path) -> None:
        unpack(directory)
        self.directory = directory
        rows = json.loads(self.project("done").treadle("ls", "--all", "--json").stdout)
        self.rows = {Path(row["project_path"]).parent.name: row for row in rows}

    def project(self, name: str) -> CommandHarness:
        return StoredProject(self.directory / name, self.directory / "root")

    def treadle(self, name: str, command: str, *options: str) -> Finished:
        return self.project(name).treadle(command, self.rows[name]["id"], *options)


@pytest.fixture
def stored(tmp_path: Path) -> StoredRuns:
    return StoredRuns(tmp_path)


def test_they_are_listed_with_their_states(stored: StoredRuns) -> None:
    assert {name: row["state"] for name, row in stored.rows.items()} == STATES


@pytest.mark.parametrize("name", STATES)
def test_they_are_shown_with_their_log_and_steps(stored: StoredRuns, name: str) -> None:
    shown = stored.treadle(name, "show")
    log = stored.treadle(name, "logs", "--json")

    assert (shown.exit_code, log.exit_code) == (0, 0), shown.stderr
    assert [line["seq"] for line in log.lines] == list(range(1, len(log.lines) + 1))
    assert "look 1" in shown.stdout


@pytest.mark.parametrize(
    ("name", "options", "files"),
    [
        ("done", (), {"hello.txt"}),
        ("cut", (), {"hello.txt"}),
        ("limited", ("--max-iterations", "9"), {"hello.txt", "bye.txt"}),
    ],
)
def test_they_go_on_to_landed_work(
    stored: StoredRuns, name: str, options: tuple[str, ...], files: set[str]
) -> None:
    resumed = stored.treadle(name, "resume", "--json", *options)

    assert resumed.exit_code == 0, resumed.stderr
    [last] = stored.treadle(name, "logs", "--json").of_type("run.ended")[-1:]
    assert last["result"]["reason"] == "all_passed"
    assert files <= {path.name for path in stored.project(name).project.iterdir()}
