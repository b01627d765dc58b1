"""Python projects: uv, pip with a virtual environment, poetry, and tests that need PostgreSQL."""

from pathlib import Path

from tests.projects.loopback_registry import add_wheel, serve_registry
from tests.projects.user_project import UserProject

CRITERION = "`words.names` reads the names of sections."
IGNORED = ".venv/\n__pycache__/\n*.egg-info/\n"
OLD_CODE = "def count(text):\n    return len(text.split())\n"
OLD_TEST = "import words\n\n\ndef test_count():\n    assert words.count('a b') == 2\n"
CODE = f"""\
import iniconfig


{OLD_CODE}

def names(text):
    return [section.name for section in iniconfig.IniConfig('settings', text)]
"""
TEST = f"""\
{OLD_TEST}

def test_names():
    assert words.names('[x]') == ['x']
"""
WORK = {"words.py": CODE, "tests/test_words.py": TEST}


def spec(run: str) -> str:
    check = f"{run} -c \"import words; assert words.names('[a]') == ['a']\""
    return f"# Words\n\n- {CRITERION} Check: `{check}`\n"


def test_an_agent_adds_a_dependency_to_a_uv_project(tmp_path: Path) -> None:
    user = UserProject(tmp_path, "uv")
    user.write(
        {
            "SPEC.md": spec("uv run python"),
            "pyproject.toml": '[project]\nname = "words"\nversion = "1.0"\n'
            'requires-python = ">=3.11"\ndependencies = []\n'
            '[dependency-groups]\ndev = ["pytest"]\n'
            '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            ".gitignore": IGNORED,
            "words.py": OLD_CODE,
            "tests/test_words.py": OLD_TEST,
        }
    )
    user.run_tool("uv", "lock")
    user.commit()
    lock = user.file_made_outside("uv.lock", "uv add iniconfig")

    commands = user.init()
    user.try_setup()
    user.deliver_with(CRITERION, ["uv add iniconfig"], WORK)

    assert commands == {"setup": "uv sync", "test": "uv run pytest"}
    assert (user.project / "uv.lock").read_text() == lock


def test_an_agent_adds_a_dependency_to_a_pip_project(tmp_path: Path) -> None:
    user = UserProject(tmp_path)
    manifest = (
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
        '[project]\nname = "words"\nversion = "1.0"\ndependencies = [{}]\n'
        '[project.optional-dependencies]\ndev = ["pytest"]\n'
        '[tool.setuptools]\npy-modules = ["words"]\n'
    )
    user.write(
        {
            "SPEC.md": spec(".venv/bin/python"),
            "pyproject.toml": manifest.format(""),
            ".gitignore": IGNORED,
            "words.py": OLD_CODE,
            "tests/test_words.py": OLD_TEST,
        }
    )
    user.commit()

    commands = user.init()
    user.try_setup()
    user.deliver_with(
        CRITERION,
        [".venv/bin/pip install iniconfig"],
        {"pyproject.toml": manifest.format('"iniconfig"'), **WORK},
    )

    assert commands["setup"].startswith("python3 -m venv")
    assert commands["test"] == ".venv/bin/python -m pytest"


UNITTEST = """\
import unittest

import words


class WordsTest(unittest.TestCase):
    def test_count(self):
        self.assertEqual(words.count('a b'), 2)
"""


def test_an_agent_adds_a_dependency_to_a_poetry_project(tmp_path: Path) -> None:
    user = UserProject(tmp_path, "poetry")
    code = f"import sections\n\n\n{OLD_CODE}\n\ndef names(text):\n    return sections.names(text)\n"
    with serve_registry() as registry:
        add_wheel(registry, "sections", "def names(text):\n    return [text.strip('[]')]\n")
        (user.home / ".config" / "pip").mkdir(parents=True)
        (user.home / ".config" / "pip" / "pip.conf").write_text(
            f"[global]\nindex-url = {registry.url}/simple/\n"
        )
        user.write(
            {
                "SPEC.md": spec("poetry run python"),
                "pyproject.toml": '[project]\nname = "words"\nversion = "1.0"\n'
                'requires-python = ">=3.11,<4"\ndependencies = []\n'
                "[tool.poetry]\npackage-mode = false\n"
                '[[tool.poetry.source]]\nname = "local"\npriority = "primary"\n'
                f'url = "{registry.url}/simple/"\n',
                ".gitignore": IGNORED,
                "words.py": OLD_CODE,
                "tests/__init__.py": "",
                "tests/test_words.py": UNITTEST,
            }
        )
        user.run_tool("poetry", "lock")
        user.commit()
        lock = user.file_made_outside("poetry.lock", "poetry add sections")

        user.init()
        user.try_setup()
        user.deliver_with(CRITERION, ["poetry add sections"], {"words.py": code})

    assert (user.project / "poetry.lock").read_text() == lock


POSTGRES_TEST = """\
import glob
import subprocess

import pytest

import words

BIN = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]


@pytest.fixture
def server(tmp_path):
    data = tmp_path / "data"
    subprocess.run([f"{BIN}/initdb", "-D", data, "-U", "ada", "--auth=trust"], check=True)
    options = f"-c listen_addresses='' -c unix_socket_directories={tmp_path}"
    control = [f"{BIN}/pg_ctl", "-D", data, "-w", "-l", tmp_path / "log", "-o", options]
    subprocess.run([*control, "start"], check=True)
    yield tmp_path
    subprocess.run([*control, "-m", "immediate", "stop"], check=True)


def test_count_in_the_database(server):
    query = ["psql", "-h", server, "-U", "ada", "-d", "postgres", "-tAc", "select 'a b'"]
    text = subprocess.run(query, check=True, capture_output=True, text=True).stdout
    assert words.count(text) == 2
"""


def test_the_tests_of_a_project_start_postgresql(tmp_path: Path) -> None:
    user = UserProject(tmp_path, "uv")
    user.write(
        {
            "SPEC.md": spec("uv run python"),
            "pyproject.toml": '[project]\nname = "words"\nversion = "1.0"\n'
            'requires-python = ">=3.11"\ndependencies = []\n'
            '[dependency-groups]\ndev = ["pytest"]\n'
            '[tool.pytest.ini_options]\npythonpath = ["."]\n',
            ".gitignore": IGNORED,
            "words.py": OLD_CODE,
            "tests/test_database.py": POSTGRES_TEST,
        }
    )
    user.run_tool("uv", "lock")
    user.commit()

    user.init()
    user.try_setup()
    done = user.deliver_with(
        CRITERION, ["uv add iniconfig", "uv run pytest -q"], {"words.py": CODE}
    )

    suite = done.of_type("suite.finished")[-1]
    assert (suite["objections"], [each["passed"] for each in suite["counts"]]) == ([], [1])
