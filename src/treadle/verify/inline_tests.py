"""Finds tests in files that are the product as well: Rust modules, doctests, in-source tests. Pure.

Such a file cannot be taken from the base, so its tests must all be in the work as they were.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import PurePosixPath

_COMMENT = r"//[^\n]*|/\*.*?\*/"
_STRING = r"\"(?:\\.|[^\"\\])*\""
_MASKS = {
    "rust": re.compile(
        rf"(?P<comment>{_COMMENT})|\br(#*)\".*?\"\2|b?{_STRING}|b?'(?:\\(?:u\{{[^}}]*\}}|x..|.)|[^\\'])'",
        re.DOTALL,
    ),
    "script": re.compile(
        rf"(?P<comment>{_COMMENT})|{_STRING}|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL
    ),
}
# The attributes of a Rust item, and the first words of one that is a test or a module file.
_RUST_ATTRIBUTES = re.compile(r"(?:#\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)+")
_RUST_TEST = re.compile(
    r"\bcfg\s*\([^)]*\btest\b|#\[\s*(?:\w+::)*(?:test|rstest|test_case|bench|proptest|quickcheck)\b|_test\b"
)
_RUST_MODULE = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*;")
_RUST_DOCTEST = re.compile(r"(?:^[ \t]*//[/!][^\n]*\n)+", re.MULTILINE)
# What makes tests vanish or assertions mean something else, wherever it stands.
_RUST_HIDING = re.compile(
    r"#!\[\s*(?:cfg|test_runner|no_main|reexport_test)[^\]]*\]|custom_test_frameworks"
    r"|\bcfg!?\s*\(\s*(?:not\s*\(\s*)?test\b[^)]*\)|\bcfg\(any\(\)\)"
    r"|\bmacro_rules!\s*(?:debug_)?(?:assert(?:_eq|_ne)?|panic|unreachable|matches)\b"
)
_PYTHON_HIDING = re.compile(
    r"^\s*(?:TEST_RUNNER\s*=|def\s+load_tests\b|load_tests\s*=)", re.MULTILINE
)
_PYTHON_TEST = re.compile(r"def test_|async def test_|class \w+\([^)]*TestCase[^)]*\)")
_BLOCKS = {
    "zig": re.compile(r"^\s*test\b[^{;]*\{", re.MULTILINE),
    "d": re.compile(r"^\s*(?:@\w+\s+)*unittest\s*\{", re.MULTILINE),
    "vitest": re.compile(r"\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{"),
}
# How far before a module its attributes are looked for.
_LONGEST_GUARD = 400
_PROMPTS = {".py": ">>>", ".pyx": ">>>", ".ex": "iex>", ".exs": "iex>"}
_LINE_TESTS = re.compile(r"^\s*let%(?:test|expect_test)", re.MULTILINE)


def loses_tests(path: str, base: str, work: str, *, runs_doctests: bool) -> bool:
    """Whether a test of a product file was changed, removed or made to mean something else."""
    before = Counter(_tests(path, base, runs_doctests=runs_doctests))
    after = Counter(_tests(path, work, runs_doctests=runs_doctests))
    return bool(before - after) or bool(Counter(_hiding(path, work)) - Counter(_hiding(path, base)))


def is_test_bearing(path: str) -> bool:
    """Whether files of this name have tests so often that an unread one must be taken to."""
    return PurePosixPath(path).suffix in (".rs", ".zig", ".d")


def can_hold_tests(path: str) -> bool:
    """Whether files of this name may have tests besides the product."""
    return PurePosixPath(path).suffix in _READERS


def _tests(path: str, text: str, *, runs_doctests: bool) -> Iterator[str]:
    suffix = PurePosixPath(path).suffix
    for reader in _READERS.get(suffix, ()):
        yield from reader(text)
    if (prompt := _PROMPTS.get(suffix)) and (runs_doctests or suffix != ".py"):
        yield from _examples(text, prompt)


def _hiding(path: str, text: str) -> list[str]:
    match PurePosixPath(path).suffix:
        case ".rs":
            return _RUST_HIDING.findall(_mask("rust", text, keep_strings=True))
        case ".py":
            return _PYTHON_HIDING.findall(text)
        case _:
            return []


def _rust_tests(text: str) -> Iterator[str]:
    structure = _mask("rust", text, keep_strings=False)
    code = _mask("rust", text, keep_strings=True)
    position = 0
    for found in _RUST_ATTRIBUTES.finditer(structure):
        is_inside = found.start() < position
        if not is_inside and _RUST_TEST.search(found[0]):
            position = _block_end(structure, found.end())
            yield _plain(code[found.start() : position])
    for found in _RUST_MODULE.finditer(structure):
        # A module that is cut off takes its tests along.
        name = re.sub(r"^pub(?:\([^)]*\))?\s+", "", found[0])
        before = structure[max(0, found.start() - _LONGEST_GUARD) : found.start()].rstrip()
        guard = re.search(r"(?:#\[[^\n]*\]\s*)+$", before)
        yield _plain(f"{guard[0] if guard else ''} {name}")


def _rust_doctests(text: str) -> Iterator[str]:
    for found in _RUST_DOCTEST.finditer(text):
        lines = [re.sub(r"^\s*//[/!] ?", "", line) for line in found[0].splitlines()]
        block: list[str] | None = None
        for line in lines:
            if not line.lstrip().startswith("```"):
                if block is not None:
                    block.append(line)
            elif block is None:
                block = [line.strip()]
            else:
                yield _plain(" ".join(block))
                block = None


def _braced_blocks(kind: str) -> Callable[[str], Iterator[str]]:
    def read(text: str) -> Iterator[str]:
        structure = _mask("script", text, keep_strings=False)
        code = _mask("script", text, keep_strings=True)
        for found in _BLOCKS[kind].finditer(structure):
            yield _plain(code[found.start() : _block_end(structure, found.end() - 1)])

    return read


def _python_tests(text: str) -> Iterator[str]:
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if _PYTHON_TEST.match(line):
            body = takewhile(
                lambda each: not each.strip() or each[0] in " \t)", lines[number + 1 :]
            )
            yield "\n".join([line, *body]).rstrip()


def _examples(text: str, prompt: str) -> Iterator[str]:
    """Each example of a documentation, with what it should print."""
    example: list[str] = []
    for line in (*(each.strip() for each in text.splitlines()), ""):
        is_start = line.startswith(prompt)
        is_end = not line or line.startswith(('"""', "'''"))
        if example and (is_start or is_end):
            yield "\n".join(example)
            example = []
        if is_start or (example and not is_end):
            example.append(line)


