"""Setup, check and test commands of each language, from a project's files. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from treadle.domain.suite_report import REPORTS_FOLDER
from treadle.workspace.stacks.project_listing import ProjectListing

_TARGET = re.compile(r"^([A-Za-z0-9_./ -]+?)\s*::?(?!=)", re.MULTILINE)
_PHP_REPORT = f"--log-junit {REPORTS_FOLDER}/phpunit.xml"
_REQUIREMENTS = (
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "dev-requirements.txt",
)


@dataclass(frozen=True, slots=True)
class Stack:
    """One language's commands; empty where its files name none."""

    language: str
    setup: str = ""
    check: str = ""
    test: str = ""


def chain(*commands: str) -> str:
    """Join the commands with `&&`, without empty ones and repeats."""
    return " && ".join(dict.fromkeys(command for command in commands if command))


def python(files: ProjectListing) -> Stack | None:
    has_manifest = files.has(
        "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt"
    )
    if not has_manifest and not any(name.endswith(".py") for name in files.names):
        return None
    settings = files.toml("pyproject.toml")
    tools = _table(settings, "tool")
    run, setup = _python_installer(files, settings)
    ruff = "ruff" in tools or files.has("ruff.toml", ".ruff.toml")
    mypy = "mypy" in tools or files.has("mypy.ini", ".mypy.ini")
    files_named = "files" in _table(tools, "mypy") or "packages" in _table(tools, "mypy")
    return Stack(
        "python",
        setup,
        chain(
            f"{run}ruff check ." if ruff else "",
            f"{run}mypy" + ("" if files_named else " .") if mypy else "",
            f"{run}flake8" if files.has(".flake8") else "",
        ),
        _python_test(files, settings, run),
    )


def _python_installer(files: ProjectListing, settings: Mapping[str, Any]) -> tuple[str, str]:
    """The prefix of commands, and the command that installs the project."""
    tools = _table(settings, "tool")
    if files.has("uv.lock") or "uv" in tools:
        return "uv run ", "uv sync"
    if files.has("poetry.lock") or "poetry" in tools:
        return "poetry run ", "poetry install"
    if files.has("pdm.lock") or "pdm" in tools:
        return "pdm run ", "pdm install"
    if files.has("Pipfile"):
        return "pipenv run ", "pipenv install --dev"
    requirements = [f"-r {name}" for name in _REQUIREMENTS if files.has(name)]
    if "project" in settings or files.has("setup.py"):
        requirements.append(f"-e {_own_extra(settings)}")
    return "python3 -m ", f"python3 -m pip install {' '.join(requirements)}" if requirements else ""


def _own_extra(settings: Mapping[str, Any]) -> str:
    extras = _table(_table(settings, "project"), "optional-dependencies")
    names = [name for name in ("dev", "test", "tests") if name in extras]
    return f"'.[{','.join(names)}]'" if names else "."


def _python_test(files: ProjectListing, settings: Mapping[str, Any], run: str) -> str:
    tests = [name for name in files.texts if name.endswith(".py")]
    code = files.text(*tests)
    manifests = files.text("pyproject.toml", "setup.cfg", "tox.ini", "Pipfile", *_REQUIREMENTS)
    is_configured = files.has("pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py")
    has_pytest_code = re.search(
        r"^(?:async )?def test_|^import pytest|^from pytest", code, re.MULTILINE
    )
    if (
        is_configured
        or "pytest" in _table(settings, "tool")
        or "pytest" in manifests
        or has_pytest_code
    ):
        return f"{run}pytest"
    if "unittest" not in code:
        return ""
    folders = [folder for folder in ("tests", "test") if any(t.startswith(folder) for t in tests)]
    packages = [folder for folder in folders if files.has(f"{folder}/")]
    start = f" -s {packages[0]}" if packages else ""
    # Only with -v does it name the tests that pass.
    return f"{run if run.startswith('python3') else run + 'python -m '}unittest discover -v{start}"


def go(files: ProjectListing) -> Stack | None:
    if not files.has("go.mod"):
        return None
    strict = files.has(".golangci.yml", ".golangci.yaml", ".golangci.toml")
    check = chain("go vet ./...", "golangci-lint run" if strict else "")
    return Stack("go", "go mod download", check, _go_test(files))


def _go_test(files: ProjectListing) -> str:
    if "gotest.tools/gotestsum" in files.text("go.mod"):
        return f"go tool gotestsum --junitfile={REPORTS_FOLDER}/go.xml ./..."
    # Only with -v does it name the tests that pass.
    return "go test -v ./..."


def rust(files: ProjectListing) -> Stack | None:
    if not files.has("Cargo.toml"):
        return None
    # A failing target must not hide the tests of the next one.
    test = "cargo test --no-fail-fast"
    return Stack("rust", "cargo fetch", "cargo check --all-targets", test)


def ruby(files: ProjectListing) -> Stack | None:
    if not files.has("Gemfile") and not any(name.endswith(".gemspec") for name in files.names):
        return None
    test = ""
    if files.has(".rspec", "spec/") or "rspec" in files.text("Gemfile"):
        report = f"--format json --out {REPORTS_FOLDER}/rspec.json"
        test = f"bundle exec rspec --format progress {report}"
    elif files.has("Rakefile") and files.has("test/"):
        test = "bundle exec rake test"
    check = "bundle exec rubocop" if files.has(".rubocop.yml") else ""
    return Stack("ruby", "bundle install", check, test)


def php(files: ProjectListing) -> Stack | None:
    if not files.has("composer.json"):
        return None
    composer = files.json("composer.json")
    dependencies = {**_table(composer, "require"), **_table(composer, "require-dev")}
    test = ""
    if "test" in _table(composer, "scripts"):
        test = "composer test"
    elif "pestphp/pest" in dependencies:
        test = f"vendor/bin/pest {_PHP_REPORT}"
    elif files.has("phpunit.xml", "phpunit.xml.dist") or "phpunit/phpunit" in dependencies:
        test = f"vendor/bin/phpunit {_PHP_REPORT}"
    strict = files.has("phpstan.neon", "phpstan.neon.dist")
    return Stack("php", "composer install", "vendor/bin/phpstan analyse" if strict else "", test)


def make(files: ProjectListing) -> Stack | None:
    """The setup, check and test targets of a Makefile."""
    text = files.text("GNUmakefile", "makefile", "Makefile")
    targets = {name for group in _TARGET.findall(text) for name in group.split()}
    commands = [
        next((f"make {name}" for name in names if name in targets), "")
        for names in (("setup", "bootstrap", "deps"), ("check", "lint"), ("test", "tests"))
    ]
    if commands[1] == "make check" and not commands[2]:
        # In autotools and similar tools, `check` runs the tests.
        commands[1:] = ["", "make check"]
    return Stack("make", *commands) if any(commands) else None


def _table(settings: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = settings.get(name)
    return table if isinstance(table, Mapping) else {}
