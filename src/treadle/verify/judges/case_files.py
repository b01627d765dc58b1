"""Tells data and values that only tests read from the product's, under whatever name. Pure.

Tests name it and use the product besides; no source of the product names it. Tests that look at
nothing but the data are no tests of other code: there the data is the product.
"""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.verify.judges.source_imports import SourceImports

DATA_ENDINGS = (
    *(".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".txt", ".yaml", ".yml", ".xml"),
    *(".in", ".out", ".dat", ".bin", ".log", ".db", ".sqlite", ".sqlite3", ".npy", ".npz"),
    *(".pkl", ".parquet"),
)
# Their tests name the package of the product, or run it: neither is an import of a file.
_PACKAGE_TESTS = (".go", ".rs")
# What the lines of these compare with is read line by line, in `comparisons`.
_SHELL_TESTS = (".sh", ".bash", ".bats")
# A source with any of these computes something.
_CODE = re.compile(r"\b(?:class|def|function|sub|module|interface)\b|=>|\(")
_SCRIPT_ENDINGS = (".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".php", ".bash", ".sh")
_VALUE = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:(?:const|let|var)[ \t]+)?\$?\w{1,99}[ \t]*=", re.MULTILINE
)
# Tools and frameworks read these by themselves, or they stand for a package.
_SETTINGS = frozenset(
    {
        *("version", "_version", "__version__", "about", "settings", "config", "conf"),
        *("__init__", "index"),
    }
)


@dataclass(frozen=True)
class CaseReaders:
    """The tests and the sources of the product, which may read data."""

    imports: SourceImports
    tests: Sequence[str]
    products: Sequence[str]

    def is_case(self, path: str) -> bool:
        """Whether tests of the product read a file, and the product does not."""
        tests = self.named_by(path)
        return (
            any(self._tests_product(each, path) for each in tests if not _is_shell(each))
            and not self._lies_in_product(path)
            and not any(_can_read(self.imports.text_of(each), path) for each in self.products)
        )

    def is_constants(self, path: str) -> bool:
        """Whether tests of the product import a source of nothing but values, and it does not."""
        tests = self.imports.judges_of(path)
        return (
            path.endswith(_SCRIPT_ENDINGS)
            and posixpath.basename(path).partition(".")[0] not in _SETTINGS
            and _is_of_values(self.imports.text_of(path))
            and any(self._tests_product(each, path) for each in tests)
            and not self.imports.products_of(path)
        )

    def named_by(self, path: str) -> list[str]:
        """The tests that name a file, or its folder in a path."""
        folder, name = posixpath.split(path)
        names = [rf"(?<![\w.]){re.escape(name)}\b"]
        if folder:
            names.append(rf"[\"'`/]{re.escape(posixpath.basename(folder))}[\"'`/]")
        pattern = re.compile("|".join(names))
        return [each for each in self.tests if pattern.search(self.imports.text_of(each))]

    def _tests_product(self, test: str, path: str) -> bool:
        if test.endswith(_PACKAGE_TESTS) or _is_shell(test):
            return bool(self.products)
        return self.imports.imports_other([test], path)

    def _lies_in_product(self, path: str) -> bool:
        """Whether it lies in a folder with sources of the product, and without tests."""
        folder = posixpath.dirname(path)
        beside = [e for e in (*self.tests, *self.products) if posixpath.dirname(e) == folder]
        return bool(folder and beside) and not set(beside) & set(self.tests)


def _is_shell(path: str) -> bool:
    return path.endswith(_SHELL_TESTS)


def _is_of_values(text: str) -> bool:
    return _VALUE.search(text) is not None and _CODE.search(text) is None


def _can_read(text: str, path: str) -> bool:
    """Whether a source names a file, its stem in quotes, or its folder."""
    folder, name = posixpath.split(path)
    stem = re.escape(name.partition(".")[0])
    names = [rf"(?<![\w.]){re.escape(name)}\b", rf"[\"'`]{stem}[\"'`]"]
    if folder:
        names.append(rf"\b{re.escape(posixpath.basename(folder))}\b")
    return re.search("|".join(names), text) is not None
