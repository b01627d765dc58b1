"""Finds the tests in a Rust source: test functions, test modules, modules, doctests. Pure."""

import re
from collections.abc import Iterator

from treadle.verify.judges.source_text import block_end, joined, mask, statements
from treadle.verify.judges.tree_pair import TreePair

# The attributes before an item, and those of a test.
_ATTRIBUTES = re.compile(r"(?:#\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)+")
_TEST = re.compile(
    r"\bcfg\s*\([^)]*\btest\b"
    r"|#\[\s*(?:\w+::)*(?:test|rstest|test_case|bench|proptest|quickcheck|\w+_test)\b"
)
_TEST_MODULE = re.compile(r"\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{")
_MODULE_FILE = re.compile(r"(?:pub(?:\([^)]*\))?\s+)?(mod\s+\w+\s*;)")
_GUARD = re.compile(r"(?:#\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\s*)+$")
# How far before a module its attributes are looked for.
_LONGEST_GUARD = 400
_DOCUMENTATION = re.compile(r"(?:^[ \t]*//[/!][^\n]*\n)+", re.MULTILINE)
_INCLUDED = re.compile(r"\bdoc\s*=\s*include_str!\(\s*\"(?:[^\"\n]*/)?([^\"/\n]+)\"\s*\)")
_FENCES = re.compile(r"^[ \t]*```(?:[^`]|`(?!``))*```", re.MULTILINE)
_USE = re.compile(r"(?:#\[[^\]]*\]\s*)*(?:pub\s+)?use\s+(.*)", re.DOTALL)
_MOST_IMPORTS = 200


def read_rust_tests(text: str) -> Iterator[str]:
    """Test functions, each item of test modules, and the declarations of other modules."""
    structure, code = mask("rust", text), mask("rust", text, keep_strings=True)
    end = 0
    for found in _ATTRIBUTES.finditer(structure):
        if found.start() < end or not _TEST.search(found[0]):
            continue
        end = block_end(structure, found.end())
        module = _TEST_MODULE.match(structure, found.end())
        if module is None:
            yield joined(code[found.start() : end])
            continue
        yield joined(structure[found.start() : module.end()])
        yield from _items(structure, code, module.end(), end - 1)
    for found in _MODULE_FILE.finditer(structure):
        # A module that is cut off takes its tests along.
        before = structure[max(0, found.start() - _LONGEST_GUARD) : found.start()].rstrip()
        guard = _GUARD.search(before)
        yield joined(f"{guard[0] if guard else ''} {found[1]}")


def crate_sources(trees: TreePair) -> list[str]:
    """The sources of the base that may have a document of their own."""
    return [path for path in trees.base_paths if path.endswith(("src/lib.rs", "src/main.rs"))]


def crate_documents(trees: TreePair) -> frozenset[str]:
    """The names of the documents whose code crates of the base have as tests."""
    texts = map(trees.base_text, crate_sources(trees))
    return frozenset(name for text in texts for name in _INCLUDED.findall(text))


def read_document_tests(text: str) -> Iterator[str]:
    """Each block of code of such a document."""
    return (joined(found[0]) for found in _FENCES.finditer(text))


def read_rust_doctests(text: str) -> Iterator[str]:
    """Each block of code in the documentation."""
    for found in _DOCUMENTATION.finditer(text):
        lines = [re.sub(r"^\s*//[/!] ?", "", line) for line in found[0].splitlines()]
        block: list[str] | None = None
        for line in lines:
            is_fence = line.lstrip().startswith("```")
            if block is not None and is_fence:
                yield joined(" ".join(block))
                block = None
            elif is_fence:
                block = [line.strip()]
            elif block is not None:
                block.append(line)


def _items(structure: str, code: str, start: int, end: int) -> Iterator[str]:
    for first, last in statements(structure, start, end, ends="};"):
        item = joined(code[first:last]).strip(";")
        imported = _USE.fullmatch(item)
        if imported is None and item:
            yield item
        elif imported is not None:
            yield from (f"use {path};" for path in _expand_imports(imported[1]))


def _expand_imports(path: str) -> list[str]:
    """Each name of `a::{b, c::{d, e}}` with its own path."""
    paths, steps = [path.strip()], 0
    while (at := next((n for n, each in enumerate(paths) if "{" in each), -1)) >= 0:
        each = paths.pop(at)
        found = re.search(r"\{([^{}]*)\}", each)
        steps += 1
        if found is None or max(len(paths), steps) > _MOST_IMPORTS:
            return [path]
        names = [name.strip() for name in found[1].split(",") if name.strip()]
        paths[at:at] = [each[: found.start()] + name + each[found.end() :] for name in names]
    return list(dict.fromkeys(paths))
