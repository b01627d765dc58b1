"""What an awk text would do besides printing: run programs, name files, read variables. Pure."""

import re

from treadle.policy.commands.language import names

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
    """Why the text is refused. What cannot be told apart surely counts as the worse."""
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
