"""Where the runs of a project are kept: told by a variable, or else by its file. Thin."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.settings.environment import DATABASE_URL, Environment

if TYPE_CHECKING:
    from treadle.settings.load import Resolved

FILE = "treadle.toml"


def located(
    environment: Environment, project: Path, require: "Callable[[Resolved], None]"
) -> Environment:
    """The environment, knowing the database that the project's file names, if it names one.

    `require` raises unless the file may name one.
    """
    if environment.database_url:
        return environment
    try:
        mentioned = b"database" in (project / FILE).read_bytes()
    except OSError:
        mentioned = False
    # Settings are not loaded for nothing, nor is a slip elsewhere in the file in anybody's way.
    if not mentioned:
        return environment
    from treadle.settings.load import load

    resolved = load(project, environment=environment.raw)
    require(resolved)
    url = resolved.settings.database.url
    # Processes that we start read the same database, wherever they are started.
    return replace(environment, database_url=url, raw={**environment.raw, DATABASE_URL: url})
