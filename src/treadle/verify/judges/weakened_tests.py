"""Finds tests that got weaker: fewer assertions, new skips, empty bodies, removed tests. Pure.

It compares the text of a file before the work and on it. A test can get weaker in ways that no text
shows; who wrote a judge decides its grade, and this only says where a person should look.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from treadle.verify.judges.assertion_patterns import LanguagePatterns, language_of, without_noise

# A longer file is not read.
MAX_CHARACTERS = 400_000
# Lines of a test without anything in it, its signature included.
_LONGEST_HOLLOW = 50
_SIGNATURE = re.compile(r"^(?:async )?def \w+[ \t]*\([^)]{0,2000}\)[^:]{0,200}:")
_EMPTY_BODY = re.compile(r"(?:\"\")?[ ;]*(?:pass|\.\.\.|return(?: None)?)?[ ;]*")


@dataclass(frozen=True, slots=True)
class AssertionCounts:
    """What a file of tests contains; assertions that always hold do not count."""

    tests: int = 0
    assertions: int = 0
    skips: int = 0
    hollow: int = 0


@dataclass(frozen=True, slots=True)
class FilePair:
    """A file of tests before the work and on it; empty where it is not there."""

    path: str
    base: str
    work: str


@dataclass(frozen=True, slots=True)
class Weakening:
    """How much weaker all changed tests are together: tests that are gone, skipped or empty, and
    assertions. What moved to another file is not lost."""

    tests: int = 0
    assertions: int = 0


def count_assertions(path: str, text: str) -> AssertionCounts:
    """The tests, assertions, skips and empty tests in a file; nothing for unknown languages."""
    language = language_of(path)
    if language is None or len(text) > MAX_CHARACTERS:
        return AssertionCounts()
    plain = without_noise(path, text)
    checking = language.vacuous.sub("", plain)
    return AssertionCounts(
        tests=_count(language.tests, plain),
        assertions=_count(language.assertions, checking),
        skips=_count(language.skips, plain),
        hollow=_count_hollow(language, plain),
    )


def describe_weakening(pair: FilePair) -> str:
    """What got weaker in a file that is still there, such as `3 assertions fewer, 1 skip added`;
    empty if nothing did."""
    if not pair.base or not pair.work:
        return ""
    base, work = count_assertions(pair.path, pair.base), count_assertions(pair.path, pair.work)
    parts = (
        _phrase(base.tests - work.tests, "test", "removed"),
        _phrase(base.assertions - work.assertions, "assertion", "fewer"),
        _phrase(work.skips - base.skips, "skip", "added"),
        _phrase(work.hollow - base.hollow, "test", "emptied"),
    )
    return ", ".join(filter(None, parts))


def total_weakening(pairs: Iterable[FilePair]) -> Weakening:
    """What all files together have lost; added files count against removed ones."""
    tests = assertions = skips = hollow = 0
    for pair in pairs:
        base, work = count_assertions(pair.path, pair.base), count_assertions(pair.path, pair.work)
        tests += base.tests - work.tests
        assertions += base.assertions - work.assertions
        skips += work.skips - base.skips
        hollow += work.hollow - base.hollow
    return Weakening(
        tests=max(tests, 0) + max(skips, 0) + max(hollow, 0), assertions=max(assertions, 0)
    )


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(1 for _ in pattern.finditer(text))


def _count_hollow(language: LanguagePatterns, plain: str) -> int:
    if not language.is_indented:
        return _count(language.hollow, plain)
    lines = plain.splitlines()
    begins = (number for number, line in enumerate(lines) if language.hollow.match(line))
    return sum(_is_hollow_block(lines, number) for number in begins)


def _is_hollow_block(lines: list[str], first: int) -> bool:
    """Whether the indented block that begins on this line does nothing."""
    indent = _indent(lines[first])
    block = [lines[first]]
    for line in lines[first + 1 : first + _LONGEST_HOLLOW]:
        stripped = line.strip()
        # A signature may go on, also without more indentation.
        if stripped and _indent(line) <= indent and not stripped.startswith(")"):
            break
        block.append(line)
    body = _SIGNATURE.sub("", " ".join(each.strip() for each in block), count=1)
    return _EMPTY_BODY.fullmatch(body.strip()) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _phrase(count: int, noun: str, what: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'} {what}" if count > 0 else ""
