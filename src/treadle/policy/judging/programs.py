"""Small programs inside arguments: what a sed, awk or jq text would do besides printing. Pure."""

import re

from treadle.policy.judging.awk import awk_refusal

_ADDRESS = re.compile(
    r"\s*(?:(?:\d+(?:~\d+)?|\$|/(?:[^/\\\n]|\\.)*/[IM]*)"
    r"(?:\s*,\s*[+~]?(?:\d+|\$|/(?:[^/\\\n]|\\.)*/[IM]*))?)?"
    r"\s*!?\s*"
)
_PLAIN_SED = frozenset("pdDPnNgGhHxlFz=}{")
_TEXT_SED = frozenset("aic")
_LABEL_SED = frozenset("btT:")
_SED = "the sed text {text!r} is not one of the plain commands (s, y, d, p, q, a, i, c, n, …)"

_JQ = re.compile(
    r"""\$ENV\b|\$__prog|(?<![.\w"$])env(?![\w"]|\s*:)|\b(?:import|include|input_filename|repeat|infinite)\b"""
    r"|\brange\(\s*\d{8,}|\brange\(\s*\d+e|@sh\b.*\bsystem\b|\bget_search_list\b|\blimit\(infinite"
)


def sed_refusal(text: str) -> str | None:
    """Commands that run programs (`e`) or name files (`w`, `r`) do not fit this grammar."""
    rest = text
    while rest.strip(" \t\n;}"):
        rest = rest.lstrip(" \t\n;}")
        address = _ADDRESS.match(rest)
        rest = rest[address.end() :] if address else rest
        after = _after_command(rest)
        if after is None:
            return _SED.format(text=text)
        rest = after
    return None


def _after_command(rest: str) -> str | None:
    """What follows the command that the text starts with; None if it is not a plain one."""
    command = rest[:1]
    if command in _PLAIN_SED:
        return rest[1:]
    if command in ("q", "Q"):
        return rest[1:].lstrip(" 0123456789")
    if command in _TEXT_SED:
        return _after_text(rest)
    if command in _LABEL_SED:
        found = re.match(r".\s*[\w.-]*", rest)
        return rest[found.end() :] if found else None
    if command in ("s", "y"):
        return _after_substitution(rest)
    return None


def _after_text(rest: str) -> str:
    """`a`, `i` and `c` take all up to the end of the line, further lines after a backslash."""
    found = re.match(r".(?:\\[\s\S]|[^\n\\])*", rest)
    return rest[found.end() :] if found else ""


def _after_substitution(rest: str) -> str | None:
    mark = rest[1:2]
    if not mark or mark in "\\\n" or mark.isalnum() or mark.isspace():
        return None
    quoted = re.escape(mark)
    part = rf"(?:[^{quoted}\\]|\\.)*"
    flags = "[gpiImM0-9]*" if rest[0] == "s" else ""
    found = re.match(rf".{quoted}{part}{quoted}{part}{quoted}{flags}(?=[\s;}}]|$)", rest, re.DOTALL)
    return rest[found.end() :] if found else None


def jq_refusal(text: str) -> str | None:
    if _JQ.search(text):
        return "the jq filter reads the environment or another file, or does not end"
    return None


PROGRAMS = {"sed": sed_refusal, "awk": awk_refusal, "jq": jq_refusal}
