"""Kinds of words that rules speak of, and whether a word may be one of them. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from treadle.policy.judging.paths import refusal
from treadle.policy.judging.place import Place
from treadle.policy.judging.programs import PROGRAMS
from treadle.policy.judging.secrets import holds_secrets
from treadle.policy.shell.syntax import Word

Kind: TypeAlias = Callable[[Word, Place], str | None]

_NAMED = re.compile(r"[\w.-]+=")
_KIND = re.compile(r"^[\w-]+:(?=[/~.])")
_LETTER = re.compile(r"^-[A-Za-z](?=[/~]|\.\.)")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?[a-zA-Z%]{0,2}")
_NAME = re.compile(r"(?!.*(?://|\.\./))[A-Za-z0-9_@][\w.@:/+-]*")
_STASH = re.compile(r"[A-Za-z0-9_][\w./-]*(?:@\{[\w .:-]+\})?")
_WORD = re.compile(r"[\w-]+")
_GEM = re.compile(r"[\w.-]+(?::[\w.-]+)?")
_DEBUG = re.compile(r"(?:(?:localhost|127\.0\.0\.1|\[::1\]):)?\d+")
_PYTEST_SETTING = re.compile(r"addopts=|(?!addopts|pythonpath|.*plugin)\w+=[^/~]*")
_SCRATCH = re.compile(r"(?:/tmp/|\.)[\w-][\w./-]*")
_TASK = re.compile(
    r"[A-Za-z0-9_][\w:.-]*(?:\[[\w, .-]*\])?|(?:TEST|SPEC|SEED|VERBOSE|FEATURE)=.*"
    r"|(?:RAILS|RACK)_ENV=(?:test|development)"
)
_REMOTE = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*")
_LOCAL_URL = re.compile(
    r"(?:(?:https?|tcp|wss?)://)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?::\d+)?(?:[/?#].*)?"
)
_NPM = re.compile(r"(?:@[\w.-]+/)?[\w.-]+(?:@[\w.^~<>=*+ |-]+)?")
_PLUGIN = re.compile(r"@?[\w%{}$ -]+(?:[/,:=|][\w@%{}$ -]+)*")
_PYTEST_PLUGIN = re.compile(r"no:[\w.-]+|xdist|pytest_\w+|asyncio|randomly|timeout|cov")
_PRELOAD = re.compile(r"(?:@[\w.-]+/)?\w[\w.-]*(?:/[\w.-]+)*")
_NPM_ALIAS = re.compile(r"(?:@[\w.-]+/)?[\w.-]+@npm:(?:@[\w.-]+/)?[\w.-]+(?:@[\w.^~*-]+)?")
_PIP = re.compile(r"[A-Za-z0-9][\w.-]*(?:\[[\w,. -]*\])?\s*(?:(?:[=<>!~]=?=?)\s*[\w.*+!,<>=~ -]+)?")
_GO_TARGET = re.compile(r"[\w./~-]*(?:\.\.\.)?")
_COMPOSER = re.compile(r"\w[\w.-]*/[\w.-]+(?::[\w.^~*@|<>=, -]+)?|php|ext-\w+|[\w.^~*@|<>=-]+")
_GO_FLAGS = re.compile(r"(?!.*(?:extld|toolexec|/))[\w .=:,'\"+-]*")
_PHP_SETTING = re.compile(
    r"(?:memory_limit|xdebug\.\w+|display_errors|error_reporting|zend\.assertions|pcov\.enabled|max_execution_time|opcache\.\w+)(?:=[\w,-]*)?"
)


def _known(word: Word) -> str | None:
    if word.plain:
        return None
    return f"what {word.text} becomes is known only at run time. Write it out"


def _text(word: Word, place: Place) -> str | None:
    return None


def _path(access: str) -> Kind:
    return lambda word, place: refusal(word, access, place)  # type: ignore[arg-type]


def _matching(pattern: re.Pattern[str], what: str) -> Kind:
    def check(word: Word, place: Place) -> str | None:
        if not pattern.fullmatch(word.text) or word.variables or word.substitutes:
            return f"{word.text} is not {what}"
        return None

    return check


def _program(name: str) -> Kind:
    def check(word: Word, place: Place) -> str | None:
        return _known(replace(word, expands=False)) or PROGRAMS[name](word.text)

    return check


def _near(word: Word, place: Place) -> str | None:
    """Whatever it is: taken as a path or an address, it does not lead out of the project."""
    if word.variables or word.substitutes:
        return _known(word)
    if "://" in word.text:
        return None if _LOCAL_URL.fullmatch(word.text) else f"{word.text} is an address elsewhere"
    text = word.text.rpartition("=")[2] if _NAMED.match(word.text) else word.text
    text = text.removeprefix("@") if text.startswith(("@/", "@.", "@~")) else text
    # `junit:/tmp/x`, as some options name a kind and a place.
    text = _LETTER.sub("", _KIND.sub("", text))
    if not text or any(character in text for character in "\n "):
        return None
    if text.startswith("~"):
        return f"{text} is outside the project. Use paths inside it"
    there = Word(text, word.expands, quoted=word.quoted)
    whole = Word(text, quoted=word.quoted)
    # Test runners and linters are given what the settings keep; that they change nothing there is
    # for the sandbox to see to.
    given = place
    if place.context.protected:
        given = replace(place, context=replace(place.context, protected=()))
    return refusal(there, "run", place) or refusal(whole, "write", given)


def _report(word: Word, place: Place) -> str | None:
    """A kind of report, and where it goes: `xml:/tmp/x`."""
    kind, colon, path = word.text.partition(":")
    written = refusal(replace(word, text=path), "write", place) if colon else None
    return _near(replace(word, text=kind), place) or written


def _pathspec(word: Word, place: Place) -> str | None:
    """A path that git itself expands: patterns and magic reach more than they say."""
    if any(character in word.text for character in "*?[:"):
        return f"{word.text} is a pattern for git. Name each path"
    return refusal(word, "write", place)


def _revision(word: Word, place: Place) -> str | None:
    """A commit, a range, or a path to look at; `commit:path` is a file's contents."""
    text = word.text
    if word.variables or word.substitutes:
        start = text[:1] in "$`" and not word.objects
        return _known(word) if start or _unknown_path(text) else None
    _, colon, path = text.partition(":")
    if colon and holds_secrets(tuple(path.split("/"))):
        return f"{path} may hold secrets"
    if text.startswith(("/", "~")) or ".." in text.split("/"):
        return refusal(word, "look", place)
    return refusal(word, "read", place) if holds_secrets(tuple(text.split("/"))) else None


