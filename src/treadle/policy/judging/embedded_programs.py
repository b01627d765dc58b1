"""Checks sed, awk and jq programs for anything besides printing. Pure."""

import re

from treadle.policy.commands.rule_syntax import names

# After these a slash begins a pattern; after a value it divides.
_BEFORE_PATTERN = frozenset("~!(,{;&|\n}=<>+-*%?:")
_WORDS_BEFORE_PATTERN = names("print printf return else do in case")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_PATTERN = re.compile(r"/(?:[^/\\\n]|\\.)*/")
_LAST_WORD = re.compile(r"(\w+)\s*$")
_RUNS = re.compile(
    r"\b(?:system|getline|ENVIRON|PROCINFO|close|fflush|ARGV|SYMTAB|FUNCTAB)\b|@\s*\w+"
    r"|\bwhile\s*\(\s*1\s*\)|\bfor\s*\(\s*;\s*;\s*\)"
)
_GOES_ON = re.compile(r"([,{]|&&|\|\||\\)[ \t]*\n")
_WRITES = re.compile(r"\bprintf?\b[^;}\n]*>|(?<!\|)\|(?!\|)|\|&|>>")


def awk_refusal(text: str) -> str | None:
    """Why the text is refused. An ambiguous text counts as the worse case."""
    bare = _without_strings(text)
    if bare is None:
        return "the awk text is not plain enough to be judged"
    if _RUNS.search(text):
        return "the awk text runs a program, reads the environment, or does not end"
    # A line goes on after these, so what follows belongs to the same statement.
    if _WRITES.search(_GOES_ON.sub(r"\1 ", bare)):
        return "the awk text writes to a file or a program; print, and redirect with the shell"
    return None


def _without_strings(text: str) -> str | None:
    """The code alone; None if a slash may be a division or the start of a pattern."""
    code, at = "", 0
    while at < len(text):
        character = text[at]
        if character == '"':
            found = _STRING.match(text, at)
        elif character == "/":
            kind = _slash(code)
            if kind == "unknown":
                return None
            found = (
                _PATTERN.match(text, at) if kind == "pattern" else re.compile("/").match(text, at)
            )
            code += "/" if kind == "division" else ""
        elif character == "#":
            found = re.compile(r"#[^\n]*").match(text, at)
        else:
            code += character
            at += 1
            continue
        if found is None:
            return None
        code += "" if found.group() == "/" else "0"
        at = found.end()
    return code


def _slash(code: str) -> str:
    before = code.rstrip(" \t")
    # `i++ / 2` divides, `x ++/a/` may not.
    if before.endswith((")", "++", "--")):
        return "unknown"
    if not before or before[-1] in _BEFORE_PATTERN:
        return "pattern"
    word = _LAST_WORD.search(before)
    return "pattern" if word and word[1] in _WORDS_BEFORE_PATTERN else "division"


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
