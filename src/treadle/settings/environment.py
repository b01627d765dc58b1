"""The process environment: Treadle's own variables, and those that an agent gets."""

import os
import pwd
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.agent_kind import PassedVariables
from treadle.domain.storage import Storage
from treadle.workspace.project_root import SETTINGS_FILE

if TYPE_CHECKING:
    from treadle.settings.load import ResolvedSettings

YES = frozenset({"1", "true", "yes", "on"})
NO = frozenset({"0", "false", "no", "off"})
DATABASE_URL = "TREADLE_DATABASE_URL"
# The variable that the key `database.url` has by the general rule.
DATABASE_KEY = "TREADLE_DATABASE__URL"

# How an agent reaches other machines.
NETWORK_VARIABLES: tuple[PassedVariables, ...] = (
    PassedVariables(
        "your proxies",
        (
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "NO_PROXY",
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "no_proxy",
        ),
    ),
    PassedVariables(
        "certificates to trust",
        (
            "SSL_CERT_FILE",
            "SSL_CERT_DIR",
            "NODE_EXTRA_CA_CERTS",
            "REQUESTS_CA_BUNDLE",
            "CURL_CA_BUNDLE",
            "GIT_SSL_CAINFO",
        ),
    ),
)
# What every agent gets.
ANY_AGENT_VARIABLES: tuple[PassedVariables, ...] = (
    PassedVariables(
        "programs, user name, language and time zone",
        ("PATH", "SHELL", "USER", "LOGNAME", "TMPDIR", "TERM", "TZ", "LANG", "LANGUAGE"),
    ),
    *NETWORK_VARIABLES,
)
ANY_PREFIX = "LC_"


@dataclass(frozen=True, slots=True)
class Environment:
    """The variables that are no settings; `environment_values` reads those that are."""

    root: Path
    home: Path
    path: str
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
        no_sandbox=raw.get("TREADLE_NO_SANDBOX", "").strip().lower() in YES,
        no_color=bool(raw.get("NO_COLOR", "")),
        term=raw.get("TERM", ""),
        columns=_positive(raw.get("COLUMNS", "")),
        raw=raw,
        database_url=(raw.get(DATABASE_URL) or raw.get(DATABASE_KEY, "")).strip(),
    )


def agent_environment(
    raw: Mapping[str, str], passed: Iterable[PassedVariables] = ()
) -> dict[str, str]:
    """The part of `raw` that an agent may see: what every agent gets, the locale, and `passed`.

    HOME is left out because every run gives its agent a private one.
    """
    allowed = {
        name
        for each in (*ANY_AGENT_VARIABLES, *passed)
        if not each.only_if or raw.get(each.only_if, "").strip().lower() in YES
        for name in each.names
    }
    return {
        name: value for name, value in raw.items() if name in allowed or name.startswith(ANY_PREFIX)
    }


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
