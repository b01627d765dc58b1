"""A Python project gets an environment of its own, with all that its commands start."""

from pathlib import Path

import pytest

from tests.unit.workspace.detection import lay_out, proposed
from treadle.workspace.detect import DetectedCommands

VENV = "python3 -m venv .venv && .venv/bin/pip install"

CASES: list[tuple[dict[str, str], DetectedCommands]] = [
    (
        {"pyproject.toml": "[project]\nname='x'\n[tool.pytest.ini_options]", "uv.lock": ""},
        # No manifest asks for it.
        DetectedCommands(("python",), "uv sync", "", "uv run --with pytest pytest"),
    ),
    (
        {
            "pyproject.toml": "[tool.uv]\n[dependency-groups]\ndev=['ruff']\ntest=['pytest']"
            "\n[project.optional-dependencies]\nlint=['mypy']\ndocs=['x']\n[tool.ruff]\n[tool.mypy]",
        },
        DetectedCommands(
            ("python",),
            "uv sync --extra lint --group test",
            "uv run ruff check . && uv run mypy .",
            "uv run pytest",
        ),
    ),
    (
        {
            "pyproject.toml": "[tool.uv]\ndefault-groups='all'\n[tool.uv.workspace]\nmembers=['a']"
            "\n[dependency-groups]\ntest=['pytest']",
            "a/pyproject.toml": "[project]",
        },
        DetectedCommands(("python",), "uv sync --all-packages", "", "uv run pytest"),
    ),
    (
        {"pyproject.toml": "[tool.poetry.dependencies]\npytest='*'\n[tool.ruff]\n[tool.mypy]"},
        DetectedCommands(
            ("python",),
            "poetry install --no-root && poetry run pip install ruff mypy",
            "poetry run ruff check . && poetry run mypy .",
            "poetry run pytest",
        ),
    ),
    (
        {
            "pyproject.toml": "[tool.poetry]\nname='a-b'\n[tool.poetry.extras]\ntest=['x']\n"
            "[tool.poetry.group.dev]\noptional=true\n[tool.poetry.group.dev.dependencies]\n"
            "pytest='*'",
            "poetry.lock": "",
            "a_b/__init__.py": "",
        },
        DetectedCommands(
            ("python",),
            "poetry install --with dev --extras test"
            " || (poetry lock && poetry install --with dev --extras test)",
            "",
            "poetry run pytest",
        ),
    ),
    (
        {
            "pyproject.toml": "[project]\n[tool.hatch.envs.default]\ndependencies=['pytest']",
        },
        DetectedCommands(("python",), "hatch env create", "", "hatch run pytest"),
    ),
    (
        {"pyproject.toml": "[tool.mypy]\nfiles=['a']", "pdm.lock": "", "pytest.ini": ""},
        DetectedCommands(("python",), "pdm install", "pdm run mypy", "pdm run pytest"),
    ),
    (
        {"Pipfile": "[dev-packages]\npytest='*'"},
        DetectedCommands(("python",), "pipenv install --dev", "", "pipenv run pytest"),
    ),
    (
        {"requirements.txt": "flask", "requirements-dev.txt": "pytest", ".flake8": ""},
        DetectedCommands(
            ("python",),
            f"{VENV} -r requirements.txt -r requirements-dev.txt flake8",
            ".venv/bin/python -m flake8",
            ".venv/bin/python -m pytest",
        ),
    ),
    (
        {
            "pyproject.toml": "[project]\n[project.optional-dependencies]\ndev=['pytest']",
            "ruff.toml": "",
        },
        DetectedCommands(
            ("python",),
            f"{VENV} -e '.[dev]' ruff",
            ".venv/bin/python -m ruff check .",
            ".venv/bin/python -m pytest",
        ),
    ),
    (
        # Groups need a newer pip than a new environment may have.
        {"pyproject.toml": "[project]\n[dependency-groups]\ndev=['pytest']\ndocs=['x']"},
        DetectedCommands(
            ("python",),
            "python3 -m venv --upgrade-deps .venv && .venv/bin/pip install -e . --group dev",
            "",
            ".venv/bin/python -m pytest",
        ),
    ),
    (
        {
            "setup.py": "setup(extras_require={'test': ['pytest'], 'docs': []})",
            "setup.cfg": "[options.extras_require]\ndev = mypy\n[other]\nlint = 1",
            "requirements/dev.txt": "x",
            "mypy.ini": "",
        },
        DetectedCommands(
            ("python",),
            f"{VENV} -r requirements/dev.txt -e '.[dev,test]'",
            ".venv/bin/python -m mypy .",
            ".venv/bin/python -m pytest",
        ),
    ),
    (
        {"setup.py": "", "tests/test_a.py": "import unittest\n"},
        DetectedCommands(
            ("python",),
            f"{VENV} -e .",
            "",
            ".venv/bin/python -m unittest discover -v -s tests",
        ),
    ),
    (
        {"a.py": "", "test_a.py": "from unittest import TestCase\n"},
        DetectedCommands(("python",), "", "", "python3 -m unittest discover -v"),
    ),
    (
        {"uv.lock": "", "pyproject.toml": "", "tests/test_a.py": "import unittest\n"},
        DetectedCommands(
            ("python",), "uv sync", "", "uv run python -m unittest discover -v -s tests"
        ),
    ),
    (
        {"a.py": "", "test/test_a.py": "def test_a(): ..."},
        DetectedCommands(("python",), f"{VENV} pytest", "", ".venv/bin/python -m pytest"),
    ),
    ({"a.py": ""}, DetectedCommands(("python",))),
    (
        {"pyproject.toml": "[broken", "conftest.py": ""},
        DetectedCommands(("python",), f"{VENV} pytest", "", ".venv/bin/python -m pytest"),
    ),
]


@pytest.mark.parametrize(
    ("files", "found"), [pytest.param(*case, id=" ".join(case[0]) or "nothing") for case in CASES]
)
def test_commands_are_proposed_from_the_files(
    tmp_path: Path, files: dict[str, str], found: DetectedCommands
) -> None:
    lay_out(tmp_path, files)

    assert proposed(tmp_path) == found