def _line_tests(text: str) -> Iterator[str]:
    parts = re.split(r"\n(?=\S)", text)
    return (_plain(part) for part in parts if _LINE_TESTS.match(part))


def _mask(kind: str, text: str, *, keep_strings: bool) -> str:
    """The text with blanks for its comments, and for its strings unless these are kept."""

    def blank(found: re.Match[str]) -> str:
        is_kept = keep_strings and found["comment"] is None
        return found[0] if is_kept else re.sub(r"[^\n]", " ", found[0])

    return _MASKS[kind].sub(blank, text)


def _block_end(structure: str, start: int) -> int:
    """Behind the block or the semicolon that ends an item; at the end if there is none."""
    depth = 0
    for position in range(start, len(structure)):
        sign = structure[position]
        depth += (sign in "{([") - (sign in "})]")
        if depth <= 0 and sign in "};":
            return position + 1
    return len(structure)


def _plain(text: str) -> str:
    return " ".join(text.split())


_READERS: dict[str, tuple[Callable[[str], Iterator[str]], ...]] = {
    ".rs": (_rust_tests, _rust_doctests),
    ".py": (_python_tests,),
    ".pyx": (),
    ".ex": (),
    ".exs": (),
    ".zig": (_braced_blocks("zig"),),
    ".d": (_braced_blocks("d"),),
    ".ml": (_line_tests,),
    **dict.fromkeys(
        (".js", ".jsx", ".ts", ".tsx", ".mjs", ".mts", ".cjs", ".vue", ".svelte"),
        (_braced_blocks("vitest"),),
    ),
}
