"""A log file that a person names is checked before the run, and never hinders a landing."""

from pathlib import Path

import pytest

from treadle.domain.errors import UsageError
from treadle.runs.log_files import require_log_file


@pytest.mark.parametrize("name", ["project/.treadle/logs.json", "elsewhere.log"])
def test_a_file_elsewhere_or_below_the_folder_of_treadle_is_made(tmp_path: Path, name: str) -> None:
    (tmp_path / "project" / ".treadle").mkdir(parents=True)

    assert require_log_file(tmp_path / name, tmp_path / "project") == str(tmp_path / name)
    assert (tmp_path / name).read_bytes() == b""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("project/run.log", "is in the project, where it would keep work from landing"),
        ("project/../project/run.log", "is in the project, where it would keep work from landing"),
        ("missing/run.log", "No such file or directory"),
        ("project", "Is a directory"),
    ],
)
def test_a_file_that_cannot_be_written_or_would_be_work_is_refused(
    tmp_path: Path, name: str, said: str
) -> None:
    project = tmp_path / "project" / "inner" if name == "project" else tmp_path / "project"
    project.mkdir(parents=True)

    with pytest.raises(UsageError) as raised:
        require_log_file(tmp_path / name, project)

    assert said in raised.value.message


@pytest.mark.parametrize(
    ("link", "target", "named"),
    [
        (".treadle/run.log", "rc", ".treadle/run.log"),
        (".treadle/run.log", "gone", ".treadle/run.log"),
        (".treadle/logs", "folder", ".treadle/logs/run.log"),
        (".treadle", "folder", ".treadle/run.log"),
        ("out", "folder", "out/run.log"),
    ],
)
def test_a_link_that_came_with_the_project_gets_no_lines(
    tmp_path: Path, link: str, target: str, named: str
) -> None:
    # A line holds words of agents, and what it is appended to may be read by a shell.
    project = tmp_path / "project"
    (tmp_path / "folder").mkdir()
    (tmp_path / "rc").write_text("mine")
    (project / link).parent.mkdir(parents=True, exist_ok=True)
    (project / link).symlink_to(tmp_path / target)

    with pytest.raises(UsageError, match="is a symbolic link in the project"):
        require_log_file(project / named, project)

    assert (tmp_path / "rc").read_text() == "mine"
    assert not (tmp_path / "gone").exists()
    assert list((tmp_path / "folder").iterdir()) == []
