"""Where the database is that a command changes, and which commands only look at it. Pure."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

from treadle.policy.commands.rule_syntax import names
from treadle.policy.shell.syntax import ShellCommand

# here: on this machine. elsewhere: on another. unknown: the line does not say.
DatabasePlace = Literal["here", "elsewhere", "unknown"]

_LOCAL_HOST = re.compile(r"localhost|127\.\d+\.\d+\.\d+|\[?::1\]?|0\.0\.0\.0|/.*", re.IGNORECASE)
_FILE_DATABASE = re.compile(r"(?:sqlite|file|duckdb|jdbc:sqlite|jdbc:h2:(?:mem|file))\w*:", re.I)
_ADDRESS = re.compile(
    r"(?:jdbc:)?(?:postgres(?:ql)?|mysql|mariadb|mongodb|redis|rediss|cockroachdb|sqlserver|mssql"
    r"|oracle|clickhouse|libsql|ecto)(?:\+\w+)?:(?:\w+:)?//(?:[^@/?#\s]*@)?(?P<host>\[[^\]]*\]|[^:/?#;\s]*)",
    re.IGNORECASE,
)
# As libpq takes it: `host=localhost dbname=x`.
_PARAMETERS = re.compile(r"(?:\w+=\S* )*host=(?P<host>\S+)(?: \w+=\S*)*")
# A parameter of an address that leads to another host.
OTHER_HOST = re.compile(
    r"[?&](?:host|hostaddr|socket|unix_socket|service|passfile|ssl(?:cert|key|rootcert|crl)\w*)="
)
_HOST_VARIABLE = re.compile(
    r"(?:PG|POSTGRES_|MYSQL_|DB_|DATABASE_|MONGO_|REDIS_)HOST(?:ADDR)?|DB_HOSTNAME"
)
_HOST_OPTIONS = names("-h --host --db-host --dbhost")
_PRODUCTION = frozenset({"production", "prod", "live"})

# By these a migration tool only shows something, or writes a file of its own.
_LOOKING = names(
    "diff status info list show pending history current version create generate add new make"
    " validate check lint dump"
)
_LOOKING_OPTIONS = names(
    "--create-only --sql --plan --check --pretend --dry-run --help --dump-sql --show-sql --list"
)
_LOOKING_TASK = re.compile(
    r"[\w-]+(?::[\w-]+)*:(?:status|list|show|create|generate|make|version|current[\w-]*|diff|dump"
    r"|up-to-date|validate)|ecto\.(?:gen\..+|migrations|dump)"
)
# Their sub-command follows them; of other tools it follows one of these words.
_MIGRATION_TOOLS = names("goose migrate migrate-mongo db-migrate node-pg-migrate")
_BEFORE = names("migrate migration migrations database db")


def only_looks(words: list[str]) -> bool:
    """Whether a migration tool only shows what it would do, or writes a new migration."""
    if any(word in _LOOKING_OPTIONS or _LOOKING_TASK.fullmatch(word) for word in words[1:]):
        return True
    if words[0] in _MIGRATION_TOOLS:
        return not _LOOKING.isdisjoint(words[1:])
    return any(word in _LOOKING and before in _BEFORE for before, word in pairwise(words))


def find_database(command: ShellCommand) -> DatabasePlace:
    """Where the database of the command is, as far as its words and variables say."""
    places = set(_places(command))
    if "elsewhere" in places:
        return "elsewhere"
    return "here" if "here" in places else "unknown"


def _places(command: ShellCommand) -> Iterator[DatabasePlace]:
    for given in command.assignments:
        value = given.value.text
        if _HOST_VARIABLE.fullmatch(given.name):
            yield _host_place(value)
        elif given.name.endswith(("_ENV", "ENVIRONMENT")) and value.casefold() in _PRODUCTION:
            yield "elsewhere"
        elif place := address_place(value):
            yield place
    texts = [word.text for word in command.words]
    for at, text in enumerate(texts):
        option, sign, value = text.partition("=")
        if option in _HOST_OPTIONS and (sign or texts[at + 1 : at + 2]):
            yield _host_place(value if sign else texts[at + 1])
        elif place := address_place(value if sign else text) or address_place(text):
            yield place


def address_place(address: str) -> DatabasePlace | None:
    """Where an address leads; None if it is not the address of a database."""
    if _FILE_DATABASE.match(address) or address.endswith((".sqlite", ".sqlite3")):
        return "here"
    if found := _PARAMETERS.fullmatch(address):
        return _host_place(found["host"])
    found = _ADDRESS.match(address)
    if found is None:
        return None
    return "elsewhere" if OTHER_HOST.search(address) else _host_place(found["host"])


def _host_place(host: str) -> DatabasePlace:
    if "$" in host:
        return "unknown"
    return "here" if not host or _LOCAL_HOST.fullmatch(host) else "elsewhere"
