"""Checks settings given on the line itself, as JSON, YAML or TOML. Pure."""

import re

from treadle.policy.commands.project_tools import NEVER
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.shell.syntax import Word

_OBJECT = re.compile(r"\s*[{\[](?=.*[\"':])", re.DOTALL)
_PAIR = re.compile(r"\s*[\w.-]+\s*=\s*[\"'\[{]")
_BETWEEN = re.compile(r"[\s\"'{}\[\](),:=]+")
_CODE = re.compile(r"[^*]*\.[cm]?[jt]sx?|[^*]*\.(?:py|rb|php|so|node)")


def _folded(name: str) -> str:
    return name.replace("-", "").replace("_", "").casefold()


# As options they are refused, so as keys too.
_KEYS = frozenset(_folded(name) for name in NEVER.split())


def are_settings(text: str) -> bool:
    """Whether a tool may take the word for the settings themselves, not for a file of them."""
    return bool(_OBJECT.match(text) or _PAIR.match(text))


def settings_refusal(text: str, location: CommandLocation) -> str | None:
    """Why they must not be given: a key that brings in code, or a value that leads elsewhere."""
    if "\\" in text:
        return "settings on the line are written without backslashes. Put them into a file"
    for piece in _BETWEEN.split(text):
        if _folded(piece) in _KEYS or _CODE.fullmatch(piece) or piece.startswith("./"):
            return f"{piece} brings in code. Put settings into a file of the project"
        if piece.startswith("~"):
            return f"{piece} is outside the project"
        reason = (
            path_refusal(Word(piece), "run", location) if "/" in piece or piece[:1] == "." else None
        )
        if reason is not None:
            return reason
    return None
