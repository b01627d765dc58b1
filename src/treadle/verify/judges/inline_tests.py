"""Finds tests in files that are the product as well: Rust modules, doctests, in-source tests. Pure.

Such a file cannot be taken from the base, so its tests must all be in the work as they were. What
was added must not give another meaning to a name that they use.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import takewhile
from pathlib import PurePosixPath

from treadle.verify.judges.python_test_names import DEFAULT_NAMES, PythonTestNames
from treadle.verify.judges.rust_tests import (
    read_document_tests,
    read_rust_doctests,
    read_rust_tests,
)
from treadle.verify.judges.source_text import block_end, joined, mask, statements

_BLOCKS = {
    "zig": re.compile(r"^[ \t]*test\b[^{;]{0,500}\{", re.MULTILINE),
    "d": re.compile(r"^[ \t]*(?:@\w{1,50}[ \t]+){0,20}unittest\s{0,99}\{", re.MULTILINE),
}
_VITEST = re.compile(r"\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{")
_LINE_TESTS = re.compile(r"^[ \t]*let%(?:test|expect_test)", re.MULTILINE)
_PROMPTS = {
    **dict.fromkeys((".py", ".pyx", ".md", ".rst", ".txt"), ">>>"),
    **dict.fromkeys((".ex", ".exs"), "iex>"),
}
# The names that an added piece of a test gives a meaning to.
_INTRODUCED = re.compile(
    r"\b(?:fn|mod|struct|enum|trait|type|static|const|let|var|function|class|def|macro_rules!)\s+"
    r"(?:mut\s+)?(\w+)|\bimport\s+(\w+)|\bas\s+(\w+)|^(?:>>>|iex>)\s*(\w+)\s*="
    r"|^use\s[^;]*?(\w+|\*)\s*;?$|\bimport\s+.*?\b(\w+)\s*$"
)
_EVERY_NAME = "*"


def loses_tests(
    path: str, base: str, work: str, *, runs_doctests: bool, names: PythonTestNames = DEFAULT_NAMES
) -> bool:
    """Whether a test of a product file was changed, removed or made to mean something else."""
    before = Counter(_tests(path, base, names, runs_doctests=runs_doctests))
    after = Counter(_tests(path, work, names, runs_doctests=runs_doctests))
    if not before:
        return False
    used = {word for test in before for word in re.findall(r"\w+", test)}
    added = {name for piece in after - before for name in _introduced(piece)}
    return bool(before - after) or bool(added & used) or _EVERY_NAME in added


def loses_document_tests(base: str, work: str) -> bool:
    """Whether a block of code was changed or removed in a document of a crate."""
    return bool(Counter(read_document_tests(base)) - Counter(read_document_tests(work)))


def is_test_bearing(path: str) -> bool:
    """Whether files of this name have tests so often that an unread one must be taken to."""
    return PurePosixPath(path).suffix in (".rs", ".zig", ".d")


def can_hold_tests(path: str) -> bool:
    """Whether files of this name may have tests besides the product."""
    suffix = PurePosixPath(path).suffix
    return suffix in _READERS or suffix in _PROMPTS


def _tests(path: str, text: str, names: PythonTestNames, *, runs_doctests: bool) -> Iterator[str]:
    suffix = PurePosixPath(path).suffix
    if suffix == ".py":
        yield from _python_tests(text, names.starts)
    for reader in _READERS.get(suffix, ()):
        yield from reader(text)
    prompt = _PROMPTS.get(suffix)
    if prompt and (runs_doctests or prompt == "iex>"):
        yield from _examples(text, prompt)


def _introduced(piece: str) -> Iterator[str]:
    for found in _INTRODUCED.finditer(piece):
        yield from filter(None, found.groups())


def _in_source_tests(text: str) -> Iterator[str]:
    """Each statement of the blocks that vitest runs."""
    structure, code = mask("script", text), mask("script", text, keep_strings=True)
    end = 0
    for found in _VITEST.finditer(structure):
        if found.start() < end:
            continue
        end = block_end(structure, found.end() - 1)
        yield joined(found[0])
        for start, stop in statements(structure, found.end(), end - 1, ends="\n"):
            yield joined(code[start:stop])


def _braced_blocks(kind: str) -> Callable[[str], Iterator[str]]:
    def read(text: str) -> Iterator[str]:
        structure, code = mask("script", text), mask("script", text, keep_strings=True)
        end = 0
        for found in _BLOCKS[kind].finditer(structure):
            if found.start() >= end:
                end = block_end(structure, found.end() - 1)
                yield joined(code[found.start() : end])

    return read


def _python_tests(text: str, starts: re.Pattern[str]) -> Iterator[str]:
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if starts.match(line):
            rest = lines[number + 1 :]
            body = takewhile(lambda each: not each.strip() or each[0] in " \t)", rest)
            yield "\n".join([line, *body]).rstrip()


def _examples(text: str, prompt: str) -> Iterator[str]:
    """Each example of a documentation, with what it should print."""
    example: list[str] = []
    for line in (*(each.strip().lstrip("r\"'") for each in text.splitlines()), ""):
        is_start = line.startswith(prompt)
        if example and (is_start or not line):
            yield "\n".join(example)
            example = []
        if is_start or (example and line):
            example.append(line)


def _line_tests(text: str) -> Iterator[str]:
    parts = re.split(r"\n(?=\S)", text)
    return (joined(part) for part in parts if _LINE_TESTS.match(part))


_READERS: dict[str, tuple[Callable[[str], Iterator[str]], ...]] = {
    ".rs": (read_rust_tests, read_rust_doctests),
    ".zig": (_braced_blocks("zig"),),
    ".d": (_braced_blocks("d"),),
    ".ml": (_line_tests,),
    **dict.fromkeys(
        (".js", ".jsx", ".ts", ".tsx", ".mjs", ".mts", ".cjs", ".vue", ".svelte"),
        (_in_source_tests,),
    ),
}
