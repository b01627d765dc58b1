"""Expands quoted patterns that a tool matches by itself. Pure."""

import re
from fnmatch import fnmatchcase

from treadle.policy.judging.braces import expand_braces
from treadle.policy.judging.secret_files import is_specific_to, simplify_pattern
from treadle.policy.protected_paths import PROTECTED

_SIGNS = re.compile(r"[*?\[{(\\]")
_RANGE = re.compile(r"\{[^{},]*\.\.[^{},]*\}")
_NOT = re.compile(r"!\([^()]*\)")
_PERHAPS = re.compile(r"[?*]\(([^()]*)\)")
_GROUP = re.compile(r"[@+]?\(([^()]*)\)")
_SINGLE = re.compile(r"\{([^{},]*)\}")
_TOO_MANY = "***"


def expand_pattern(text: str) -> tuple[str, ...]:
    """The words that its lists stand for, as `{a,b}` and `@(a|b)`; none if it is no pattern.

    What begins with `!` is left out by the tools that know patterns.
    """
    if not _SIGNS.search(text) or (text.startswith("!") and not text.startswith("!(")):
        return ()
    plain = _NOT.sub("*", _RANGE.sub("*", text.replace("\\", "")))
    before = ""
    while before != plain:
        before = plain
        plain = _PERHAPS.sub(lambda found: f"{{{_listed(found[1])},}}", plain)
        plain = _GROUP.sub(lambda found: f"{{{_listed(found[1])}}}", plain)
    found = expand_braces(plain)
    return (_TOO_MANY,) if found is None else tuple(_SINGLE.sub(r"\1", each) for each in found)


def _listed(alternatives: str) -> str:
    return alternatives.replace("|", ",")


def protected_pattern_refusal(text: str) -> str | None:
    """Why a pattern must not be given to a tool that writes: it is made for what is protected.

    A name that begins with a star is for all files, unless most of a protected name follows.
    """
    if text == _TOO_MANY:
        return "it is a list of too many patterns. Write fewer"
    for step in simplify_pattern(text).casefold().split("/"):
        if any(fnmatchcase(name, step) and _is_meant(step, name) for name in PROTECTED):
            return f"{text} is a pattern for what is protected. Name what is to be changed"
    return None


def _is_meant(step: str, name: str) -> bool:
    return step[:1] not in ("*", "?") or is_specific_to(step, name)
