"""Words that are names: of packages, modules, tasks, settings; never a place elsewhere. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from treadle.policy.judging.paths import refusal
from treadle.policy.judging.place import Place
from treadle.policy.shell.syntax import Word

Kind: TypeAlias = Callable[[Word, Place], str | None]

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


def known(word: Word) -> str | None:
    if word.plain:
        return None
    return f"what {word.text} becomes is known only at run time. Write it out"


def matching(pattern: re.Pattern[str], what: str) -> Kind:
    def check(word: Word, place: Place) -> str | None:
        if not pattern.fullmatch(word.text) or word.variables or word.substitutes:
            return f"{word.text} is not {what}"
        return None

    return check


def _package(pattern: re.Pattern[str], *more: re.Pattern[str]) -> Kind:
    def check(word: Word, place: Place) -> str | None:
        text = word.text
        if text.startswith(("./", ".[")) or text == "." or text.startswith("file:./"):
            local = re.sub(r"\[[^\]]*\]$", "", text).removeprefix("file:")
            globs = word.expands and bool(re.search(r"[*?\[~]", local))
            return refusal(replace(word, text=local, expands=globs), "run", place)
        if word.variables or word.substitutes:
            return known(word)
        if not any(each.fullmatch(text) for each in (pattern, *more)):
            return f"{text} is not the name of a package in the registry"
        return None

    return check


def _script_name(word: Word, place: Place) -> str | None:
    if word.text == "env":
        return "env is built in, and prints all variables"
    if word.text.endswith(".sh"):
        return f"{word.text} is a script of the shell"
    return None if NAME.fullmatch(word.text) and word.plain else f"{word.text} is not a script name"


NAME_KINDS: Mapping[str, Kind] = {
    "number": matching(_NUMBER, "a number"),
    "name": matching(NAME, "a plain name"),
    "word": matching(_WORD, "a plain word"),
    "script": _script_name,
    "module": matching(NAME, "the name of a module"),
    # What a backup's name ends in: tools take more for a place to put it.
    "suffix": matching(_SUFFIX, "a plain ending, as .bak"),
    "python-mode": matching(_PYTHON_MODE, "a mode of python, as dev"),
    "template": matching(_TEMPLATE, "the name of a template that comes with the tool"),
    "interpreter": matching(_INTERPRETER, "a version of python, as 3.12"),
    "goflags": matching(_GO_FLAGS, "a plain value"),
    "phpini": matching(_PHP_SETTING, "a harmless setting"),
    "plugin": matching(_PLUGIN, "the name of an installed package"),
    "pytest-plugin": matching(_PYTEST_PLUGIN, "a plugin that is known"),
    "preload": matching(_PRELOAD, "the name of an installed package"),
    "local-url": matching(LOCAL_URL, "an address on this machine"),
    "debug": matching(_DEBUG, "a port on this machine"),
    "npm": _package(_NPM, _NPM_ALIAS),
    "pip": _package(_PIP),
    "poetry": _package(_PIP, _PIP_AT),
    "crate": _package(_NPM),
    "composer": _package(_COMPOSER),
    "gem": matching(_GEM, "the name of a gem"),
    "gem-version": matching(_GEM_VERSION, "a version"),
}
