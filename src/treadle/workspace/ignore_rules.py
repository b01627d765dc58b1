"""Which paths git's ignore rules cover, by the rules of one commit and of the user. Pure.

Git itself reads these rules from a checkout. Here they come from the commit that a run started
from, so that no later change of a `.gitignore` counts.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile

from treadle.workspace.disk_tree import is_private

_ANY_DEPTH = "**"
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": r" \t", "digit": "0-9", "lower": "a-z",
    "punct": r"!-.:-@\[-`{-~", "space": r"\s", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip
_SET = re.compile(r"\[(?P<not>[!^]?)(?P<members>\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]", re.DOTALL)
_RANGE = re.compile(r"(?P<from>\\.|[^\\])-(?P<to>\\.|[^\\])", re.DOTALL)
_NAMED_CLASS = re.compile(r"\[:(\w+):\]")


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """One line of an ignore file."""

    regex: re.Pattern[str]
    # How many of a path's last parts it is compared with; 0: the whole path. A search for the
    # place where it begins would take long in a deep path.
    parts: int = 0
    negated: bool = False
    only_folders: bool = False


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of one file, and all with as many parts in one: most paths match none."""

    patterns: tuple[IgnorePattern, ...] = ()
    together: tuple[IgnorePattern, ...] = ()

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches ignores the path; None if none matches."""
        if not any(each.regex.fullmatch(_last_parts(path, each.parts)) for each in self.together):
            return None
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.only_folders) and pattern.regex.fullmatch(
                _last_parts(path, pattern.parts)
            ):
                return not pattern.negated
        return None


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns of each `.gitignore` by its folder, those of no folder, and the tracked files.

    Of the patterns that match, the last one counts; a deeper folder goes before a higher one.
    """

    by_folder: Mapping[str, IgnoreFile] = field(default_factory=dict)
    everywhere: IgnoreFile = field(default_factory=IgnoreFile)
    tracked: frozenset[str] = frozenset()

    def covers_new(self, path: str) -> bool:
        """Whether git would not have added this path, and the commit does not have it."""
        return path not in self.tracked and (is_private(path) or self.covers(path))

    def covers(self, path: str) -> bool:
        """Whether a file of this path, or a folder that it is in, is ignored."""
        files = [(self.everywhere, 0)]
        start = 0
        for end in (*_slashes(path), len(path)):
            if (file := self.by_folder.get(path[:start])) is not None:
                files.append((file, start))
            if _is_ignored(path[:end], files, is_folder=end < len(path)):
                return True
            start = end + 1
        return False

    def covers_folder(self, path: str) -> bool:
        """Whether a folder of this path would be ignored."""
        starts = (0, *(end + 1 for end in _slashes(path)))
        found = ((self.by_folder.get(path[:start]), start) for start in starts)
        theirs = [(file, start) for file, start in found if file is not None]
        return _is_ignored(path, [(self.everywhere, 0), *theirs], is_folder=True)


def _slashes(path: str) -> Iterator[int]:
    return (at for at, sign in enumerate(path) if sign == "/")


