"""Finds files that tests and runners of the base use besides those that are known by kind. Pure.

Settings of runners name files to load first; tests import helpers and read cases. Which of them are
the product is told by their names and by who else uses them.
"""

import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treadle.verify.judges.assertion_files import holds_tests
from treadle.verify.judges.assertion_sources import assertion_sources
from treadle.verify.judges.case_files import DATA_ENDINGS, CaseReaders
from treadle.verify.judges.judge_files import has_judge_name, judge_kind
from treadle.verify.judges.source_imports import SourceImports
from treadle.verify.judges.tree_pair import TreePair

LOADED_BY = "loaded by {}"
HELPER = "a helper only for tests"
ASSERTIONS = "assertions that the tests use"
TESTS = "tests under another name"
CASES = "cases that the tests read"

_SETTINGS = re.compile(
    r"(?:vitest|vite|jest|playwright|cypress|ava|babel|web-test-runner|wdio|nightwatch)"
    r"[\w.-]*\.(?:config|conf|workspace)\.\w+|vitest\.\w+\.[cm]?[jt]s|karma\.conf\.\w+|\.mocharc.*"
    r"|\.rspec|phpunit\.xml.*|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|package\.json"
    r"|bunfig\.toml|conftest\.py|behat\.ya?ml|codeception\.ya?ml|\.taprc|\.nycrc.*|deno\.jsonc?"
    r"|Cargo\.toml"
)
# What stands behind these is loaded before or beside the tests.
_LOADING = re.compile(
    r"(?<![\w-])(?:setupFiles(?:AfterEnv)?|globalSetup|globalTeardown|require|preload|bootstrap"
    r"|plugins?|pytest_plugins|reporters?|testRunner|runner|testEnvironment|environment|transform"
    r"|resolver|snapshotSerializers|testSequencer|supportFile|loader|import|from|--require|-r|-p)"
    r"[\"']?\s*(?:[:=(]|\s)\s*"
)
# Settings of Python's tools also name the product, which conftest.py imports.
_LOADING_PLUGINS = re.compile(r"(?<![\w-])(?:pytest_plugins|plugins?|-p)\s*(?:[=(]|\s)\s*")
_PYTHON_ENDINGS = (".py", ".ini", ".cfg", ".toml")
_CARGO_TEST = re.compile(r"^\[\[(?:test|bench)\]\][^\[]*?^path\s*=\s*", re.MULTILINE)
_RUNNER_KEYS = frozenset({"jest", "mocha", "ava", "nyc", "c8", "tap", "vitest", "jasmine"})
_TOKEN = re.compile(r"[\w@<>./-]+")
_ENDINGS = ("", ".js", ".ts", ".mjs", ".cjs", ".mts", ".jsx", ".tsx", ".py", ".rb", ".php")
_LONGEST_VALUE = 2000
_HELPERS = frozenset(
    {
        *("helper", "helpers", "fixture", "fixtures", "factory", "factories", "mock", "mocks"),
        *("stubs", "fakes", "dummies", "assertions", "asserts", "assert", "matchers", "harness"),
        *("expectations", "support"),
    }
)
_CASES = frozenset(
    {
        *("case", "cases", "sample", "samples", "example", "examples", "input", "inputs", "output"),
        *("outputs", "answers", "vectors", "corpus", "scenarios", "reference", "results"),
    }
)
# With these it has the name of a case.
_CASE_ENDINGS = (*DATA_ENDINGS, ".toml", ".sql", ".html")
_SOURCE_ENDINGS = (
    *(".py", ".js", ".ts", ".mjs", ".cjs", ".jsx", ".tsx", ".rb", ".php", ".go", ".rs", ".c", ".h"),
    *(".cc", ".cpp", ".hpp", ".java", ".kt", ".pl", ".pm", ".sh", ".bash", ".bats", ".t", ".ex"),
    *(".exs", ".mts", ".cts", ".cs", ".swift", ".scala", ".groovy"),
)
_MOST_SETTINGS = 80
_MOST_SOURCES = 5_000


