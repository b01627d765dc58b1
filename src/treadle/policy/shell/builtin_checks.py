"""Checks tests and assigning builtins, which could run code hidden in a subscript. Pure."""

import re

from treadle.policy.shell.refusals import LineRefused
from treadle.policy.shell.syntax import Word

# `-v` and `-R` evaluate a subscript, and with it any substitution in it.
_EVALUATING = frozenset(("-v", "-R"))
_COMPUTING = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_BINARY = _COMPUTING | {"=", "==", "!=", "<", ">", "-nt", "-ot", "-ef", "-a", "-o"}
_UNARY = frozenset(f"-{letter}" for letter in "abcdefghknoprstuwxzGLNOS")
# These are always numbers.
_NUMBERS = frozenset("?#$!")
_STATUS = re.compile(r"\$\{PIPESTATUS\[[0-9]{1,3}\]\}")
# These take names of variables, and a name may have a subscript.
_NAMING = frozenset(
    {"[", "[[", "test", "printf", "read", "unset", "export", "wait", "getopts", "let", "mapfile"}
    | {"readarray", "local", "declare", "typeset", "readonly"}
)
_TAKEN_WIDTH = re.compile(r"%[^a-zA-Z%]*\*")
_LARGE = re.compile(r"\d{5,}|0[xX]")
_SUBSCRIPT = re.compile(r"\w\[")


def check_call(words: tuple[Word, ...]) -> None:
    """Check a simple command that is one of these builtins."""
    name = words[0].text
    if name not in _NAMING:
        return
    # Of `printf`, only the variable that it stores in is a name.
    if name != "printf" or any(word.text.startswith("-v") for word in words):
        for word in words:
            check_value(word)
    if name == "printf" and _is_wide(words):
        raise LineRefused("printf-width")
    if name in {"[", "test"}:
        _check_test(words[1:])


def _is_wide(words: tuple[Word, ...]) -> bool:
    """Whether a `*` takes the width of a field from a word that may be a large number."""
    if not any(_TAKEN_WIDTH.search(word.text) for word in words):
        return False
    return any(not word.plain or _LARGE.search(word.text) for word in words)


def check_value(word: Word) -> None:
    """Refuse text that bash would partly execute as the name of a variable."""
    # Not one search for both: it would look for the end from each of many beginnings.
    last_command = max(word.text.rfind("$("), word.text.rfind("`"))
    if last_command > 0 and _SUBSCRIPT.search(word.text, 0, last_command):
        raise LineRefused("subscript")


def _check_test(words: tuple[Word, ...]) -> None:
    """The words of `[` or `test` after the name."""
    for position, word in enumerate(words):
        if word.text in _EVALUATING:
            raise LineRefused("test-of-variable")
        if word.plain:
            continue
        if word.expands and not _counts(word):
            raise LineRefused("test-not-quoted")
        before = words[position - 1].text if position else ""
        after = words[position + 1].text if position + 1 < len(words) else "]"
        if before not in _BINARY | _UNARY and after not in _BINARY | {"]"}:
            raise LineRefused("test-operator")


def check_operator(operator: str, operands: list[Word]) -> None:
    """One operator of `[[ ]]` with what it stands between."""
    if operator in _EVALUATING:
        raise LineRefused("test-of-variable")
    if operator in _COMPUTING and not all(_is_number(word) for word in operands):
        raise LineRefused("test-of-number")


def _is_number(word: Word) -> bool:
    if word.plain:
        return word.text.lstrip("-").isdecimal()
    return not word.substitutes and (
        word.text in {"$?", "$#", "$$", "$!"} or bool(_STATUS.fullmatch(word.text))
    )


def _counts(word: Word) -> bool:
    """Nothing but numbers, which need no quotes."""
    numbers = bool(word.variables) and _NUMBERS.issuperset(word.variables)
    return numbers or bool(_STATUS.fullmatch(word.text))
