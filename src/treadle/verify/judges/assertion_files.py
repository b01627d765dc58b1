"""Recognises sources that check on behalf of tests, whatever their names are. Pure.

A product is imported by tests as well. A library of assertions can object to what it is given, and
tests call it for nothing else: its calls are statements of their own.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from treadle.verify.judges.assertion_patterns import without_noise

SCRIPT_ENDINGS = (".js", ".jsx", ".ts", ".tsx", ".mjs", ".mts", ".cjs", ".cts")
_JVM_ENDINGS = (".java", ".kt", ".kts", ".scala", ".groovy")
_TEST_LIBRARIES: dict[tuple[str, ...], re.Pattern[str]] = {
    (".go",): re.compile(
        r"^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?\"testing\"[ \t\r]*$", re.MULTILINE
    ),
    (".py",): re.compile(
        r"^[ \t]*(?:import|from)[ \t]+(?:unittest|_?pytest|nose2?|hypothesis|testtools|hamcrest)\b",
        re.MULTILINE,
    ),
    SCRIPT_ENDINGS: re.compile(
        r"[\"'](?:node:test|vitest|@vitest/\w+|@jest/\w+|jest|mocha|chai|expect|ava|tap|tape|uvu"
        r"|@playwright/test|@testing-library/[\w-]+)[\"']"
    ),
    (".rb",): re.compile(r"\b(?:Minitest|RSpec|Test::Unit)\b"),
    (".php",): re.compile(r"\b(?:PHPUnit|Pest)\\"),
    _JVM_ENDINGS: re.compile(r"\b(?:org\.(?:junit|hamcrest|assertj|testng)|kotlin\.test)\b"),
    (".cs",): re.compile(r"\busing\s+(?:Xunit|NUnit|Microsoft\.VisualStudio\.TestTools)\b"),
    (".swift",): re.compile(r"\bimport\s+XCTest\b"),
    (".pm", ".pl"): re.compile(r"\buse\s+Test2?::"),
    (".ex", ".exs"): re.compile(r"\bExUnit\b"),
}
# Tests in sources of any name. Those of Python may be beside the product, in one file.
_OWN_TESTS: dict[tuple[str, ...], re.Pattern[str]] = {
    SCRIPT_ENDINGS: re.compile(
        r"(?<![\w.$])(?:describe|it|test|specify|suite|context)(?:\.\w{1,20}){0,3}\(\s{0,50}\"\""
    ),
    (".rb",): re.compile(
        r"^[ \t]*(?:RSpec\.)?describe\b|<[ \t]*(?:Minitest::Test|Test::Unit::TestCase)\b",
        re.MULTILINE,
    ),
    (".php",): re.compile(
        r"\bextends\s{1,50}[\w\\]*TestCase\b|^[ \t]*(?:it|test)\(\"\"", re.MULTILINE
    ),
    (*_JVM_ENDINGS, ".cs", ".swift"): re.compile(
        r"@(?:Test|ParameterizedTest)\b|\[(?:Fact|Theory|Test|TestMethod)\b|\bXCTestCase\b"
    ),
    (".ex", ".exs"): re.compile(r"\buse\s{1,50}ExUnit\.Case\b"),
}
# A comparison, and something that ends a test with a failure.
_COMPARING = re.compile(r"[!=]==?|<>|\s(?:-ne|-eq|ne|eq|is not|not in)\s|\.eq(?:l|uals)?\b")
# In a shell, a comparison is a command that fails.
_SHELL_COMPARING = re.compile(r"(?:^|[\s;&|{(])(?:\[\[?|test|grep|diff|cmp)\s", re.MULTILINE)
_SHELL_ENDINGS = (".sh", ".bash", ".bats")
_FAILING = re.compile(
    r"\b(?:assert\w*|raise|throw|panic\w*|fail\w*|fatal\w*|abort|exit|die|croak|confess)\b",
    re.IGNORECASE,
)
_ASSERTING = re.compile(r"\bassert\w*[!(\s]", re.IGNORECASE)
_DEFINITIONS = (
    re.compile(
        r"\b(?:def|func|function|fn|fun|sub|macro_rules!)\s+(?:\([^)\n]{0,99}\)\s*)?([\w.]+)"
    ),
    re.compile(
        r"\b(?:const|let|var)\s+(\w+)\s*(?::[^=\n]{1,99})?=\s*(?:async\b|function\b|\(|\w+\s*=>)"
    ),
    re.compile(
        r"\bexports\.(\w+)\s*=|^[ \t]*#[ \t]*define[ \t]+(\w+)\(|^(\w+)[ \t]*\(\)\s{0,99}\{",
        re.MULTILINE,
    ),
    re.compile(
        r"^[ \t]*(?:[\w<>*&:\[\]]+[ \t]+)+\*?(\w+)[ \t]*\([^;\n]{0,300}\)[^;\n]{0,99}\{",
        re.MULTILINE,
    ),
    re.compile(r"^[ \t]+(?:static[ \t]+|async[ \t]+)*(\w+)\([^;\n]{0,300}\)[ \t]*\{", re.MULTILINE),
)
_KEYWORDS = frozenset(
    {"if", "for", "while", "switch", "catch", "return", "function", "init", "new"}
)
# Where a statement begins, and what may stand before the name of a function that is called.
_BEGIN = r"(?:^|[{;]|=>|&&|\bdo(?:[ \t]*\|[^|\n]*\|)?)[ \t]*"
_RECEIVERS = r"(?:(?:await|return|with|async with)[ \t]+)*(?:[\w$@]+[ \t]*(?:\.|::|->)[ \t]*)*"
# In these languages a call needs no brackets.
_BARE_CALLS = (".rb", ".sh", ".bash", ".bats", ".pl", ".pm", ".t", ".ex", ".exs")
_HEADS = re.compile(
    r"^[ \t]*(?:import|from|use|using|require\w*|source|\.)\b.*$"
    r"|\b(?:def|func|function|fn|fun|sub)[ \t]+[\w.]+",
    re.MULTILINE,
)
_TWO_WORDS = re.compile(r"[^\n;|&]*[ \t][^\s;|&}]")
_LONGEST_TEXT = 400_000
_LONGEST_CALL = 2_000


def imports_test_library(path: str, text: str) -> bool:
    """Whether a source uses the library by which tests are written in its language."""
    suffix = PurePosixPath(path).suffix
    return any(
        suffix in endings and pattern.search(text) is not None
        for endings, pattern in _TEST_LIBRARIES.items()
    )


def holds_tests(path: str, text: str) -> bool:
    """Whether a source has tests of its own, under whatever name a runner is told to look for."""
    patterns = (each for endings, each in _OWN_TESTS.items() if path.endswith(endings))
    return any(each.search(without_noise(path, text[:_LONGEST_TEXT])) for each in patterns)


def can_object(path: str, text: str) -> bool:
    """Whether a source compares and fails, as an assertion does."""
    if len(text) > _LONGEST_TEXT:
        return False
    if path.endswith(_SHELL_ENDINGS):
        return _SHELL_COMPARING.search(text) is not None
    return _ASSERTING.search(text) is not None or (
        _COMPARING.search(text) is not None and _FAILING.search(text) is not None
    )


def defined_names(text: str) -> frozenset[str]:
    """The functions that a source has."""
    groups = (each.groups() for pattern in _DEFINITIONS for each in pattern.finditer(text))
    names = (name.rpartition(".")[2] for group in groups for name in group if name)
    return frozenset(names) - _KEYWORDS


def are_assertions(names: Iterable[str], tests: Mapping[str, str]) -> bool:
    """Whether tests, by their paths, call these functions as statements and use no result.

    A call that compares has two arguments, or goes on with another call.
    """
    either = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    if not either:
        return False
    calls = statements = comparisons = 0
    for path, text in tests.items():
        plain = _HEADS.sub("", without_noise(path, text))
        after = r"!?(?:\(|[ \t]+[\w\"'(\[$@:-])" if path.endswith(_BARE_CALLS) else r"!?\("
        call = re.compile(rf"(?<![\w$])(?<!\)\.)(?:{either}){after}")
        statement = re.compile(rf"{_BEGIN}{_RECEIVERS}(?:{either}){after}", re.MULTILINE)
        calls += sum(1 for _ in call.finditer(plain))
        ends = [each.end() for each in statement.finditer(plain)]
        statements += len(ends)
        has_two = _has_two_words if path.endswith(_SHELL_ENDINGS) else _compares
        comparisons += sum(has_two(plain[end : end + _LONGEST_CALL]) for end in ends)
    return 0 < calls <= statements and comparisons > 0


def _has_two_words(rest: str) -> bool:
    return _TWO_WORDS.match(rest) is not None


def _compares(rest: str) -> bool:
    """Whether the call that has begun has a second argument, or its result is called on."""
    depth = 0
    for position, sign in enumerate(rest):
        if depth == 0 and sign == ",":
            return True
        if depth == 0 and sign in ")]}\n" and (sign != "\n" or position):
            return rest[position + 1 :].lstrip().startswith((".", "->"))
        depth += (sign in "([{") - (sign in ")]}")
    return False
