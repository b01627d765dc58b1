"""The process environment: Treadle's own variables, and those that an agent gets."""

import os
import pwd
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.storage import Storage
from treadle.settings import claude_variables
from treadle.settings.passed_variables import ANY_AGENT_VARIABLES, ANY_PREFIX
from treadle.workspace.project_root import SETTINGS_FILE

if TYPE_CHECKING:
    from treadle.settings.load import ResolvedSettings

YES = frozenset({"1", "true", "yes", "on"})
NO = frozenset({"0", "false", "no", "off"})
DATABASE_URL = "TREADLE_DATABASE_URL"
# The variable that the key `database.url` has by the general rule.
DATABASE_KEY = "TREADLE_DATABASE__URL"

PASSED = (*ANY_AGENT_VARIABLES, *claude_variables.PASSED)


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that are no settings; `environment_values` reads those that are."""

    root: Path
    home: Path
    path: str
    claude_bin: str  # empty when CLAUDE_BIN names none
    no_sandbox: bool
    no_color: bool
    term: str
    columns: int | None
    raw: Mapping[str, str] = field(repr=False)
    # Of the project's file if no variable names one: see `with_project_database`.
    database_url: str = field(default="", repr=False)

    @property
    def storage(self) -> Storage:
        """Where runs keep what outlives them."""
        return Storage(self.root, self.database_url)


def process_environment() -> Mapping[str, str]:
    """A copy of the environment this process was started with."""
    return dict(os.environ)  # noqa: TID251


def parse_environment(raw: Mapping[str, str]) -> Environment:
    """Never fails: an invalid value counts as absent, and leaves the sandbox on."""
    home = _home(raw)
    return Environment(
        root=_root(raw.get("TREADLE_ROOT", ""), home),
        home=home,
        path=raw.get("PATH", ""),
        claude_bin=raw.get(claude_variables.BINARY, ""),
        no_sandbox=raw.get("TREADLE_NO_SANDBOX", "").strip().lower() in YES,
        no_color=bool(raw.get("NO_COLOR", "")),
        term=raw.get("TERM", ""),
        columns=_positive(raw.get("COLUMNS", "")),
        raw=raw,
        database_url=(raw.get(DATABASE_URL) or raw.get(DATABASE_KEY, "")).strip(),
    )


def agent_environment(raw: Mapping[str, str]) -> dict[str, str]:
    """The part of `raw` that an agent may see: the variables of `PASSED` and the locale.

    HOME is left out because every run gives its agent a private one, CLAUDECODE because it makes
    an agent assume that another one has started it.
    """
    allowed = {
        name
        for passed in PASSED
        if not passed.only_if or raw.get(passed.only_if, "").strip().lower() in YES
        for name in passed.names
    }
    return {
        name: value for name, value in raw.items() if name in allowed or name.startswith(ANY_PREFIX)
    }


def credential_values(raw: Mapping[str, str]) -> list[str]:
    """The secret values in the environment of an agent."""
    return [raw[name] for name in claude_variables.CREDENTIALS if raw.get(name)]


def _home(raw: Mapping[str, str]) -> Path:
    if raw.get("HOME"):
        return Path(raw["HOME"])
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        # A user id without a name, as in many containers.
        return Path("/")


def _root(text: str, home: Path) -> Path:
    if not text:
        return home / ".treadle"
    if text == "~" or text.startswith("~/"):
        return home / text[2:]
    return Path(text).absolute()


def _positive(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) < 100_000 else None


def with_project_database(
    environment: Environment, project: Path, require: "Callable[[ResolvedSettings], None]"
) -> Environment:
    """The environment with the database that the project's file names, if it names one.

    `require` raises SettingsError if nobody has trusted the file with a database.
    """
    if environment.database_url:
        return environment
    try:
        may_name_one = b"database" in (project / SETTINGS_FILE).read_bytes()
    except OSError:
        may_name_one = False
    # Loading settings takes time, and an error elsewhere in the file would stop the command.
    if not may_name_one:
        return environment
    from treadle.settings.load import load_settings

    resolved = load_settings(project, environment=environment.raw)
    require(resolved)
    url = resolved.settings.database.url
    # Processes that Treadle starts elsewhere must use the same database.
    return replace(environment, database_url=url, raw={**environment.raw, DATABASE_URL: url})
