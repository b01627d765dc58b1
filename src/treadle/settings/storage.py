"""Where the runs of a project are kept: told by a variable, or else by its file. Thin."""

from dataclasses import replace
from pathlib import Path

from treadle.settings.environment import DATABASE_URL, Environment

FILE = "treadle.toml"


def located(environment: Environment, project: Path) -> Environment:
    """The environment, knowing the database that the project's file names, if it names one."""
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

    url = load(project, environment=environment.raw).settings.database.url
    # Processes that we start read the same database, wherever they are started.
    return replace(environment, database_url=url, raw={**environment.raw, DATABASE_URL: url})
