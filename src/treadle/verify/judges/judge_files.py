"""Recognises judge files: tests, their data, and what runs and counts them. Pure."""

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from functools import cache, lru_cache

from treadle.domain.check import FileChange, FileChangeKind
from treadle.domain.events.verification import EvidenceFileKind, TouchedFile
from treadle.verify.judges.judge_rules import RULES, JudgeRule

_MATCHES_NOTHING = r"(?!)"
# A file or directory with one of these words in its name judges, if a command names it.
_JUDGE_WORDS = frozenset(
    {
        *("check", "checks", "checker", "verify", "verifier", "verification", "test", "tests"),
        *("expect", "expected", "expectations", "golden", "goldens", "selftest", "assertions"),
        *("acceptance", "smoke", "ci", "grade", "grader"),
    }
)
_NO_LETTER = re.compile(r"[^a-z]+")
_CHANGE_ORDER: tuple[FileChangeKind, ...] = ("removed", "changed", "added")
_KIND_ORDER: tuple[EvidenceFileKind, ...] = (
    "check",
    "specification",
    "coverage",
    "runner",
    "ci",
    "lint",
    "tests",
)


# A plan asks for every file of the base, several times.
@lru_cache(maxsize=100_000)
def judge_kind(path: str) -> EvidenceFileKind | None:
    """The kind of a judge file; None for any other file."""
    return next((rule.kind for rule in RULES if _matches_rule(rule, path)), None)


def is_run_by_ci(path: str) -> bool:
    """Whether CI may run a file at this path, whatever else its name says; also one in place of
    the folder in which CI looks."""
    ci = [rule for rule in RULES if rule.kind == "ci"]
    return any(_matches_rule(rule, path) or _is_at(rule.directories, path.lower()) for rule in ci)


def has_judge_name(path: str) -> bool:
    """Whether a file that a command names is a judge by the words of its path, not the product."""
    return not _JUDGE_WORDS.isdisjoint(_NO_LETTER.split(path.lower()))


def is_in_judge_folder(path: str) -> bool:
    """Whether a file lies in a folder of tests or their data."""
    folder = path.lower().rpartition("/")[0]
    return any(_is_below(rule.directories, folder) for rule in RULES)


def no_command_file(path: str) -> EvidenceFileKind | None:
    """The default: no command names a file."""
    return None


def find_touched_evidence(
    changes: Iterable[FileChange],
    *,
    specification: str = "",
    named: Callable[[str], EvidenceFileKind | None] = no_command_file,
) -> tuple[TouchedFile, ...]:
    """The changed judge files, most important first.

    Files that a command uses come first, then removed and changed files before new ones, then
    settings before tests. `specification` is the path of the specification that the run works on;
    `named` returns the kind of a file that a check or test command uses.
    """
    ranks: dict[TouchedFile, int] = {}
    for change in changes:
        spec_kind: EvidenceFileKind | None = (
            "specification" if change.path == specification else None
        )
        command_kind = None if spec_kind else named(change.path)
        if kind := spec_kind or command_kind or judge_kind(change.path):
            file = TouchedFile(change.path, kind, change.how)
            ranks[file] = 0 if command_kind and change.how != "added" else 1
    return tuple(sorted(ranks, key=lambda file: (ranks[file], *_sort_key(file))))


def _sort_key(file: TouchedFile) -> tuple[int, int, str]:
    return _CHANGE_ORDER.index(file.change), _KIND_ORDER.index(file.judge), file.path


def _matches_rule(rule: JudgeRule, path: str) -> bool:
    lower = path.lower()
    folder, _, name = lower.rpartition("/")
    if _compile_globs(rule.names).match(name) or path.rpartition("/")[2] in rule.exact_names:
        return not _compile_globs(rule.exceptions).match(name)
    if _compile_globs(rule.paths).match(lower):
        return True
    return _is_below(rule.directories, folder)


@cache
def _compile_globs(globs: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all globs: compiling each of them takes longer than matching."""
    return re.compile("|".join(map(translate, globs)) or _MATCHES_NOTHING)


# Many files lie in one folder.
@lru_cache(maxsize=20_000)
def _is_below(judging: tuple[str, ...], folder: str) -> bool:
    parents = folder.split("/") if folder else []
    anywhere, at_top = _split_directories(judging)
    if any(map(_compile_globs(anywhere).match, parents)):
        return True
    return any(parents[: len(parts)] == parts for parts in at_top)


def _is_at(judging: tuple[str, ...], path: str) -> bool:
    """Whether the path is one of the directories, or above one."""
    return any(f"{each.removeprefix('/')}/".startswith(f"{path}/") for each in judging)


@cache
def _split_directories(directories: tuple[str, ...]) -> tuple[tuple[str, ...], list[list[str]]]:
    """Directories that match anywhere, and the parts of those that match at the top."""
    anywhere = tuple(name for name in directories if "/" not in name)
    at_top = [name.removeprefix("/").split("/") for name in directories if "/" in name]
    return anywhere, at_top