def _is_ignored(path: str, files: Sequence[tuple[IgnoreFile, int]], *, is_folder: bool) -> bool:
    """`files` are those that apply, with the length of their folders, the strongest last."""
    for file, length in reversed(files):
        verdict = file.verdict(path[length:], is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def _last_parts(path: str, count: int) -> str:
    if count == 0:
        return path
    start = len(path)
    for _ in range(count):
        start = path.rfind("/", 0, start)
        if start < 0:
            return path
    return path[start + 1 :]


def parse_ignore_file(text: str, *, fold_case: bool = False) -> IgnoreFile:
    """The patterns of an ignore file; `fold_case` for a disk on which case does not count."""
    flags = (re.IGNORECASE if fold_case else re.NOFLAG) | re.DOTALL
    patterns = tuple(_parse_lines(text.removeprefix("\ufeff").split("\n"), flags))
    by_parts: defaultdict[int, list[str]] = defaultdict(list)
    for each in patterns:
        by_parts[each.parts].append(f"(?:{each.regex.pattern})")
    together = (
        IgnorePattern(re.compile("|".join(regexes), flags), parts)
        for parts, regexes in by_parts.items()
    )
    return IgnoreFile(patterns, tuple(together))


def _parse_lines(lines: Iterable[str], flags: re.RegexFlag) -> Iterator[IgnorePattern]:
    for line in lines:
        pattern = _without_blanks(line.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        negated = pattern.startswith("!")
        pattern = pattern[negated:]
        only_folders = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        parts = _compared_parts(pattern)
        if pattern and (regex := _compile(pattern, flags)) is not None:
            yield IgnorePattern(regex, parts, negated, only_folders)


def _split(pattern: str) -> list[str]:
    anchored = pattern.removeprefix("/").split("/")
    return anchored if "/" in pattern else [_ANY_DEPTH, pattern]


def _compared_parts(pattern: str) -> int:
    """Patterns that may begin at any depth have a fixed number of parts then, or several depths."""
    parts = _split(pattern)
    fixed = list(dropwhile(lambda part: part == _ANY_DEPTH, parts))
    return 0 if len(fixed) == len(parts) or _ANY_DEPTH in fixed else len(fixed)


def _compile(pattern: str, flags: re.RegexFlag) -> re.Pattern[str] | None:
    """An agent's file must not stop a run, whatever is in it: what cannot be read matches
    nothing."""
    translated = _translate(pattern)
    try:
        return None if translated is None else re.compile(translated, flags)
    except (re.error, OverflowError, RecursionError):
        return None


def _without_blanks(line: str) -> str:
    """The line without blanks at its end, unless they are escaped."""
    stripped = line.rstrip(" ")
    escaped = (len(stripped) - len(stripped.rstrip("\\"))) % 2
    return stripped + " " if escaped and len(stripped) < len(line) else stripped


def _translate(pattern: str) -> str | None:
    """The regular expression of a pattern; None for one that git cannot match.

    What is between two wildcards counts where it comes first, and is not looked for again: the
    time would be a power of the length of a path, and agents write ignore files.
    """
    parts = _split(pattern)
    if count := _compared_parts(pattern):
        parts = parts[-count:]
    regex, skipped, piece = "", "", ""
    for part in parts[:-1]:
        if part == _ANY_DEPTH:
            regex, skipped, piece = regex + _first(skipped, piece), "(?:[^/]*/)*?", ""
        elif (translated := _translate_part(part)) is not None:
            piece += f"{translated}/"
        else:
            return None
    if parts[-1] == _ANY_DEPTH:
        return f"{regex}{_first(skipped, piece)}.+"
    last = _translate_part(parts[-1])
    return None if last is None else f"{regex}{'(?:.*/)?' if skipped else ''}{piece}{last}"


def _first(skipped: str, piece: str) -> str:
    return f"(?>{skipped}{piece})" if skipped and piece else piece


def _translate_part(part: str) -> str | None:
    regex, skipped, piece, position = "", "", "", 0
    while position < len(part):
        sign = part[position]
        position += 1
        if sign == "*":
            regex, skipped, piece = regex + _first(skipped, piece), "[^/]*?", ""
        elif sign == "?":
            piece += "[^/]"
        elif sign == "[":
            found = _SET.match(part, position - 1)
            if found is None:
                return None
            piece += _translate_set(found)
            position = found.end()
        elif sign == "\\" and position == len(part):
            return None
        elif sign == "\\":
            piece += re.escape(part[position])
            position += 1
        else:
            piece += re.escape(sign)
    return f"{regex}{'[^/]*' if skipped else ''}{piece}"


def _translate_set(found: re.Match[str]) -> str:
    members = found["members"]
    named = _NAMED_CLASS.findall(members)
    plain = _NAMED_CLASS.sub("", members)
    escaped = re.sub(r"\\(.)|([\[\]^&~|])", lambda each: re.escape(each[1] or each[2]), plain)
    # A range that ends before it begins has its beginning in it.
    escaped = _RANGE.sub(
        lambda each: each[0] if each["from"][-1] <= each["to"][-1] else each["from"], escaped
    )
    listed = escaped + "".join(_CLASSES.get(name, "") for name in named)
    if not listed:
        return "(?!)"
    return f"(?!/)[{'^' if found['not'] else ''}{listed}]"