def _unknown_path(text: str) -> bool:
    """Whether a word that is made at run time may name a secret file, or its contents."""
    _, colon, path = text.rpartition(":")
    parts = tuple(path.split("/"))
    if ".." in parts or holds_secrets(parts):
        return True
    return bool(colon) and any(sign in path for sign in "$`)}")


def _lines(word: Word, place: Place) -> str | None:
    """Some lines of a file, through its history: `1,5:path`, `:function:path`."""
    path = word.text.rpartition(":")[2]
    return f"{path} may hold secrets" if holds_secrets(tuple(path.split("/"))) else None


def _staged(word: Word, place: Place) -> str | None:
    if word.text.startswith(":"):
        return f"{word.text} is a pattern for git. Name each path"
    return refusal(word, "run", place)


def _package(pattern: re.Pattern[str], *more: re.Pattern[str]) -> Kind:
    def check(word: Word, place: Place) -> str | None:
        text = word.text
        if text.startswith(("./", ".[")) or text == "." or text.startswith("file:./"):
            local = re.sub(r"\[[^\]]*\]$", "", text).removeprefix("file:")
            globs = word.expands and bool(re.search(r"[*?\[~]", local))
            return refusal(replace(word, text=local, expands=globs), "run", place)
        if word.variables or word.substitutes:
            return _known(word)
        if not any(each.fullmatch(text) for each in (pattern, *more)):
            return f"{text} is not the name of a package in the registry"
        return None

    return check


def _settable(word: Word, place: Place) -> str | None:
    key = word.text.casefold()
    if re.search(r"credential|token|password|extraheader|url\.|^http|alias|helper|command", key):
        return f"the setting {word.text} may hold a secret or a command"
    return None


def _settings(word: Word, place: Place) -> str | None:
    """A file of settings or code; a dash would be the input, which nobody has seen."""
    if word.text == "-":
        return "what comes through the input is not taken as code or settings. Name a file"
    return refusal(word, "run", place)


