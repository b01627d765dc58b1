"""The process environment: read once, parsed, and narrowed to what an agent may see."""

import os
import pwd
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.storage import Storage
from treadle.settings import claude_variables
from treadle.settings.passed_variables import ANY_AGENT_VARIABLES, ANY_PREFIX

YES = frozenset({"1", "true", "yes", "on"})
NO = frozenset({"0", "false", "no", "off"})
DATABASE_URL = "TREADLE_DATABASE_URL"
# The same as the variable of the key `database.url`.
DATABASE_KEY = "TREADLE_DATABASE__URL"

PASSED = (*ANY_AGENT_VARIABLES, *claude_variables.PASSED)


@dataclass(frozen=True, slots=True)
class Environment:
    """What Treadle itself takes from the environment; settings by variable are read in `load`."""

    root: Path
    home: Path
    path: str
    claude_bin: str  # empty when CLAUDE_BIN names none
    no_sandbox: bool
    no_color: bool
    term: str
    columns: int | None
    raw: Mapping[str, str] = field(repr=False)
    # That of the project's file where no variable names one: see `settings.storage`.
    database_url: str = field(default="", repr=False)

    @property
    def storage(self) -> Storage:
        """Where runs keep what outlives them."""
        return Storage(self.root, self.database_url)


def process_environment() -> Mapping[str, str]:
    """A copy of the environment this process was started with."""
    return dict(os.environ)  # noqa: TID251


def parse_environment(raw: Mapping[str, str]) -> Environment:
    """Never fails: a value that makes no sense counts as absent, a sandbox as wanted."""
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
    """The part of `raw` that an agent may see: what `PASSED` names, locales, and nothing else.

    HOME is not among it, since every run gives its agent a private one; nor is CLAUDECODE, by
    which an agent believes to be started inside another.
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
    """The secret values that an agent is given by its environment."""
    return [raw[name] for name in claude_variables.CREDENTIALS if raw.get(name)]


def _home(raw: Mapping[str, str]) -> Path:
    if raw.get("HOME"):
        return Path(raw["HOME"])
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        # A user id that the system has no name for, as containers use them.
        return Path("/")


def _root(given: str, home: Path) -> Path:
    if not given:
        return home / ".treadle"
    if given == "~" or given.startswith("~/"):
        return home / given[2:]
    return Path(given).absolute()


def _positive(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 0 < int(text) < 100_000 else None


if TYPE_CHECKING:
    from treadle.settings.load import ResolvedSettings

SETTINGS_FILE = "treadle.toml"


def with_project_database(
    environment: Environment, project: Path, require: "Callable[[ResolvedSettings], None]"
) -> Environment:
    """The environment, knowing the database that the project's file names, if it names one.

    `require` raises unless the file may name one.
    """
    if environment.database_url:
        return environment
    try:
        mentioned = b"database" in (project / SETTINGS_FILE).read_bytes()
    except OSError:
        mentioned = False
    # Settings are not loaded for nothing, nor is a slip elsewhere in the file in anybody's way.
    if not mentioned:
        return environment
    from treadle.settings.load import load_settings

    resolved = load_settings(project, environment=environment.raw)
    require(resolved)
    url = resolved.settings.database.url
    # Processes that we start read the same database, wherever they are started.
    return replace(environment, database_url=url, raw={**environment.raw, DATABASE_URL: url})
