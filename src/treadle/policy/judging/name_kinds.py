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
LOCAL_URL = re.compile(
    r"(?:(?:https?|tcp|wss?)://)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::\d+)?(?:[/?#].*)?"
)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?[a-zA-Z%]{0,2}")
_WORD = re.compile(r"[\w-]+")
_DEBUG = re.compile(r"(?:(?:localhost|127\.0\.0\.1|\[::1\]):)?\d+")
_INTERPRETER = re.compile(r"(?:(?:c?python|pypy)@?)?(?:\d[\d.]*t?)?(?<=.)")
_PYTHON_MODE = re.compile(r"(?!pycache)[a-z_]\w*(?:=\w*)?")
_TEMPLATE = re.compile(r"[\w.-]+(?:@[\w.-]+)?")
_SUFFIX = re.compile(r"[\w.~-]*")
_PLUGIN = re.compile(r"@?[\w%{}$ -]+(?:[/,:=|][\w@%{}$ -]+)*")
_PYTEST_PLUGIN = re.compile(r"no:[\w.-]+|xdist|pytest_\w+|asyncio|randomly|timeout|cov")
# No file beside the settings, which some tools take in place of a package, and no way out.
_PRELOAD = re.compile(
    r"(?!.*/\.\.)(?![^/]*\.(?:[cm]?[jt]sx?|rb)$)(?:@[\w.-]+/)?\w[\w.-]*(?:/[\w.-]+)*"
)
_GO_FLAGS = re.compile(r"(?!.*(?:extld|toolexec|profile|/))[\w .=:,'\"+-]*")
_PHP_SETTING = re.compile(
    r"(?:memory_limit|xdebug\.\w+|display_errors|error_reporting|zend\.assertions|pcov\.enabled|max_execution_time|opcache\.\w+)(?:=[\w,-]*)?"
)

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
_GEM = re.compile(r"(?!.*\.gem$)[\w.-]+(?::[\w.-]+)?")
_GEM_VERSION = re.compile(r"[\w.~<>=!, -]+")


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


def _script_name(word: Word, location: CommandLocation) -> str | None:
    if word.text == "env":
        return "env is built in, and prints all variables"
    if word.text.endswith(".sh"):
        return f"{word.text} is a script of the shell"
    return None if NAME.fullmatch(word.text) and word.plain else f"{word.text} is not a script name"


NAME_KINDS: Mapping[str, WordKind] = {
    "number": make_pattern_kind(_NUMBER, "a number"),
    "name": make_pattern_kind(NAME, "a plain name"),
    "word": make_pattern_kind(_WORD, "a plain word"),
    "script": _script_name,
    "module": make_pattern_kind(NAME, "the name of a module"),
    # What a backup's name ends in: tools take more for a place to put it.
    "suffix": make_pattern_kind(_SUFFIX, "a plain ending, as .bak"),
    "python-mode": make_pattern_kind(_PYTHON_MODE, "a mode of python, as dev"),
    "template": make_pattern_kind(_TEMPLATE, "the name of a template that comes with the tool"),
    "interpreter": make_pattern_kind(_INTERPRETER, "a version of python, as 3.12"),
    "goflags": make_pattern_kind(_GO_FLAGS, "a plain value"),
    "phpini": make_pattern_kind(_PHP_SETTING, "a harmless setting"),
    "plugin": make_pattern_kind(_PLUGIN, "the name of an installed package"),
    "pytest-plugin": make_pattern_kind(_PYTEST_PLUGIN, "a plugin that is known"),
    "preload": make_pattern_kind(_PRELOAD, "the name of an installed package"),
    "local-url": make_pattern_kind(LOCAL_URL, "an address on this machine"),
    "debug": make_pattern_kind(_DEBUG, "a port on this machine"),
    "npm": _package(_NPM, _NPM_ALIAS),
    "pip": _package(_PIP),
    "poetry": _package(_PIP, _PIP_AT),
    "crate": _package(_NPM),
    "composer": _package(_COMPOSER),
    "gem": make_pattern_kind(_GEM, "the name of a gem"),
    "gem-version": make_pattern_kind(_GEM_VERSION, "a version"),
}
