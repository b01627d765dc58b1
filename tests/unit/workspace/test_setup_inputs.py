"""A setup command waits for the files that it needs, and a known installer for no others."""

import json

import pytest

from treadle.workspace.setup_inputs import is_installation, missing_files, named_files

VENV = "python3 -m venv .venv && .venv/bin/pip install"
BOTH = "(cd backend && python3 -m venv .venv && .venv/bin/pip install -e .) && (cd web && npm ci)"
PLAIN = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "x"
version = "1"
"""


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("npm ci || npm install", ["package.json"]),
        ("yarn", ["package.json"]),
        ("uv sync --extra dev", ["pyproject.toml"]),
        ("poetry install || (poetry lock && poetry install)", ["pyproject.toml"]),
        (f"{VENV} -r requirements.txt -r dev.txt pytest", ["requirements.txt", "dev.txt"]),
        (f"{VENV} -e '.[dev]'", ["pyproject.toml"]),
        (f"{VENV} pytest", []),
        (BOTH, ["backend/pyproject.toml", "web/package.json"]),
        ("cargo fetch", ["Cargo.toml"]),
        ("go mod download", ["go.mod"]),
        ("bundle config set --local path vendor/bundle && bundle install", ["Gemfile"]),
        ("composer install", ["composer.json"]),
        ("make setup", ["Makefile"]),
        ("./mvnw -B dependency:go-offline", ["mvnw"]),
        ("CI=1 bin/setup", ["bin/setup"]),
        ("sh scripts/setup.sh", ["scripts/setup.sh"]),
        # Nothing is known of where these look.
        ("npm ci --prefix web", []),
        ("false", []),
        ("sh -c 'exit 1'", []),
        ("echo 'unclosed", []),
        ("", []),
    ],
)
def test_the_files_that_are_missing_are_named(command: str, missing: list[str]) -> None:
    assert list(missing_files(command, lambda path: False)) == missing
    assert missing_files(command, lambda path: True) == ()


def test_one_of_several_manifests_is_enough() -> None:
    assert missing_files("go mod download", {"go.work"}.__contains__) == ()
    assert missing_files(f"{VENV} -e .", {"setup.py"}.__contains__) == ()


@pytest.mark.parametrize(
    ("command", "manifests"),
    [
        ("npm ci || npm install", {"package.json": json.dumps({"scripts": {"test": "x"}})}),
        ("uv sync", {"pyproject.toml": PLAIN}),
        (f"{VENV} -e '.[dev]' ruff", {"pyproject.toml": PLAIN}),
        (f"{VENV} -r requirements.txt", {"requirements.txt": "flask\n"}),
        (f"{VENV} pytest", {"pyproject.toml": "[tool.ruff]"}),
        ("cargo fetch && go mod download", {}),
        ("composer install", {"composer.json": '{"require": {}}'}),
        (BOTH, {"backend/pyproject.toml": PLAIN, "web/package.json": "{}"}),
    ],
)
def test_an_installer_depends_on_its_manifests_alone(
    command: str, manifests: dict[str, str]
) -> None:
    assert is_installation(command, manifests)


@pytest.mark.parametrize(
    ("command", "manifests"),
    [
        ("sh setup.sh", {}),
        ("npm ci && npm run build", {"package.json": "{}"}),
        ("make setup", {}),
        ("echo 'unclosed", {}),
        # The project's own code is run or copied.
        ("npm ci", {"package.json": json.dumps({"scripts": {"postinstall": "node gen.js"}})}),
        ("npm ci", {"package.json": "{broken"}),
        ("npm ci", {"package.json": json.dumps({"dependencies": {"a": "file:a.tgz"}})}),
        (f"{VENV} .", {"pyproject.toml": PLAIN}),
        (f"{VENV} -e .", {"pyproject.toml": PLAIN.replace("hatchling.build", "maturin")}),
        (f"{VENV} -e .", {"pyproject.toml": PLAIN + "dynamic = ['version']"}),
        (f"{VENV} -e .", {"pyproject.toml": PLAIN + "[tool.hatch.build.hooks.custom]"}),
        (f"{VENV} -e .", {"setup.py": ""}),
        (f"{VENV} -r requirements.txt", {"requirements.txt": "-e ./lib\n"}),
        ("bundle install", {"Gemfile": "gemspec\n"}),
        ("npm ci --prefix web", {"web/package.json": "{}"}),
    ],
)
def test_whatever_else_runs_may_depend_on_every_file(
    command: str, manifests: dict[str, str]
) -> None:
    assert not is_installation(command, manifests)


def test_files_that_a_command_names_are_its_inputs() -> None:
    line = "(cd web && sh setup.sh --fast /etc/x) && pip install -r dev.txt ../outside"

    assert named_files(line) == ("web/sh", "web/setup.sh", "pip", "install", "dev.txt")


@pytest.mark.timeout(60)
def test_requirements_of_a_million_blank_lines_are_read_in_a_moment() -> None:
    blank = {"requirements.txt": "\n" * 1_000_000}

    assert is_installation("pip install -r requirements.txt", blank)
