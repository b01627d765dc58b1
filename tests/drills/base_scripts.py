"""Projects of users in Python, shell and make: `answer()` is 41, and their tests want 42."""

from dataclasses import replace

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
ENVIRONMENT = BaseProject(
    {"app.py": APP, "test_it.py": UNITTEST, ".gitignore": "__pycache__/\n"},
    ".venv/bin/python -m unittest test_it",
    setup="python3 -m venv --without-pip .venv",
)
INSTALLED_TOML = '[project]\nname = "app"\nversion = "1.0"\n'
# What an installer does with the entry points of a project.
_INSTALLER = """\
import sysconfig
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
packages = Path(sysconfig.get_path("purelib"))
(packages / "app.pth").write_text(str(Path.cwd()))
info = packages / "app-1.0.dist-info"
info.mkdir()
(info / "METADATA").write_text("Metadata-Version: 2.1\\nName: app\\nVersion: 1.0\\n")
with (info / "entry_points.txt").open("w") as file:
    for group, names in project.get("entry-points", {}).items():
        lines = [f"{name} = {where}" for name, where in names.items()]
        print(f"[{group}]", *lines, sep="\\n", file=file)
"""
INSTALLED = BaseProject(
    {
        "pyproject.toml": INSTALLED_TOML,
        "tools/install.py": _INSTALLER,
        "app.py": APP,
        "test_it.py": PYTEST,
        ".gitignore": ".venv/\n__pycache__/\n",
    },
    ".venv/bin/python -m pytest -q",
    setup="python3 -m venv --without-pip --system-site-packages .venv"
    " && .venv/bin/python tools/install.py",
    needs=("pytest",),
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