@dataclass(frozen=True)
class SupportFiles:
    """The changed files of a work, seen from the tests and settings of the base."""

    trees: TreePair
    # The scripts that the command runs, besides the tests that are known by kind.
    scripts: frozenset[str] = frozenset()
    # Files of the base instead of which an added one would be loaded.
    displaced: frozenset[str] = frozenset()

    def find(self) -> dict[str, str]:
        """Why each changed file is a judge; others are not in it."""
        found = {path: HELPER for path in self._helpers if self._is_for_tests_alone(path)}
        found |= dict.fromkeys(assertion_sources(self._sources, self._imports), ASSERTIONS)
        sources = (*self._sources, *self._new_sources)
        found |= {path: TESTS for path in sources if self._is_unnamed_test(path)}
        found |= {path: CASES for path in self._cases if self._is_read_by_tests(path)}
        found |= {path: CASES for path in self._data if self._readers.is_case(path)}
        constants = filter(self._readers.is_constants, self._sources)
        found |= dict.fromkeys(constants, CASES)
        for settings in self._settings:
            for path in self._loaded_by(settings):
                found[path] = LOADED_BY.format(settings)
        return found

    def judges_of(self, path: str) -> list[str]:
        """The tests and scripts that import a file."""
        return self._imports.judges_of(path)

    def needed(self) -> Iterator[str]:
        """Files of the base whose contents tell more."""
        if self._candidates:
            yield from self._settings
        if self._new_sources or self._sources or self._cases or self._data:
            yield from self._tests
        yield from self.displaced
        texts = ((path, self.trees.work_text(path)) for path in self._new_sources)
        has_tests = any(holds_tests(path, text) for path, text in texts)
        if self._sources or has_tests or any(map(self._readers.named_by, self._data)):
            yield from self._products

    @cached_property
    def _candidates(self) -> frozenset[str]:
        return frozenset(each.path for each in self.trees.changes if not self._judges(each.path))

    @cached_property
    def _changed(self) -> list[str]:
        """Files of the base that the work changed and that are no judges by kind."""
        return sorted((self._candidates & self.trees.base_paths) | self.displaced)

    @cached_property
    def _sources(self) -> list[str]:
        return [path for path in self._changed if path.endswith(_SOURCE_ENDINGS)]

    @cached_property
    def _new_sources(self) -> list[str]:
        return [p for p in self._candidates & self.trees.added if p.endswith(_SOURCE_ENDINGS)]

    @cached_property
    def _helpers(self) -> list[str]:
        """Files with such a name that lie next to tests."""
        folders = set(map(posixpath.dirname, self._tests))
        beside = (path for path in self._sources if posixpath.dirname(path) in folders)
        return [path for path in beside if _words(posixpath.basename(path)) & _HELPERS]

    @cached_property
    def _cases(self) -> list[str]:
        data = (path for path in self._changed if path.endswith(_CASE_ENDINGS))
        return [path for path in data if _words(path) & _CASES or has_judge_name(path)]

    @cached_property
    def _data(self) -> list[str]:
        """Other data that the work changed, and whatever it removed."""
        others = [path for path in self._changed if not path.endswith(_SOURCE_ENDINGS)]
        removed = self.trees.base_paths - self.trees.work_paths
        return [path for path in others if path.endswith(DATA_ENDINGS) or path in removed]

    @cached_property
    def _readers(self) -> CaseReaders:
        return CaseReaders(self._imports, self._tests, self._products)

    @cached_property
    def _settings(self) -> list[str]:
        names = (p for p in self.trees.base_paths if _SETTINGS.fullmatch(posixpath.basename(p)))
        return sorted(names, key=lambda path: (path.count("/"), path))[:_MOST_SETTINGS]

    @cached_property
    def _tests(self) -> list[str]:
        """Sources that judge: the tests, and the scripts of the command."""
        sources = (path for path in self.trees.base_paths if path.endswith(_SOURCE_ENDINGS))
        tests = {path for path in sources if judge_kind(path) == "tests"}
        return sorted(tests | (self.scripts & self.trees.base_paths))[:_MOST_SOURCES]

    @cached_property
    def _products(self) -> list[str]:
        """Sources of the product; those beyond the most do not speak for any file."""
        sources = (path for path in self.trees.base_paths if path.endswith(_SOURCE_ENDINGS))
        return sorted(path for path in sources if not self._judges(path))[:_MOST_SOURCES]

    @cached_property
    def _imports(self) -> SourceImports:
        return SourceImports(self.trees.base_text, self._tests, self._products)

    def _judges(self, path: str) -> bool:
        return judge_kind(path) is not None or path in self.scripts

    def _is_for_tests_alone(self, path: str) -> bool:
        return bool(self._imports.judges_of(path)) and not self._imports.products_of(path)

    def _is_unnamed_test(self, path: str) -> bool:
        """Whether a source has tests, and nobody imports it."""
        text = self.trees.base_text(path) or self.trees.work_text(path)
        is_used = self._imports.judges_of(path) or self._imports.products_of(path)
        return not is_used and holds_tests(path, text)

    def _is_read_by_tests(self, path: str) -> bool:
        folder, name = posixpath.split(path)
        names = {name, posixpath.basename(folder)} - {""}
        texts = (self.trees.base_text(test) for test in self._tests)
        return any(re.search(rf"\b{re.escape(each)}\b", text) for text in texts for each in names)

    def _loaded_by(self, settings: str) -> Iterator[str]:
        folder = posixpath.dirname(settings)
        text = self.trees.base_text(settings)
        if posixpath.basename(settings) == "package.json":
            text = _runner_text(text)
        pattern = _LOADING_PLUGINS if settings.endswith(_PYTHON_ENDINGS) else _LOADING
        if posixpath.basename(settings) == "Cargo.toml":
            pattern = _CARGO_TEST
        for found in pattern.finditer(text):
            for token in _TOKEN.findall(_value(text, found.end())):
                name = token.removeprefix("<rootDir>/")
                for each in (name, name.replace(".", "/")):
                    path = posixpath.normpath(posixpath.join(folder, each))
                    yield from self._candidates & {f"{path}{ending}" for ending in _ENDINGS}


def _runner_text(text: str) -> str:
    """The parts of a package.json that are settings of runners."""
    try:
        package: Any = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return ""
    items = package.items() if isinstance(package, dict) else ()
    return json.dumps({key: value for key, value in items if key in _RUNNER_KEYS}, indent=0)


def _value(text: str, start: int) -> str:
    """A list up to its end, or the rest of the line."""
    rest = text[start : start + _LONGEST_VALUE]
    if rest[:1] in ("[", "{", "("):
        end = {"[": "]", "{": "}", "(": ")"}[rest[0]]
        return rest.partition(end)[0]
    return rest.partition("\n")[0]


def _words(path: str) -> set[str]:
    return set(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", path).lower()))
