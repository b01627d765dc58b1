"""Kinds of words in git commands: revisions, pathspecs, remotes, settings. Pure."""

import re
from collections.abc import Mapping

from treadle.policy.judging.name_kinds import (
    WordKind,
    make_pattern_kind,
    unknown_word_refusal,
)
from treadle.policy.judging.paths import path_refusal
from treadle.policy.judging.secret_files import holds_secrets, selects_secrets
from treadle.policy.judging.shell_context import CommandLocation
from treadle.policy.shell.syntax import Word

_STASH = re.compile(r"[A-Za-z0-9_][\w./-]*(?:@\{[\w .:-]+\})?")
_REMOTE = re.compile(r"[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*")
_MAGIC = re.compile(r"^:(?:\([^)]*\)|/)")
_LEFT_OUT = re.compile(r":[!^](?![:(])")
# Settings for one command that start no program: the author, and git's output.
_SETTING = re.compile(
    r"(?:user\.(?:name|email)|color\.[\w.-]+|advice\.\w+|init\.defaultbranch"
    r"|core\.(?:quotepath|autocrlf|eol|whitespace|abbrev)|log\.(?:date|decorate)"
    r"|diff\.(?:algorithm|renames|renamelimit|noprefix|context|colormoved)|merge\.conflictstyle"
    r"|pull\.(?:rebase|ff)|rebase\.(?:autostash|autosquash)|rerere\.enabled)=[^\n\0]*"
    r"|(?:commit|tag)\.gpgsign=false|core\.pager=(?:cat)?|(?:core|sequence)\.editor=(?:true|:)",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"[\w@*][\w.@^~{}/+:,=*-]*|-")


def _pathspec(word: Word, location: CommandLocation) -> str | None:
    """A path that git itself expands: patterns and magic reach more than they say."""
    if any(character in word.text for character in "*?[:"):
        return f"{word.text} is a pattern for git. Name each path"
    return path_refusal(word, "write", location)


def _revision(word: Word, location: CommandLocation) -> str | None:
    """A commit, a range, or a path to look at; `commit:path` is a file's contents."""
    text = word.text
    if word.variables or word.substitutes:
        start = text[:1] in "$`"
        return unknown_word_refusal(word) if start or _unknown_path(text) else None
    if _LEFT_OUT.match(text):
        return None
    # A date or a message before the path may hold colons, too.
    for path in (text[at + 1 :] for at, sign in enumerate(text) if sign == ":"):
        if holds_secrets(tuple(path.split("/"))):
            return f"{path} may hold secrets"
    if text.startswith(("/", "~")) or ".." in text.split("/"):
        return path_refusal(word, "look", location)
    if selects_secrets(_MAGIC.sub("", text)):
        return f"{text} may hold secrets"
    return None


def _unknown_path(text: str) -> bool:
    """Whether a word that is made at run time may name a secret file, or its contents."""
    _, colon, path = text.rpartition(":")
    parts = tuple(path.split("/"))
    if ".." in parts or holds_secrets(parts):
        return True
    return bool(colon) and any(sign in path for sign in "$`)}")


def _lines(word: Word, location: CommandLocation) -> str | None:
    """Some lines of a file, through its history: `1,5:path`, `:function:path`."""
    path = word.text.rpartition(":")[2]
    secret = holds_secrets(tuple(path.split("/")))
    return unknown_word_refusal(word) or (f"{path} may hold secrets" if secret else None)


def _staged(word: Word, location: CommandLocation) -> str | None:
    if word.text.startswith(":"):
        return f"{word.text} is a pattern for git. Name each path"
    if selects_secrets(word.text):
        return f"{word.text} may hold secrets"
    return path_refusal(word, "run", location)


def _settable(word: Word, location: CommandLocation) -> str | None:
    key = word.text.casefold()
    if re.search(r"credential|token|password|extraheader|url\.|^http|alias|helper|command", key):
        return f"the setting {word.text} may hold a secret or a command"
    if "." not in key:
        return f"{word.text} is not the name of a setting, as user.name"
    return None


def _setting(word: Word, location: CommandLocation) -> str | None:
    if _SETTING.fullmatch(word.text) and word.plain:
        return None
    return f"{word.text} is not one of the settings that start nothing, as user.name=ada"


def _remote(word: Word, location: CommandLocation) -> str | None:
    if word.variables or word.substitutes:
        return unknown_word_refusal(word)
    if not _REMOTE.fullmatch(word.text):
        return f"{word.text} is not the name of a remote. Name one that `git remote` lists"
    return None


def _branch(word: Word, location: CommandLocation) -> str | None:
    """A branch or a commit: its end may be made at run time, its beginning not."""
    known = re.split(r"[$`]", word.text)[0] if not word.plain else word.text
    if word.expands or not _REFERENCE.fullmatch(known) or "://" in known or "ext::" in known:
        return f"{word.text} is not the name of a branch or commit"
    return None


GIT_KINDS: Mapping[str, WordKind] = {
    "pathspec": _pathspec,
    "revision": _revision,
    "staged": _staged,
    "lines": _lines,
    "remote": _remote,
    "branch": _branch,
    "gitkey": _settable,
    "git-setting": _setting,
    "stash": make_pattern_kind(_STASH, "the name of a stash, as stash@{0}"),
}
