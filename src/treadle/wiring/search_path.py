"""The PATH for programs that Treadle runs on the host."""

from dataclasses import replace
from pathlib import Path

from treadle.settings.environment import Environment
from treadle.workspace.search_path import path_outside


def without_project(environment: Environment, project: Path) -> Environment:
    """The environment for lookups of programs that run here with the user's rights."""
    return replace(environment, path=path_outside(environment.path, project))
