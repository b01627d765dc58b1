"""Decides what becomes of a file that tools obey by themselves: left out, asked about, or named."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from pathlib import PurePosixPath

from treadle.domain.check import FileChange
from treadle.domain.events.work import ToolFile, ToolFileEffect
from treadle.policy.protected_paths import covers, normalize, protected_part
from treadle.policy.started_files import StartedFiles
from treadle.policy.tool_file_rules import TOOL_FILE_RULES, ToolFileRule

LEAVES_PROJECT = "it is a symbolic link that points outside the project"
REPLACES_FOLDER = "it is a link in place of a folder that git ignores"
REPLACES_TOOL_FOLDER = "it is a link in place of a folder that tools obey"
IN_REPOSITORY = "git takes its folder for a repository and runs what its config names"
_BY_SETTING = "your settings name it"
_GIT_FOLDER = ".git"
# What nobody needs to start comes first: files that something starts by itself are 0.
_DANGER: dict[ToolFileEffect, int] = {"withheld": 0, "ask": 1, "named": 2}


@dataclass(frozen=True, slots=True)
class ToolFileMatch:
    """What becomes of a file, and what it can do."""

    effect: ToolFileEffect
    why: str


@dataclass(frozen=True, slots=True)
class ToolFileSettings:
    """Paths and patterns, as `covers` reads them, for which the user has decided otherwise."""

    withhold: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    name: tuple[str, ...] = ()

    def _lists(self) -> Iterator[tuple[ToolFileEffect, tuple[str, ...]]]:
        """The strictest first."""
        yield "withheld", self.withhold
        yield "ask", self.ask
        yield "named", self.name

    def match(self, path: str) -> ToolFileMatch | None:
        """What becomes of a changed file; None if no tool is known to obey it."""
        inside = PurePosixPath(path)
        rule = _find_rule("/".join(normalize(part) for part in inside.parts))
        for effect, patterns in self._lists():
            if any(covers(pattern, inside) for pattern in patterns):
                return ToolFileMatch(effect, rule.why if rule else _BY_SETTING)
        return ToolFileMatch(rule.effect, rule.why) if rule else None

    def withholds(self, path: str) -> bool:
        found = self.match(path)
        return found is not None and found.effect == "withheld"

    def lets_through(self, path: str) -> bool:
        """Whether the user wants a path in the work that is left out by default."""
        inside = PurePosixPath(path)
        return any(covers(pattern, inside) for pattern in (*self.ask, *self.name))


@dataclass(frozen=True, slots=True)
class ChangeFacts:
    """What is known about the changes of some work and about the project that they are for."""

    links: Mapping[str, str] = field(default_factory=dict)  # the targets of changed links
    is_ignored_folder: Callable[[str], bool] = lambda _: False
    repositories: Collection[str] = ()  # folders that git takes for a repository
    started: StartedFiles = field(default_factory=StartedFiles)
    # Changed ignore files, with what git would no longer ignore.
    uncovering: Mapping[str, str] = field(default_factory=dict)


def find_tool_files(
    changes: Sequence[FileChange], settings: ToolFileSettings, facts: ChangeFacts
) -> tuple[ToolFile, ...]:
    """The changed files that tools obey by themselves, those to ask about first, and of them those
    first that nobody needs to start.

    What should have been withheld and was imported all the same, by an earlier version, is asked
    about.
    """
    found: list[tuple[int, ToolFile]] = []
    for change in changes:
        match = settings.match(change.path)
        by_facts = None
        if not settings.lets_through(change.path):
            by_facts = _match_by_facts(change, settings, facts)
        if by_facts is not None and (match is None or match.effect == "named"):
            match = by_facts
        if match is not None:
            effect: ToolFileEffect = "named" if match.effect == "named" else "ask"
            danger = _DANGER[match.effect] if match is not by_facts else 0
            found.append((danger, ToolFile(change.path, change.how, effect, match.why)))
    return tuple(file for _, file in sorted(found, key=lambda each: (each[0], each[1].path)))


def _match_by_facts(
    change: FileChange, settings: ToolFileSettings, facts: ChangeFacts
) -> ToolFileMatch | None:
    """What the project around a file says about it, whatever its name is."""
    path = change.path
    if str(PurePosixPath(path).parent) in facts.repositories:
        return ToolFileMatch("ask", IN_REPOSITORY)
    if path in facts.links:
        why = _why_ask_about_link(path, facts.links[path], facts.is_ignored_folder)
        if why:
            return ToolFileMatch("ask", why)
    if why := facts.uncovering.get(path) or facts.started.why(change):
        return ToolFileMatch("ask", why)
    for other in facts.started.other_paths(path):
        if protected_part(PurePosixPath(other)) is not None:
            return ToolFileMatch("ask", f"your link {other} leads to it")
        rule = settings.match(other)
        if rule is not None:
            return ToolFileMatch(rule.effect, f"your link {other} leads to it: {rule.why}")
    return None


def _why_ask_about_link(path: str, target: str, is_ignored_folder: Callable[[str], bool]) -> str:
    """Empty: the link is none to ask about."""
    if leaves_project(path, target):
        return LEAVES_PROJECT
    if is_ignored_folder(path):
        return REPLACES_FOLDER
    is_tool_folder = _tool_folders().fullmatch("/".join(map(normalize, path.split("/"))))
    return REPLACES_TOOL_FOLDER if is_tool_folder else ""


def leaves_project(path: str, target: str) -> bool:
    """Whether a link may lead out of the project, or to git's own files.

    A name before `..` may be a link itself, and then nobody knows where that leads.
    """
    if target.startswith(("/", "~")) or "\\" in target:
        return True
    parts = [part for part in target.split("/") if part not in ("", ".")]
    ups = len(list(takewhile(lambda part: part == "..", parts)))
    folders = PurePosixPath(path).parent.parts
    if ups > len(folders) or ".." in parts[ups:]:
        return True
    return any(normalize(part) == _GIT_FOLDER for part in (*folders, *parts[ups:]))


def _find_rule(path: str) -> ToolFileRule | None:
    """The strictest rule for a normalized path."""
    if not _any_rule().fullmatch(path):
        return None
    return next(rule for rule in TOOL_FILE_RULES if _regex(rule.names).fullmatch(path))


@cache
def _any_rule() -> re.Pattern[str]:
    return _regex(tuple(name for rule in TOOL_FILE_RULES for name in rule.names))


@cache
def _tool_folders() -> re.Pattern[str]:
    """Matches folders whose files have a rule by their name and this folder's: through a link,
    such a file has another path in the work."""
    names = (name.split("/")[:-1] for rule in TOOL_FILE_RULES for name in rule.names)
    folders = {"/".join(parts[: end + 1]) for parts in names for end in range(len(parts))}
    return _regex(tuple(sorted(folders)))


@cache
def _regex(names: Sequence[str]) -> re.Pattern[str]:
    """Matches paths that one of these names, or names with parents, is a part of."""
    globs = "|".join(re.escape(name).replace(r"\*", "[^/]*") for name in names)
    return re.compile(rf"(?:.*/)?(?:{globs})(?:/.*)?", re.DOTALL)
