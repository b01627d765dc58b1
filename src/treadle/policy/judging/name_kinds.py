"""Kinds of words that are names: packages, modules, tasks, settings. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.shell.syntax import Word

WordKind: TypeAlias = Callable[[Word, CommandLocation], str | None]

NAME = re.compile(r"(?!.*(?://|\.\./))[A-Za-z0-9_@][\w.@:/+-]*")
_SUFFIX = re.compile(r"[\w.~-]*")

# Packages of a registry with a version, which never begins with a dot: that would be a folder.
_RANGE = r"[\w^~<>=*+ |-][\w.^~<>=*+ |-]*"
_NPM_NAME = r"(?:@\w[\w.-]*/)?\w[\w.-]*"
_NPM = re.compile(rf"{_NPM_NAME}(?:@{_RANGE})?")
_NPM_ALIAS = re.compile(rf"{_NPM_NAME}@npm:{_NPM_NAME}(?:@[\w^~*-][\w.^~*-]*)?")
_PIP_NAME = r"[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?"
_PIP = re.compile(rf"{_PIP_NAME}\s*(?:(?:[=<>!~]=?=?)\s*[\w.*+!,<>=~ -]+)?(?:;[\w .'\"<>=!()]+)?")
# As poetry and pdm write it. What follows a name and `@` elsewhere is an address.
_PIP_AT = re.compile(rf"{_PIP_NAME}@(?:latest|\*|[\^~<>=!]{{0,2}}\s*\d[\w.*+!,<>=~^ |-]*)")
_COMPOSER = re.compile(
    r"\w[\w.-]*/\w[\w.-]*(?:[:= ][\w.^~*@|<>=, -]+)?|php|ext-\w+|[\w.^~*@|<>=-]+"
)
_MODULE = re.compile(r"(?!.*(?:\.\./|://))[A-Za-z0-9][\w./~-]*(?:@[\w.+-]+)?")
_GEM = re.compile(r"(?!.*\.gem$)[\w.-]+(?::[\w.-]+)?")


def unknown_word_refusal(word: Word) -> str | None:
    if word.plain:
        return None
    return f"what {word.text} becomes is known only at run time. Write it out"


def make_pattern_kind(pattern: re.Pattern[str], what: str) -> WordKind:
    def check(word: Word, location: CommandLocation) -> str | None:
        if not pattern.fullmatch(word.text) or word.variables or word.substitutes:
            return f"{word.text} is not {what}"
        return None

    return check


def _package(pattern: re.Pattern[str], *more: re.Pattern[str]) -> WordKind:
    """A name of the registry with its version, or a path of the project that is written as one."""

    def check(word: Word, location: CommandLocation) -> str | None:
        text = word.text
        if text.startswith(("./", ".[")) or text == "." or text.startswith("file:./"):
            local = re.sub(r"\[[^\]]*\]$", "", text).removeprefix("file:")
            globs = word.expands and bool(re.search(r"[*?\[~]", local))
            return path_refusal(replace(word, text=local, expands=globs), "run", location)
        if word.variables or word.substitutes:
            return unknown_word_refusal(word)
        if not any(each.fullmatch(text) for each in (pattern, *more)):
            return f"{text} is not the name of a package in the registry"
        return None

    return check


NAME_KINDS: Mapping[str, WordKind] = {
    "name": make_pattern_kind(NAME, "a plain name"),
    # What a backup's name ends in: tools take more for a place to put it.
    "suffix": make_pattern_kind(_SUFFIX, "a plain ending, as .bak"),
    "npm": _package(_NPM, _NPM_ALIAS),
    "pip": _package(_PIP),
    "poetry": _package(_PIP, _PIP_AT),
    "crate": _package(_NPM),
    "composer": _package(_COMPOSER),
    "module": _package(_MODULE),
    "gem": make_pattern_kind(_GEM, "the name of a gem"),
}
