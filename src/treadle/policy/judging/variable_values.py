"""Checks values of variables that point to a database, an app or a folder. Pure."""

import re
from dataclasses import replace

from treadle.policy.judging.databases import OTHER_HOST
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.shell.syntax import Assignment, Word

_LOCAL = r"(?:localhost|127\.0\.0\.1|\[::1\]|::1)"
_HOST = re.compile(rf"{_LOCAL}(?::\d+)?", re.IGNORECASE)
_DATABASE = re.compile(rf"[\w+]+://(?:[^@/?#]*@)?{_LOCAL}?(?::\d+)?(?:[/?#].*)?", re.IGNORECASE)
_FILLED = frozenset({"GOBIN", "GOPATH", "CARGO_TARGET_DIR"})


def value_refusal(assignment: Assignment, location: CommandLocation) -> str | None:
    """Why a variable that may be set must not be set to this."""
    name, value = assignment.name, assignment.value
    if value.variables or value.substitutes:
        return None
    if name in _FILLED:
        parts = value.text.split(":")
        reasons = (
            path_refusal(replace(value, text=part or "."), "write", location) for part in parts
        )
        return next((reason for reason in reasons if reason is not None), None)
    if name == "FLASK_APP":
        return path_refusal(Word(value.text.partition(":")[0] or "."), "run", location)
    if name in ("PGHOST", "PGHOSTADDR") and not _HOST.fullmatch(value.text):
        return f"{name}={value.text} is a database elsewhere"
    if name.endswith("DATABASE_URL"):
        return _database(value.text, location)
    return None


def _database(address: str, location: CommandLocation) -> str | None:
    if address.startswith("sqlite"):
        file = re.sub(r"^sqlite\w*(?:\+\w+)?:(?:///?)?", "", address).partition("?")[0]
        return path_refusal(Word(file), "write", location) if file and file != ":memory:" else None
    if "://" in address and (not _DATABASE.fullmatch(address) or OTHER_HOST.search(address)):
        return f"{address} is a database elsewhere"
    return None
