"""A store and a project of their own for every test of a command."""

from pathlib import Path

import pytest

from tests.builders import repository_in
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.settings.environment import parse_environment

from .project_cli import ProjectCli
from .stored_runs import Command


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "root"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "calc" / ".git").mkdir(parents=True)
    (tmp_path / "calc" / ".git" / "HEAD").touch()
    return tmp_path / "calc"


@pytest.fixture
def treadle(root: Path, project: Path) -> Command:
    """The command line as started inside the project."""
    environment = parse_environment({"TREADLE_ROOT": str(root), "HOME": str(root)})

    def run(*arguments: str, inside: Path = project) -> int:
        return run_command(arguments, CommandContext(environment, inside))

    return run


@pytest.fixture
def cli(tmp_path: Path) -> ProjectCli:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting\n"})
    raw = {**repository.environment, "TREADLE_ROOT": str(tmp_path / "root")}
    return ProjectCli(repository, parse_environment(raw))
