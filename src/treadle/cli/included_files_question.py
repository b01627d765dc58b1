"""What `treadle init` says about ignored files that tests seem to need."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from treadle.runs.trust import trust
from treadle.settings.environment import Environment
from treadle.settings.file import read_file
from treadle.settings.load import ResolvedSettings, resolve_settings
from treadle.settings.trust_requirements import find_trust_requirements
from treadle.workspace.included_files import find_files_to_offer
from treadle.workspace.project import find_project
from treadle.workspace.secret_files import list_names

INCLUDE = "workspace.include"


def files_to_include(
    project: Path, raw: Mapping[str, str], present: ResolvedSettings
) -> tuple[str, ...]:
    """The files of a repository to offer, unless its settings name some already."""

    async def find() -> tuple[str, ...]:
        return await find_files_to_offer(await find_project(project, raw))

    return asyncio.run(find()) if present.origins[INCLUDE].source == "default" else ()


def ask_to_include(files: Sequence[str]) -> dict[str, Any]:
    """The answer as a setting; none if there is nothing to ask, or a person says no."""
    question = (
        f"Git ignores {list_names(files)}. Let setup, checks and tests (not the agent) read them?"
    )
    if files and click.confirm(question, default=True, err=True):
        return {INCLUDE: tuple(files)}
    return {}


def print_left_out(files: Sequence[str]) -> None:
    """Without a person to ask, the files are only named."""
    if files:
        click.echo(
            f"found   {list_names(files)}, which git ignores: see {INCLUDE} if tests need them"
        )


def trust_answers(environment: Environment, project: Path) -> None:
    """A person has just said so, and everything else in the file was trusted before."""
    trust(environment, project, find_trust_requirements(resolve_settings(read_file(project))))
