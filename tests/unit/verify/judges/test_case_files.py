"""Data that tests read is told from the product's by who names it."""

import pytest

from tests.unit.verify.tree_pairs import Files, read_pair
from treadle.verify.judges.support_files import SupportFiles

CASES = "cases that the tests read"
PY_TEST = "from app import half\n\nfor a, b in json.load(open('halves.json')): ...\n"
FLAT: Files = {"test_it.py": PY_TEST, "app.py": "", "halves.json": ""}


def found(base: Files, path: str, text: str | None = "changed") -> str:
    work = {name: each for name, each in {**base, path: text}.items() if each is not None}
    return SupportFiles(read_pair(base, work)).find().get(path, "")


@pytest.mark.parametrize(
    ("base", "path"),
    [
        (FLAT, "halves.json"),
        (
            {
                "tests/test_it.py": PY_TEST.replace("halves", "data/halves"),
                "app.py": "",
                "data/halves.json": "",
            },
            "data/halves.json",
        ),
        (
            {
                "test_it.py": "from app import half\nPath('numbers').glob('*')\n",
                "app.py": "",
                "numbers/1.txt": "",
            },
            "numbers/1.txt",
        ),
        (
            {
                "app.test.js": "import { half } from './app.js'\nread('halves.csv')\n",
                "app.js": "",
                "halves.csv": "",
            },
            "halves.csv",
        ),
        (
            {
                "app_test.go": 'package app\n\nb, _ := os.ReadFile("halves.txt")\n',
                "app.go": "",
                "halves.txt": "",
            },
            "halves.txt",
        ),
    ],
)
def test_data_that_tests_of_the_product_name_judges(base: Files, path: str) -> None:
    assert found(base, path) == CASES
    assert found(base, path, None) == CASES


@pytest.mark.parametrize(
    ("test", "path", "text"),
    [
        ("test_it.py", "wanted.py", "ANSWER = 42\n"),
        ("it.test.js", "wanted.js", "export const ANSWER = 42\n"),
        ("it.bats", "wanted.bash", "answer=42\n"),
    ],
)
def test_values_that_only_tests_import_judge(test: str, path: str, text: str) -> None:
    app = f"app.{path.rpartition('.')[2]}"
    line = {"it.test.js": "import {} from './wanted.js'\nimport {} from './app.js'\n"}
    imports = line.get(test, "import app\nload wanted\nimport wanted\n")
    base = {test: imports, path: text, app: ""}

    assert found(base, path) == CASES
    assert found({**base, app: imports}, path) == ""
    assert found({**base, path: f"{text}function f() {{}}\n"}, path) == ""


@pytest.mark.parametrize(
    ("path", "text"),
    [("version.py", "V = 1\n"), ("words/__init__.py", "V = 1\n"), ("words.py", "")],
)
def test_a_version_a_package_and_an_empty_source_are_the_product(path: str, text: str) -> None:
    base = {"test_it.py": "import app\nimport version, words\n", path: text, "app.py": ""}

    assert found(base, path) == ""


def test_a_file_of_any_kind_without_which_tests_are_skipped_judges() -> None:
    base = {**FLAT, "test_it.py": f"{PY_TEST}skipUnless(exists('feature.on'))\n", "feature.on": ""}

    assert found(base, "feature.on", None) == CASES
    assert found(base, "feature.on") == ""


@pytest.mark.parametrize(
    ("base", "path"),
    [
        # Nothing but the data is looked at.
        ({"test_it.py": "open('words.json')\n", "app.py": "", "words.json": ""}, "words.json"),
        ({**FLAT, "test_it.py": "from app import half\n"}, "halves.json"),
        # The product names it, its stem or its folder.
        ({**FLAT, "app.py": "open('halves.json')\n"}, "halves.json"),
        ({**FLAT, "app.py": "load('halves')\n"}, "halves.json"),
        (
            {
                "test_it.py": "from app import load\nassert load() == 'locales/de.json'\n",
                "app.py": "Path('locales').glob('*')\n",
                "locales/de.json": "",
            },
            "locales/de.json",
        ),
        # It lies among sources of the product.
        (
            {
                "tests/test_it.py": "from app.words import W  # words.txt\n",
                "app/words.py": "",
                "app/words.txt": "",
            },
            "app/words.txt",
        ),
        # A line of a shell says itself what it compares.
        ({"tests/a.sh": "grep -q tea prices.csv\n", "app.py": "", "prices.csv": ""}, "prices.csv"),
        # Pages and schemas are no data.
        (
            {
                "test_it.py": "from app import page\nopen('index.html')\n",
                "app.py": "",
                "index.html": "",
            },
            "index.html",
        ),
    ],
)
def test_data_of_the_product_does_not(base: Files, path: str) -> None:
    assert found(base, path) == ""
