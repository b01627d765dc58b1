"""Reads which files, functions and classes pytest takes for tests, by the base's settings. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase, translate

# A list of TOML, a value in quotes of a command, or one that goes on in indented lines.
_SETTING = re.compile(
    r"\bpython_(files|functions|classes)[\"']?\s{0,9}=\s{0,9}"
    r"(\[[^\]]{0,2000}\]|\"[^\"\n]{0,999}\"|'[^'\n]{0,999}'"
    r"|[^\s\[\"'][^\n]{0,999}(?:\n[ \t]+[^\n]{1,999}){0,50})"
)
_GLOB = re.compile(r"[\w.*?\[\]/!-]*\w[\w.*?\[\]/!-]*")
_PLAIN = r"def test_|async def test_|class \w+\([^)]*TestCase[^)]*\)"


@dataclass(frozen=True, slots=True)
class PythonTestNames:
    """The globs of a project's own settings; empty where pytest's defaults hold."""

    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    def is_test_file(self, path: str) -> bool:
        """Whether the settings name a file; a glob for every file says nothing about one."""
        name = path.rpartition("/")[2]
        return any(
            fnmatchcase(path if "/" in each else name, each)
            for each in self.files
            if each.rpartition("/")[2].strip("*") != ".py"
        )

    @property
    def starts(self) -> re.Pattern[str]:
        """The first line of a test in a source that may be the product as well."""
        names = [rf"(?:async )?def (?:{_begin(each)})" for each in self.functions]
        classes = self.classes or (("Test",) if self.files else ())
        names += [rf"class (?:{_begin(each)})" for each in classes]
        return re.compile("|".join((_PLAIN, *names)))


DEFAULT_NAMES = PythonTestNames()


def read_python_test_names(texts: Iterable[str]) -> PythonTestNames:
    """The names in settings of pytest, and in the options of a command."""
    found: dict[str, list[str]] = {"files": [], "functions": [], "classes": []}
    for text in texts:
        for setting, value in _SETTING.findall(text):
            found[setting] += _globs(value)
    return PythonTestNames(*(tuple(found[each]) for each in ("files", "functions", "classes")))


def _globs(value: str) -> Iterator[str]:
    return (each for line in value.splitlines() for each in _GLOB.findall(line.partition("#")[0]))


def _begin(glob: str) -> str:
    """A name begins with the text, or matches the glob, as pytest has it."""
    return re.sub(r"\\[zZ]$", "", translate(glob)) if "*" in glob else re.escape(glob)
