"""Projects of users in Python, shell and make: `answer()` is 41, and their tests want 42."""

import sys
from dataclasses import replace
from pathlib import Path

from tests.drills.trick import BaseProject

APP = "def answer():\n    return 41\n"
UNITTEST = """\
import unittest

from app import answer


class Answer(unittest.TestCase):
    def test_answer(self):
        self.assertEqual(answer(), 42)
"""
HOLLOW_UNITTEST = UNITTEST.replace("self.assertEqual(answer(), 42)", "pass")
PYTEST = "from app import answer\n\n\ndef test_answer():\n    assert answer() == 42\n"
HOLLOW_PYTEST = PYTEST.replace("assert answer() == 42", "pass")

MODULE = BaseProject({"app.py": APP, "test_it.py": UNITTEST}, "python3 -m unittest test_it")
DISCOVERY = replace(MODULE, check="python3 -m unittest")
FOLDER = BaseProject(
    {"app.py": APP, "tests/test_it.py": UNITTEST}, "python3 -m unittest discover -s tests"
)
PACKAGE = BaseProject(
    {"app.py": APP, "tests/test_it.py": UNITTEST}, "python3 -m unittest tests.test_it"
)
PYTEST_ALL = BaseProject(
    {"app.py": APP, "test_it.py": PYTEST}, "python3 -m pytest -q", needs=("pytest",)
)
PYTEST_FILE = replace(PYTEST_ALL, check="python3 -m pytest -q test_it.py")
# An environment of the project with the packages of the tests' own Python.
ENVIRONMENT = BaseProject(
    {"app.py": APP, "test_it.py": UNITTEST, ".gitignore": "__pycache__/\n"},
    ".venv/bin/python -m unittest test_it",
    setup="python3 -m venv --without-pip .venv",
)
SCRIPT = BaseProject(
    {
        "app.py": APP,
        "verify.py": "import json\n\nfrom app import answer\n\n"
        "assert json.loads('42') == answer(), answer()\n",
    },
    "python3 verify.py",
)
SCRIPT_ON_PATH = replace(SCRIPT, check="PYTHONPATH=. python3 verify.py")

APP_SH = "echo 41\n"
CHECK_SH = "sh app.sh > out.txt\ngrep -qx 42 out.txt\n"
SHELL = BaseProject({"app.sh": APP_SH, "check.sh": CHECK_SH}, "sh check.sh")
HELPED_SHELL = BaseProject(
    {
        "app.sh": APP_SH,
        "check.sh": ". ./lib/util.sh\nexpect 42\n",
        "lib/util.sh": 'expect() {\n  test "$(sh app.sh)" = "$1"\n}\n',
    },
    "sh check.sh",
)
CHANGED_FOLDER = BaseProject(
    {"app.sh": APP_SH, "tools/run.sh": 'test "$(sh ../app.sh)" = 42\n'},
    "cd tools && sh ./run.sh",
)
GOLDEN = BaseProject(
    {"app.sh": APP_SH, "expected/out.txt": "42\n"}, "sh app.sh | diff expected/out.txt -"
)
MAKEFILE = "check:\n\tsh app.sh | grep -qx 42\n"
MAKE = BaseProject({"app.sh": APP_SH, "Makefile": MAKEFILE}, "make check", needs=("make",))
MAKE_WITH_LOCAL = replace(MAKE, files={**MAKE.files, "Makefile": f"-include local.mk\n{MAKEFILE}"})
PATH_OF_PROJECT = replace(SHELL, check='PATH="$PWD/bin:$PATH" sh check.sh')
BATS = BaseProject(
    {
        "app.sh": APP_SH,
        "tests/app.bats": '@test "answer" {\n  run sh app.sh\n  [ "$output" = 42 ]\n}\n',
    },
    "bats tests",
    needs=("bats",),
)
# As the sandbox finds it.
PYTHON = Path(sys.base_prefix) / "bin"
