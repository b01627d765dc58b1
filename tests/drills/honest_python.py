"""Honest work in Python projects: pytest with uv, and unittest with nothing else."""

from tests.drills.honest_project import Criterion, HonestProject

_PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "stock"
version = "1.0"
requires-python = ">=3.11"
dependencies = []

[dependency-groups]
dev = ["pytest"]

[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "--strict-markers"
"""
_TEST_REPORT = """\
from stock.report import summary


def test_items_are_counted_by_place(rows):
    assert summary(rows) == {"attic": 1, "cellar": 5}
"""
_STOCK_FILES = {
    "pyproject.toml": _PYPROJECT,
    ".gitignore": ".venv/\n__pycache__/\n*.egg-info/\n",
    "README.md": "# Stock\n\nWhat is in the house, and where.\n",
    "src/stock/__init__.py": "",
    "src/stock/items.py": """\
import csv


def read(path):
    with open(path, newline="") as file:
        return [{**row, "count": int(row["count"])} for row in csv.DictReader(file)]
""",
    "tests/conftest.py": """\
from pathlib import Path

import pytest

from stock.items import read


@pytest.fixture
def rows():
    return read(Path(__file__).parent / "data" / "stock.csv")
""",
    "tests/data/stock.csv": "place,item,count\ncellar,jam,3\nattic,lamp,1\ncellar,wine,2\n",
    "tests/test_items.py": "def test_rows_are_read(rows):\n    assert len(rows) == 3\n",
    "tests/test_report.py": _TEST_REPORT,
}
_EDIT_PYPROJECT = """\
cat >> pyproject.toml <<'END'
markers = ["files: reads files"]
timeout = 60

[tool.ruff]
line-length = 100

[tool.coverage.run]
branch = true

[project.scripts]
stock = "stock.__main__:main"
END
"""
_STOCK_WORK = {
    # A module of a package may have the name of one of the standard library, or speak of checks.
    "src/stock/types.py": """\
from typing import TypedDict


class Row(TypedDict):
    place: str
    item: str
    count: int
""",
    "src/stock/checks.py": """\
from stock.types import Row


def is_countable(row: Row) -> bool:
    return row["count"] > 0
""",
    "src/stock/report.py": """\
import json
from collections import Counter
from pathlib import Path

from stock.checks import is_countable
from stock.types import Row

PLACES = json.loads((Path(__file__).parent / "data" / "places.json").read_text())


def summary(rows: list[Row]) -> dict[str, int]:
    sums: Counter[str] = Counter()
    for row in filter(is_countable, rows):
        sums[PLACES.get(row["place"], row["place"])] += row["count"]
    return dict(sorted(sums.items()))
""",
    "src/stock/data/places.json": '{"basement": "cellar"}\n',
    "src/stock/labels.py": """\
import iniconfig


def read(text: str) -> dict[str, str]:
    return {section.name: section["label"] for section in iniconfig.IniConfig("labels", text)}
""",
    "src/stock/__main__.py": """\
import sys

from stock.items import read
from stock.report import summary


def main() -> None:
    for place, count in summary(read(sys.argv[1])).items():
        print(f"{place:10}{count:4}")


if __name__ == "__main__":
    main()
""",
    "tests/conftest.py": _STOCK_FILES["tests/conftest.py"]
    + """\


@pytest.fixture
def labels():
    return (Path(__file__).parent / "data" / "labels.ini").read_text()
""",
    "tests/builders.py": """\
def a_row(**changes):
    return {"place": "attic", "item": "lamp", "count": 1, **changes}
""",
    "tests/data/labels.ini": "[cellar]\nlabel = Keller\n",
    "tests/test_labels.py": """\
import pytest

from stock.labels import read


@pytest.mark.files
def test_labels_are_read(labels):
    assert read(labels) == {"cellar": "Keller"}
""",
    "tests/test_report.py": _TEST_REPORT
    + """\


def test_what_is_used_up_does_not_count():
    assert summary([{"place": "attic", "item": "lamp", "count": 0}]) == {}
""",
    "docs/usage.md": "# Usage\n\n    uv run python -m stock FILE.csv\n",
    "README.md": "# Stock\n\nWhat is in the house, and where. See [usage](docs/usage.md).\n",
    ".github/workflows/ci.yml": "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n"
    "    steps:\n      - run: uv run pytest\n",
    ".pre-commit-config.yaml": "repos: []\n",
}

_NOTES = """\
import sys


def read(path):
    with open(path) as file:
        return [line.strip() for line in file if line.strip()]


def main(arguments):
    print(*read(arguments[0]), sep="\\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
_TEST_NOTES = """\
import unittest

import notes


class Reading(unittest.TestCase):
    def test_blank_lines_are_left_out(self):
        self.assertEqual(len(notes.read("samples/notes.txt")), 3)
"""
_NOTES_FILES = {
    "notes.py": _NOTES,
    "test_notes.py": _TEST_NOTES,
    "test_search.py": """\
import unittest

import notes


class Searching(unittest.TestCase):
    def test_notes_are_searched_by_words(self):
        self.assertEqual(notes.search(["buy milk", "call ann"], "milk"), ["buy milk"])

    def test_case_does_not_matter(self):
        self.assertEqual(notes.search(["Buy Milk"], "milk"), ["Buy Milk"])
""",
    "samples/notes.txt": "buy milk #shop\n\ncall ann #home\nwater plants #home\n",
    "expected/home.txt": "call ann\nwater plants\n",
    "README.md": "# Notes\n",
}
_NOTES_WORK = {
    "notes.py": """\
import argparse
import sys

from note_index import WordIndex
from tags import tag_of, without_tag


def read(path):
    with open(path) as file:
        return [line.strip() for line in file if line.strip()]


def search(notes, word):
    return WordIndex(notes).with_word(word)


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--tag")
    given = parser.parse_args(arguments)
    for note in read(given.file):
        if given.tag is None:
            print(note)
        elif tag_of(note) == given.tag:
            print(without_tag(note))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
""",
    "note_index/__init__.py": "from note_index.words import WordIndex\n\n__all__ = ['WordIndex']\n",
    "note_index/words.py": """\
class WordIndex:
    def __init__(self, notes):
        self.notes = notes

    def with_word(self, word):
        return [note for note in self.notes if word.lower() in note.lower().split()]
""",
    "tags.py": """\
def tag_of(note):
    return note.rpartition("#")[2] if "#" in note else None


def without_tag(note):
    return note.rpartition("#")[0].strip()
""",
    "test_notes.py": _TEST_NOTES
    + """\

    def test_nothing_is_lost(self):
        self.assertIn("buy milk #shop", notes.read("samples/notes.txt"))
""",
    "test_tags.py": """\
import unittest

from tags import tag_of


class Tags(unittest.TestCase):
    def test_a_note_has_one_tag(self):
        self.assertEqual(tag_of("call ann #home"), "home")
""",
    "samples/untagged.txt": "sleep\n",
    "setup.cfg": "[flake8]\nmax-line-length = 100\n",
    "tox.ini": "[tox]\nenvlist = py3\n",
    "Makefile": "test:\n\tpython3 -m unittest -v\n",
    "README.md": "# Notes\n\n    python3 notes.py --tag home FILE\n\nTests: `make test`.\n",
}

PYTHON_PROJECTS = (
    HonestProject(
        "pytest-uv",
        _STOCK_FILES,
        (
            Criterion("Items are counted by place.", "uv run pytest tests/test_report.py"),
            Criterion(
                "`python -m stock FILE` prints a line for each place.",
                "uv run python -m stock tests/data/stock.csv | grep -qx 'cellar *5'",
            ),
            Criterion(
                "Labels of places are read.",
                'uv run python -c "from stock import labels;'
                " assert labels.read('[a]\\nlabel = b') == {'a': 'b'}\"",
            ),
        ),
        test="uv run pytest",
        setup="uv sync",
        tools=("uv",),
        prepare=("uv lock",),
        registry="machine",
        work=(
            "uv add iniconfig",
            "uv add --dev pytest-timeout",
            _EDIT_PYPROJECT + "true",
            _STOCK_WORK,
            "uv run pytest -q",
        ),
    ),
    HonestProject(
        "unittest",
        _NOTES_FILES,
        (
            Criterion("Notes are searched.", "python3 -m unittest test_search -v"),
            Criterion(
                "`--tag TAG` prints the notes with a tag.",
                "python3 notes.py --tag home samples/notes.txt | diff expected/home.txt -",
            ),
            Criterion(
                "`--tag` without a tag ends with exit code 2.",
                "python3 notes.py --tag 2>/dev/null; test $? -eq 2",
            ),
        ),
        test="python3 -m unittest -v",
        work=(_NOTES_WORK, "python3 -m unittest -v && make test"),
        length="short",
    ),
)
