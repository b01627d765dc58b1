"""Reads which sources of a tree import which, by the words in their import lines. Pure."""

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

_IMPORT = re.compile(
    r"\b(?:import|from|require|require_once|require_relative|include|include_once|use|load|source"
    r"|autoload|mod)\b|^[ \t]*\.[ \t]"
)
# A line of a block of imports in Go.
_GO_PATH = re.compile(r"\s*(?:import\s+)?(?:[\w.]+\s+)?\"[\w./-]+\"\s*")
_WORD = re.compile(r"[\w-]+")
# Files of one package need no import, or a path names them where they are used.
_WITHOUT_IMPORTS = (".rs", ".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".swift", ".php")
# Files that are imported by the name of their folder.
_FOLDER_FILES = frozenset({"index", "__init__", "mod", "lib"})
_SOURCE_FOLDERS = frozenset({"src", "lib"})


@dataclass(frozen=True)
class SourceImports:
    """The imports of sources that judge, and of the others; each source is read once."""

    text_of: Callable[[str], str]
    judges: Sequence[str]
    products: Sequence[str]

    def judges_of(self, path: str) -> list[str]:
        """The judging sources that import a file."""
        return self._importers(path, self._judges_by_word)

    def products_of(self, path: str) -> list[str]:
        """The other sources that import a file."""
        return self._importers(path, self._products_by_word)

    def imports_other(self, sources: Iterable[str], path: str) -> bool:
        """Whether one of these judging sources imports another product than this file."""
        wanted = set(sources)
        return any(
            each != path and not wanted.isdisjoint(self._judges_by_word.get(import_name(each), ()))
            for each in self.products
        )

    @cached_property
    def _judges_by_word(self) -> dict[str, list[str]]:
        return self._by_word(self.judges)

    @cached_property
    def _products_by_word(self) -> dict[str, list[str]]:
        return self._by_word(self.products)

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(map(import_name, self.products))

    def _by_word(self, sources: Iterable[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for source in sources:
            words = {word for line in _import_lines(source, self.text_of(source)) for word in line}
            for word in words:
                found[word].append(source)
        return found

    def _importers(self, path: str, by_word: dict[str, list[str]]) -> list[str]:
        name = import_name(path)
        sources = [each for each in by_word.get(name, ()) if each != path]
        has_namesake = self._names[name] > 1
        return [e for e in sources if not has_namesake or self._names_folder(e, path, name)]

    def _names_folder(self, source: str, path: str, name: str) -> bool:
        """Whether a source imports this file, not a namesake in another folder."""
        folder = posixpath.dirname(path)
        above = posixpath.basename(folder)
        above = posixpath.basename(posixpath.dirname(folder)) if above == name else above
        if posixpath.dirname(source) == folder or not above or above in _SOURCE_FOLDERS:
            return True
        lines = _import_lines(source, self.text_of(source))
        return any(name in line and above in line for line in lines)


def import_name(path: str) -> str:
    """The last word by which others import a source: its stem, or a folder that stands for it."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    if not folder or not (path.endswith(".go") or stem in _FOLDER_FILES):
        return stem
    above, last = posixpath.split(folder)
    package = posixpath.basename(above) if above and last in _SOURCE_FOLDERS else last
    return package.replace("-", "_") if path.endswith(".rs") else package


def _import_lines(path: str, text: str) -> Iterator[frozenset[str]]:
    """The words of each import line of a source; all of its words if it may need no import."""
    if path.endswith(_WITHOUT_IMPORTS):
        yield frozenset(_WORD.findall(text))
        return
    is_go = path.endswith(".go")
    for line in text.splitlines():
        if _IMPORT.search(line) or (is_go and _GO_PATH.fullmatch(line)):
            yield frozenset(_WORD.findall(line))
