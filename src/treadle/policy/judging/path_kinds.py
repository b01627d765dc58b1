"""Kinds of words that are or may be paths: code, settings, folders, reports. Pure."""

import re
from collections.abc import Mapping
from dataclasses import replace

from treadle.policy.judging.inline_settings import are_settings, settings_refusal
from treadle.policy.judging.name_kinds import (
    LOCAL_URL,
    WordKind,
    make_pattern_kind,
    unknown_word_refusal,
)
from treadle.policy.judging.paths import OUTSIDE, Access, path_refusal
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.judging.tool_patterns import expand_pattern, protected_pattern_refusal
from treadle.policy.shell.syntax import Word

# Most words: nothing in them stands for something else.
_PLAIN = re.compile(r"[\w./][\w./-]*")
_IMPORTED = re.compile(r"(?:^|=)(?:data|file|blob):")
_NAMED = re.compile(r"[\w.-]+=")
_KIND = re.compile(r"^[\w-]+:(?=[/~.])")
_LETTER = re.compile(r"^-[A-Za-z](?=[/~]|\.\.)")
# A place outside of every project: at the beginning, or further on in a list or as a key's value.
_PLACE = (
    r"\s*[\"']?(?:~/|\.\./|/(?:bin|dev|etc|home|lib|mnt|opt|private|proc|root|run|srv|sys|tmp|usr"
    r"|var|Users|Volumes|Library)/)"
)
_LISTED = re.compile(f"[:=,;]{_PLACE}")
_ELSEWHERE = re.compile(f"^{_PLACE}|{_LISTED.pattern}")
_PYTEST_SETTING = re.compile(r"addopts=|(?!addopts|pythonpath|.*plugin)\w+=[^/~]*")
_EXPANDED = re.compile(r"(?:^|[=:,])(?:~/|~$|\$\{?[A-Za-z_])|<rootDir>.*\.\.")
_SCRATCH = re.compile(
    r"(?!.*\.\.)(?:/tmp/[\w-]|\.(?:pytest|tmp|temp|cache|scratch|test)[\w-]*)[\w./-]*"
)
_TASK = re.compile(
    r"[A-Za-z0-9_][\w:.-]*(?:\[[\w, .-]*\])?|(?:TEST|SPEC|SEED|VERBOSE|FEATURE)=[^;&|$`()<>\n]*"
    r"|(?:RAILS|RACK)_ENV=(?:test|development)"
)
_PROFILE = re.compile(r"[^:]+")
_GO_TARGET = re.compile(r"[\w./~-]*(?:\.\.\.)?")


def _path(access: Access) -> WordKind:
    return lambda word, location: path_refusal(word, access, location)


def _near(word: Word, location: CommandLocation) -> str | None:
    """Whatever it is: taken as a path or an address, it does not lead out of the project."""
    if word.variables or word.substitutes:
        return unknown_word_refusal(word)
    if has_expansion(word.text):
        return OUTSIDE.format(path=word.text)
    if _PLAIN.fullmatch(word.text):
        return _check_tool_path(word, location)
    return _check_parts(word, location)


def has_expansion(text: str) -> bool:
    """Whether a tool may make another path of it: a home, a variable, or what is above its root."""
    return bool(_EXPANDED.search(text))


def _check_parts(word: Word, location: CommandLocation) -> str | None:
    if "://" in word.text:
        return None if LOCAL_URL.fullmatch(word.text) else f"{word.text} is an address elsewhere"
    if _IMPORTED.search(word.text):
        return f"{word.text} is code from elsewhere"
    if are_settings(word.text):
        return settings_refusal(word.text, location)
    text = _named_place(word.text)
    if not text:
        return None
    if any(character in text for character in "\n "):
        return _sentence(text, location)
    if text.startswith("~") or _LISTED.search(text):
        return OUTSIDE.format(path=text)
    return _check_tool_path(replace(word, text=text), location)


def _named_place(text: str) -> str:
    """What is left without names before it: `key=path`, `@path`, `kind:path`, `-fpath`."""
    while _NAMED.match(text):
        text = text.partition("=")[2]
    text = text.removeprefix("@") if text.startswith(("@/", "@.", "@~")) else text
    # `junit:/tmp/x`, as some options name a kind and a place.
    return _LETTER.sub("", _KIND.sub("", text))


def _sentence(text: str, location: CommandLocation) -> str | None:
    """Mostly the title of a test; a path with a blank in it is still a path."""
    if _ELSEWHERE.search(text) or ".." in text.split("/"):
        rooted = text.startswith("/")
        return path_refusal(Word(text), "run", location) if rooted else OUTSIDE.format(path=text)
    return None if text.startswith("/") else path_refusal(Word(text), "look", location)


