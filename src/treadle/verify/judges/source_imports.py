"""Reads which names a source imports, and by which names a source is imported. Pure."""

import posixpath
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

_IMPORT = re.compile(
    r"^.*\b(?:import|from|require|require_once|require_relative|include|include_once|use|load|source"
    r"|autoload|mod)\b.*$|^\s*\.\s.*$",
    re.MULTILINE,
)
# A line of a block of imports in Go.
_GO_PATH = re.compile(r"^\s*(?:import\s+)?(?:[\w.]+\s+)?\"[\w./-]+\"\s*$", re.MULTILINE)
_WORD = re.compile(r"[\w-]+")
# Files of one package need no import, or a path names them where they are used.
_WITHOUT_IMPORTS = (".rs", ".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".swift", ".php")
# Files that are imported by the name of their folder.
_FOLDER_FILES = frozenset({"index", "__init__", "mod", "lib"})
_SOURCE_FOLDERS = frozenset({"src", "lib"})


@dataclass(frozen=True, slots=True)
class SourceImports:
    """Which sources import which, by the words in their import lines; each is read once."""

    text_of: Callable[[str], str]
    _words: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def importers(self, path: str, sources: Iterable[str]) -> list[str]:
        """Those of the sources that import a file."""
        name = _name_of(path)
        return [each for each in sources if each != path and name in self._imported_words(each)]

    def _imported_words(self, path: str) -> frozenset[str]:
        if path not in self._words:
            self._words[path] = _words_of(path, self.text_of(path))
        return self._words[path]


def _words_of(path: str, text: str) -> frozenset[str]:
    """The words in the import lines of a source; all of its words if it may need no import."""
    if path.endswith(_WITHOUT_IMPORTS):
        return frozenset(_WORD.findall(text))
    lines = [*_IMPORT.findall(text), *(_GO_PATH.findall(text) if path.endswith(".go") else ())]
    return frozenset(_WORD.findall("\n".join(lines)))


def _name_of(path: str) -> str:
    """The last word by which others import a source: its stem, or a folder that stands for it."""
    folder, name = posixpath.split(path)
    stem = name.partition(".")[0]
    if not folder or not (path.endswith(".go") or stem in _FOLDER_FILES):
        return stem
    above, last = posixpath.split(folder)
    package = posixpath.basename(above) if above and last in _SOURCE_FOLDERS else last
    return package.replace("-", "_") if path.endswith(".rs") else package
