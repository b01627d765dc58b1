"""A run that follows its pull request is left to a worker; where none can start, a line says so."""

from pathlib import Path

import pytest

from treadle.cli.context import CommandContext
from treadle.cli.start import leave_to_worker
from treadle.settings.environment import parse_environment


async def test_one_line_says_that_no_worker_can_be_started_and_how_to_start_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "worker.log").mkdir()

    await leave_to_worker(context_in(tmp_path))

    said = "No worker could be started (Is a directory): start one with treadle worker\n"
    assert capsys.readouterr().err == said


async def test_a_worker_that_ends_at_once_is_no_worker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "engine.db").mkdir()

    await leave_to_worker(context_in(tmp_path))

    log = tmp_path / "worker.log"
    said = f"No worker could be started (see {log}): start one with treadle worker\n"
    assert capsys.readouterr().err == said
    assert "engine.db" in log.read_text()


def context_in(directory: Path) -> CommandContext:
    variables = {"TREADLE_ROOT": str(directory), "HOME": str(directory)}
    return CommandContext(parse_environment(variables), directory)