def _check_tool_path(word: Word, location: CommandLocation) -> str | None:
    """Each path that a tool may make of the word, which it may change as well as read."""
    path = Word(word.text, word.expands, quoted=word.quoted)
    # Test runners and linters may receive protected paths; the sandbox keeps them from writing.
    unprotected = location
    if location.context.protected:
        unprotected = replace(location, context=replace(location.context, protected=()))
    reason = path_refusal(path, "run", location) or path_refusal(
        replace(path, expands=False), "write", unprotected
    )
    if reason is not None:
        return reason
    for text in expand_pattern(word.text):
        reason = (
            protected_pattern_refusal(text)
            or path_refusal(Word(text, expands=True), "run", location)
            or path_refusal(Word(text), "write", unprotected)
        )
        if reason is not None:
            return reason
    return None


def _report(word: Word, location: CommandLocation) -> str | None:
    """A kind of report, and where it goes: `xml:/tmp/x`."""
    kind, colon, path = word.text.partition(":")
    written = path_refusal(replace(word, text=path), "write", location) if colon else None
    return _near(replace(word, text=kind), location) or written


def _settings(word: Word, location: CommandLocation) -> str | None:
    """A file of settings or code; a dash would mean stdin, which is not checked."""
    if word.text == "-":
        return "what comes through the input is not taken as code or settings. Name a file"
    return path_refusal(word, "run", location)


def _inline(word: Word, location: CommandLocation) -> str | None:
    """Code on the line, of which at least the beginning is written there."""
    made = bool(word.variables or word.substitutes) and word.text.lstrip()[:1] in ("$", "`")
    return f"what {word.text} brings is code that nobody has seen. Write it out" if made else None


def _program_file(word: Word, location: CommandLocation) -> str | None:
    return None if word.text == "-" else _file_of_code(word, location)


def _file_of_code(word: Word, location: CommandLocation) -> str | None:
    # `https://…`, and `npm:…` or `data:…` as deno takes them.
    if re.match(r"[A-Za-z][\w+.-]*:", word.text):
        return f"{word.text} is code from elsewhere"
    return _settings(word, location)


def _folders(word: Word, location: CommandLocation) -> str | None:
    """A list of folders that code is taken from."""
    reasons = (
        _settings(replace(word, text=part or "."), location) for part in word.text.split(":")
    )
    return next((reason for reason in reasons if reason is not None), None)


def _folder(word: Word, location: CommandLocation) -> str | None:
    if word.text == "-" or not word.plain:
        return f"where {word.text} leads is known only at run time. Name the directory"
    scratch = f"{word.text}/".startswith("/tmp/")  # noqa: S108 - the sandbox's own
    return path_refusal(word, "read" if scratch else "enter", location)


def _target(word: Word, location: CommandLocation) -> str | None:
    """A package of Go: a path of this project, or the name of a package that is already there."""
    if not _GO_TARGET.fullmatch(word.text) or not word.plain:
        return f"{word.text} is not a package of this project"
    path = word.text.removesuffix("...").rstrip("/") or "."
    return _settings(replace(word, text=path), location)


def _both(first: WordKind, second: WordKind) -> WordKind:
    return lambda word, location: first(word, location) or second(word, location)


PATH_KINDS: Mapping[str, WordKind] = {
    "look": _path("look"),
    "read": _path("read"),
    "run": _settings,
    "folders": _folders,
    # A file; with a port it is an address.
    "profile": _both(make_pattern_kind(_PROFILE, "a file"), _path("read")),
    "write": _path("write"),
    "delete": _path("delete"),
    "chdir": _path("enter"),
    # The tool takes its settings from there; not all that it runs starts there.
    "may-chdir": _path("enter"),
    # The folder that an option names for what else would be the last operand.
    "into": _path("write"),
    "cd": _folder,
    "near": _near,
    "report": _report,
    "code": _file_of_code,
    "program": _program_file,
    "inline": _inline,
    "target": _target,
    "task": _both(make_pattern_kind(_TASK, "a task, or a value for one"), _near),
    "pytest-setting": _both(make_pattern_kind(_PYTEST_SETTING, "a plain setting"), _near),
    # What is there is removed first.
    "scratch": _both(
        make_pattern_kind(_SCRATCH, "a folder for scratch files, as /tmp/x"), _path("write")
    ),
}
