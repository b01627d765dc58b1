"""How tests, assertions and skips are written in each language. Data; pure.

Patterns are for text without comments and with empty strings.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.MULTILINE)


# Comments and strings, longest forms first. A string becomes an empty one. One that is not closed
# ends with its line, or with the text: else each of many would be looked at up to there.
_DOUBLE = r"\"(?:\\[\s\S]|[^\"\\\n])*(?:\"|\\?$)"
_SINGLE = r"'(?:\\[\s\S]|[^'\\\n])*(?:'|\\?$)"
_C_NOISE = _pattern(
    rf"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|{_DOUBLE}|{_SINGLE}|`(?:\\[\s\S]|[^`\\])*(?:`|\\?\Z)"
)
# In Rust a single quote also begins a lifetime.
_RUST_NOISE = _pattern(
    r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)|\"(?:\\[\s\S]|[^\"\\])*(?:\"|\\?\Z)|'(?:\\.|[^'\\])'"
)
_PYTHON_NOISE = _pattern(
    rf"#[^\n]*|\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)|{_DOUBLE}|{_SINGLE}"
)
_HASH_NOISE = _pattern(rf"(?:^|(?<=\s))#[^\n]*|{_DOUBLE}|{_SINGLE}")
_NOTHING = _pattern(r"(?!)")


@dataclass(frozen=True, slots=True)
class LanguagePatterns:
    """The patterns of one language; each match counts once."""

    suffixes: tuple[str, ...]
    noise: re.Pattern[str]
    tests: re.Pattern[str]
    assertions: re.Pattern[str]
    skips: re.Pattern[str]
    # Tests without anything in them, or for an indented block, the line that begins a test.
    hollow: re.Pattern[str]
    # Assertions that always hold.
    vacuous: re.Pattern[str] = _NOTHING
    is_indented: bool = False


_JS_TEST = r"\b(?:it|test|specify)(?:\.\w{1,20}){0,3}"
# Bounded, so that no text takes long.
_SPACE = r"\s{0,200}"
_BRACES = rf"\{{{_SPACE}\}}"

LANGUAGES = (
    LanguagePatterns(
        (".py",),
        _PYTHON_NOISE,
        tests=_pattern(r"^[ \t]*(?:async[ \t]+)?def test\w*[ \t]*\("),
        assertions=_pattern(r"\bassert\w*|\b(?:raises|warns|fail)[ \t]*\("),
        skips=_pattern(
            r"@[\w.]{0,60}(?:skip\w*|xfail|expectedFailure)\b|\bexpectedFailure\("
            r"|\bpytest\.(?:skip|xfail|importorskip)\(|\.skipTest\(|\braise [\w.]{0,40}SkipTest\b"
            r"|\bpytestmark\b.{0,200}\b(?:skip\w*|xfail)\b"
        ),
        hollow=_pattern(r"^[ \t]*(?:async[ \t]+)?def test\w*[ \t]*\("),
        vacuous=_pattern(r"\bassert (?:True|1)[ \t]*(?:,.*)?$|\bassertTrue\([ \t]*True[ \t]*\)"),
        is_indented=True,
    ),
    LanguagePatterns(
        (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"),
        _C_NOISE,
        tests=_pattern(rf"{_JS_TEST}[ \t]*[(`]"),
        assertions=_pattern(
            r"\bexpect\w*[ \t]*\(|\bassert(?:\.\w{1,40})*[ \t]*\(|\.should\b"
            r"|\bt\.(?:is|not|true|false|deepEqual|equal|ok|throws\w*|rejects|like|same|fail)"
            r"[ \t]*\("
        ),
        skips=_pattern(
            r"\b(?:it|test|describe|context|suite)\.(?:\w{1,20}\.)?(?:skip\w*|todo|fails|failing"
            r"|fixme|only|runIf)\b|\b(?:x(?:it|test|describe|context)|f(?:it|describe))[ \t]*\("
            r"|\b(?:this|t|ctx|context)\.(?:skip|todo)\(|\{[ \t]*(?:skip|todo|only)[ \t]*:"
        ),
        hollow=_pattern(
            rf"{_JS_TEST}[ \t]*\([^,()]{{0,200}},{_SPACE}(?:async{_SPACE})?"
            rf"(?:\([^()]{{0,100}}\){_SPACE}=>|\w{{1,40}}{_SPACE}=>"
            rf"|function{_SPACE}\w{{0,40}}\([^()]{{0,100}}\)){_SPACE}{_BRACES}"
        ),
        vacuous=_pattern(
            r"\bexpect\([ \t]*(?:true|1)[ \t]*\)\.to\w+\([ \t]*(?:true|1)?[ \t]*\)"
            r"|\bassert(?:\.ok)?\([ \t]*true[ \t]*\)"
        ),
    ),
    LanguagePatterns(
        (".go",),
        _C_NOISE,
        tests=_pattern(r"^func (?:Test|Example|Fuzz)\w*[ \t]*\("),
        assertions=_pattern(
            r"\b(?:t|b|f|tb)\.(?:Errorf?|Fatalf?|Fail|FailNow)\b|\b(?:require|assert)\.\w{1,60}\("
        ),
        skips=_pattern(r"\b(?:t|b|f|tb)\.Skip(?:f|Now)?\("),
        hollow=_pattern(rf"^func Test\w*[ \t]*\([^)]{{0,200}}\){_SPACE}{_BRACES}"),
    ),
    LanguagePatterns(
        (".rs",),
        _RUST_NOISE,
        tests=_pattern(r"#\[(?:\w{1,40}::)*(?:test|rstest|test_case|proptest)\b"),
        assertions=_pattern(r"\b\w{0,20}assert\w*!"),
        skips=_pattern(r"#\[(?:ignore|should_panic)\b"),
        hollow=_pattern(
            rf"#\[(?:\w{{1,40}}::)*test\b[^\]]{{0,100}}\]{_SPACE}(?:async )?fn"
            rf" \w{{1,200}}\(\)[^{{;]{{0,100}}{_BRACES}"
        ),
        vacuous=_pattern(r"\bassert!\([ \t]*true\b"),
    ),
    LanguagePatterns(
        (".rb",),
        _HASH_NOISE,
        tests=_pattern(r"^[ \t]*(?:f|x)?(?:it|specify|scenario)\b|^[ \t]*def test_\w+"),
        assertions=_pattern(r"\bexpect\b|\.should\b|\b(?:assert|refute|must_|wo(?:nt)_)\w*"),
        skips=_pattern(
            r"^[ \t]*(?:[xf](?:it|describe|context)|pending|skip)\b"
            r"|,[ \t]*:?(?:skip|pending|focus)\b"
        ),
        hollow=_pattern(
            rf"^[ \t]*(?:it|specify)\b[^\n]{{0,200}}\bdo{_SPACE}end\b"
            rf"|^[ \t]*def test_\w+{_SPACE}end\b"
        ),
    ),
    LanguagePatterns(
        (".php",),
        _C_NOISE,
        tests=_pattern(r"\bfunction test\w*[ \t]*\(|#\[Test\b|^[ \t]*(?:it|test)\("),
        assertions=_pattern(r"\bassert\w*[ \t]*\(|\bexpect\w*[ \t]*\("),
        skips=_pattern(r"\bmarkTest(?:Skipped|Incomplete)\b|->(?:skip|todo|only)\("),
        hollow=_pattern(rf"\bfunction test\w*[ \t]*\(\)[^{{;]{{0,40}}{_BRACES}"),
        vacuous=_pattern(r"\bassertTrue\([ \t]*true[ \t]*\)"),
    ),
    LanguagePatterns(
        (".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".swift"),
        _C_NOISE,
        tests=_pattern(
            r"@(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b"
            r"|\bfunc test\w*[ \t]*\("
        ),
        assertions=_pattern(
            r"\b(?:assert|XCTAssert)\w*[ \t]*[({]|\bAssert\.\w{1,60}|\bverify[ \t]*[({]"
            r"|\.(?:Should|should)\w*"
        ),
        skips=_pattern(
            r"@(?:Disabled|Ignore)\w*|\[Ignore\b|\bSkip[ \t]*=|\bassume(?:True|False|That)\("
            r"|\bXCTSkip\w*"
        ),
        hollow=_pattern(
            rf"@Test\b{_SPACE}(?:public )?(?:void|fun) [\w`]{{1,200}}\(\)[^{{;]{{0,60}}{_BRACES}"
        ),
        vacuous=_pattern(r"\bassertTrue\([ \t]*true[ \t]*\)"),
    ),
    LanguagePatterns(
        (".bats", ".sh", ".bash"),
        _HASH_NOISE,
        tests=_pattern(r"^@test\b|^(?:function )?test_\w+[ \t]*\(\)"),
        assertions=_pattern(
            r"^[ \t]*(?:\[\[?[ \t]|test[ \t]|assert\w*|refute\w*|diff[ \t]|cmp[ \t])"
        ),
        skips=_pattern(r"^[ \t]*skip\b"),
        hollow=_pattern(rf"^@test\b[^\n]{{0,200}}{_BRACES}"),
    ),
    LanguagePatterns(
        (".t",),
        _HASH_NOISE,
        tests=_pattern(r"^[ \t]*subtest\b"),
        assertions=_pattern(r"^[ \t]*(?:ok|is(?:nt)?|like|unlike|is_deeply|\w+_ok)[ \t]*[( ]"),
        skips=_pattern(r"\bskip(?:_all)?\b|\btodo_skip\b|\$TODO\b"),
        hollow=_NOTHING,
    ),
)

_BY_SUFFIX = {suffix: language for language in LANGUAGES for suffix in language.suffixes}


def language_of(path: str) -> LanguagePatterns | None:
    """The language of a file of tests, by its name."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())


def without_noise(path: str, text: str) -> str:
    """A text without comments and with empty strings; as it is if its language is not known."""
    language = language_of(path)
    return text if language is None else language.noise.sub(_without_content, text)


def _without_content(noise: re.Match[str]) -> str:
    """A comment becomes nothing, a string an empty one, and lines stay lines."""
    text = noise[0]
    mark: Literal["", '""'] = '""' if text[0] in "\"'`" else ""
    return mark + "\n" * text.count("\n")
