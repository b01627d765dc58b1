"""Which paths git's ignore rules cover, by the rules of one commit and of the user. Pure.

Git itself reads these rules from a checkout. Here they come from the commit that a run started
from, so that no later change of a `.gitignore` counts.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from treadle.workspace.disk_tree import is_private

_ANY_DEPTH = "**"
_NOTHING = re.compile(r"(?!)")
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
    negated: bool = False
    only_folders: bool = False


@dataclass(frozen=True, slots=True)
class IgnoreFile:
    """The patterns of one file, and all in one: most paths match none of them."""

    patterns: tuple[IgnorePattern, ...] = ()
    any_pattern: re.Pattern[str] = _NOTHING

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches ignores the path; None if none matches."""
        if not self.any_pattern.fullmatch(path):
            return None
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.only_folders) and pattern.regex.fullmatch(path):
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
        parts = path.split("/")
        return any(
            self._is_ignored("/".join(parts[:depth]), is_folder=depth < len(parts))
            for depth in range(1, len(parts) + 1)
        )

    def covers_folder(self, path: str) -> bool:
        """Whether a folder of this path would be ignored."""
        return self._is_ignored(path, is_folder=True)

    def _is_ignored(self, path: str, *, is_folder: bool) -> bool:
        for file, rest in self._applicable(path):
            verdict = file.verdict(rest, is_folder=is_folder)
            if verdict is not None:
                return verdict
        return False

    def _applicable(self, path: str) -> Iterator[tuple[IgnoreFile, str]]:
        """The ignore files with what their patterns are compared with, the strongest first."""
        end = len(path)
        while end > 0:
            end = path.rfind("/", 0, end)
            if file := self.by_folder.get(path[: end + 1]):
                yield file, path[end + 1 :]
        yield self.everywhere, path


def parse_ignore_file(text: str, *, fold_case: bool = False) -> IgnoreFile:
    """The patterns of an ignore file; `fold_case` for a disk on which case does not count."""
    flags = (re.IGNORECASE if fold_case else re.NOFLAG) | re.DOTALL
    patterns = tuple(_parse_lines(text.removeprefix("\ufeff").split("\n"), flags))
    together = "|".join(f"(?:{each.regex.pattern})" for each in patterns)
    return IgnoreFile(patterns, re.compile(together, flags) if patterns else _NOTHING)


def _parse_lines(lines: Iterable[str], flags: re.RegexFlag) -> Iterator[IgnorePattern]:
    for line in lines:
        pattern = _without_blanks(line.removesuffix("\r"))
        if not pattern or pattern.startswith("#"):
            continue
        negated = pattern.startswith("!")
        pattern = pattern[negated:]
        only_folders = pattern.endswith("/")
        pattern = pattern.removesuffix("/")
        if pattern and (regex := _compile(pattern, flags)) is not None:
            yield IgnorePattern(regex, negated, only_folders)


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
    """The regular expression of a pattern; None for one that git cannot match."""
    anchored = pattern.removeprefix("/").split("/")
    parts = anchored if "/" in pattern else [_ANY_DEPTH, pattern]
    regex = ""
    for position, part in enumerate(parts):
        is_last = position == len(parts) - 1
        if part == _ANY_DEPTH:
            regex += ".+" if is_last else "(?:.*/)?"
        elif (translated := _translate_part(part)) is not None:
            regex += translated if is_last else f"{translated}/"
        else:
            return None
    return regex


def _translate_part(part: str) -> str | None:
    regex, position = "", 0
    while position < len(part):
        sign = part[position]
        if sign == "[":
            found = _SET.match(part, position)
            if found is None:
                return None
            regex += _translate_set(found)
            position = found.end()
            continue
        if sign == "\\":
            if position + 1 == len(part):
                return None
            position += 1
            regex += re.escape(part[position])
        else:
            regex += {"*": "[^/]*", "?": "[^/]"}.get(sign) or re.escape(sign)
        position += 1
    return regex


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
