"""Settings of pytest say which files, functions and classes are tests."""

import pytest

from treadle.verify.judges.inline_tests import loses_tests
from treadle.verify.judges.python_test_names import PythonTestNames, read_python_test_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "[pytest]\npython_files = it_*.py check_*.py\npython_functions = it_*\n",
            PythonTestNames(("it_*.py", "check_*.py"), ("it_*",)),
        ),
        (
            "[tool:pytest]\npython_files =\n    it_*.py  # ours\n    x.py\naddopts = -q\n",
            PythonTestNames(("it_*.py", "x.py")),
        ),
        (
            '[tool.pytest.ini_options]\npython_files = [\n  "it_*.py",\n]\n'
            'python_classes = ["It"]\naddopts = "-q"\n',
            PythonTestNames(("it_*.py",), (), ("It",)),
        ),
        ("pytest -o python_functions='it should' -q", PythonTestNames((), ("it", "should"))),
        ("[tool.ruff]\nline-length = 100\n", PythonTestNames()),
    ],
)
def test_names_are_read_from_settings_and_commands(text: str, names: PythonTestNames) -> None:
    assert read_python_test_names([text]) == names


@pytest.mark.parametrize(
    ("globs", "path", "is_test"),
    [
        (("it_*.py",), "acceptance/it_app.py", True),
        (("it_*.py",), "app.py", False),
        (("acceptance/*_ok.py",), "acceptance/app_ok.py", True),
        # A glob for every file says nothing about one.
        (("*.py",), "app.py", False),
        (("src/*.py",), "src/app.py", False),
    ],
)
def test_a_file_is_a_test_by_its_glob(globs: tuple[str, ...], path: str, is_test: bool) -> None:
    assert PythonTestNames(globs).is_test_file(path) == is_test


@pytest.mark.parametrize(
    ("names", "test"),
    [
        (PythonTestNames(functions=("it_*",)), "def it_answers():\n    assert answer() == 42\n"),
        (PythonTestNames(functions=("check",)), "def check_it():\n    assert answer() == 42\n"),
        (
            PythonTestNames(files=("*.py",)),
            "class TestIt:\n    def it(self):\n        assert answer() == 42\n",
        ),
    ],
)
def test_tests_of_these_names_in_the_product_must_stay(names: PythonTestNames, test: str) -> None:
    base = f"def answer(): ...\n\n\n{test}"
    work = base.replace("assert answer() == 42", "pass")

    assert loses_tests("app.py", base, work, runs_doctests=False, names=names)
    assert not loses_tests("app.py", base, work, runs_doctests=False)