def _inline(word: Word, place: Place) -> str | None:
    """Code on the line, of which at least the beginning is written there."""
    made = bool(word.variables or word.substitutes) and word.text.lstrip()[:1] in ("$", "`")
    return f"what {word.text} brings is code that nobody has seen. Write it out" if made else None


def _program_file(word: Word, place: Place) -> str | None:
    return None if word.text == "-" else _file_of_code(word, place)


def _file_of_code(word: Word, place: Place) -> str | None:
    # `https://…`, and `npm:…` or `data:…` as deno takes them.
    if re.match(r"[a-z][a-z+.-]*:", word.text):
        return f"{word.text} is code from elsewhere"
    return _settings(word, place)


def _remote(word: Word, place: Place) -> str | None:
    if word.variables or word.substitutes:
        return _known(word)
    if not _REMOTE.fullmatch(word.text):
        return f"{word.text} is not the name of a remote. Name one that `git remote` lists"
    return None


def _script_name(word: Word, place: Place) -> str | None:
    if word.text == "env":
        return "env is built in, and prints all variables"
    return (
        None if _NAME.fullmatch(word.text) and word.plain else f"{word.text} is not a script name"
    )


def _folder(word: Word, place: Place) -> str | None:
    if word.text == "-" or not word.plain:
        return f"where {word.text} leads is known only at run time. Name the directory"
    scratch = f"{word.text}/".startswith("/tmp/")  # noqa: S108 - the sandbox's own
    return refusal(word, "read" if scratch else "enter", place)


def _branch(word: Word, place: Place) -> str | None:
    """A new name: its end may be made at run time, its beginning not."""
    start = re.match(r"[^$`]*", word.text)
    known = word.text if word.plain or start is None else start[0]
    if not _NAME.fullmatch(known) or (word.expands and not word.plain):
        return f"{word.text} is not a plain name"
    return None


def _target(word: Word, place: Place) -> str | None:
    """A package of Go: a path of this project, or the name of a package that is already there."""
    if not _GO_TARGET.fullmatch(word.text) or not word.plain:
        return f"{word.text} is not a package of this project"
    path = word.text.removesuffix("...").rstrip("/") or "."
    return _settings(replace(word, text=path), place)


def _both(first: Kind, second: Kind) -> Kind:
    return lambda word, place: first(word, place) or second(word, place)


KINDS: Mapping[str, Kind] = {
    "text": _text,
    "free": _text,
    "number": _matching(_NUMBER, "a number"),
    "look": _path("look"),
    "read": _path("read"),
    "run": _settings,
    "write": _path("write"),
    "delete": _path("delete"),
    "chdir": _path("enter"),
    "cd": _folder,
    "branch": _branch,
    "near": _near,
    "report": _report,
    "code": _file_of_code,
    "program": _program_file,
    "inline": _inline,
    "module": _matching(_NAME, "the name of a module"),
    "goflags": _matching(_GO_FLAGS, "a plain value"),
    "phpini": _matching(_PHP_SETTING, "a harmless setting"),
    "composer": _package(_COMPOSER),
    "sed": _program("sed"),
    "awk": _program("awk"),
    "jq": _program("jq"),
    "pathspec": _pathspec,
    "revision": _revision,
    "staged": _staged,
    "lines": _both(lambda word, place: _known(word), _lines),
    "remote": _remote,
    "gitkey": _settable,
    "npm": _package(_NPM, _NPM_ALIAS),
    "plugin": _matching(_PLUGIN, "the name of an installed package"),
    "pytest-plugin": _matching(_PYTEST_PLUGIN, "a plugin that is known"),
    "preload": _matching(_PRELOAD, "the name of an installed package"),
    "pip": _package(_PIP),
    "crate": _package(_NPM),
    "target": _target,
    "script": _script_name,
    "local-url": _matching(_LOCAL_URL, "an address on this machine"),
    "stash": _matching(_STASH, "the name of a stash, as stash@{0}"),
    "name": _matching(_NAME, "a plain name"),
    "word": _matching(_WORD, "a plain word"),
    "gem": _matching(_GEM, "the name of a gem"),
    "debug": _matching(_DEBUG, "a port on this machine"),
    "task": _both(_matching(_TASK, "a task, or a value for one"), _near),
    "pytest-setting": _both(_matching(_PYTEST_SETTING, "a plain setting"), _near),
    # What is there is removed first.
    "scratch": _both(_matching(_SCRATCH, "a folder for scratch files, as /tmp/x"), _path("write")),
}
