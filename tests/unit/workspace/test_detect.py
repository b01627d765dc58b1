"""A project's commands are proposed from its files alone, and nothing is run."""

import json
from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workspace.detect import DetectedProject, detect


def package(scripts: dict[str, str] | None = None, *tools: str, **more: object) -> str:
    wanted = dict.fromkeys(tools, "*")
    return json.dumps({"scripts": scripts or {}, "devDependencies": wanted, **more})


def lay_out(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.write_text(text)


MADE = "mkdir -p .treadle-reports"
JEST = "--json --outputFile=.treadle-reports/jest.json"
VITEST = "--reporter=default --reporter=junit --outputFile.junit=.treadle-reports/vitest.xml"
PHP = "--log-junit .treadle-reports/phpunit.xml"
RSPEC = "bundle exec rspec --format progress --format json --out .treadle-reports/rspec.json"

CASES: list[tuple[dict[str, str], DetectedProject]] = [
    ({}, DetectedProject()),
    ({"README.md": "hello"}, DetectedProject()),
    # Python
    (
        {"pyproject.toml": "[project]\nname='x'\n[tool.pytest.ini_options]", "uv.lock": ""},
        DetectedProject(("python",), "uv sync", "", "uv run pytest"),
    ),
    (
        {"pyproject.toml": "[tool.poetry.dependencies]\npytest='*'\n[tool.ruff]\n[tool.mypy]"},
        DetectedProject(
            ("python",),
            "poetry install",
            "poetry run ruff check . && poetry run mypy .",
            "poetry run pytest",
        ),
    ),
    (
        {"pyproject.toml": "[tool.mypy]\nfiles=['a']", "pdm.lock": "", "pytest.ini": ""},
        DetectedProject(("python",), "pdm install", "pdm run mypy", "pdm run pytest"),
    ),
    (
        {"Pipfile": "[dev-packages]\npytest='*'"},
        DetectedProject(("python",), "pipenv install --dev", "", "pipenv run pytest"),
    ),
    (
        {"requirements.txt": "flask", "requirements-dev.txt": "pytest", ".flake8": ""},
        DetectedProject(
            ("python",),
            "python3 -m pip install -r requirements.txt -r requirements-dev.txt",
            "python3 -m flake8",
            "python3 -m pytest",
        ),
    ),
    (
        {
            "pyproject.toml": "[project]\n[project.optional-dependencies]\ndev=['pytest']",
            "ruff.toml": "",
        },
        DetectedProject(
            ("python",),
            "python3 -m pip install -e '.[dev]'",
            "python3 -m ruff check .",
            "python3 -m pytest",
        ),
    ),
    (
        {"setup.py": "", "tests/test_a.py": "import unittest\n"},
        DetectedProject(
            ("python",),
            "python3 -m pip install -e .",
            "",
            "python3 -m unittest discover -v -s tests",
        ),
    ),
    (
        {"a.py": "", "test_a.py": "from unittest import TestCase\n"},
        DetectedProject(("python",), "", "", "python3 -m unittest discover -v"),
    ),
    (
        {"uv.lock": "", "pyproject.toml": "", "tests/test_a.py": "import unittest\n"},
        DetectedProject(
            ("python",), "uv sync", "", "uv run python -m unittest discover -v -s tests"
        ),
    ),
    (
        {"a.py": "", "test/test_a.py": "def test_a(): ..."},
        DetectedProject(("python",), "", "", "python3 -m pytest"),
    ),
    ({"a.py": ""}, DetectedProject(("python",))),
    (
        {"pyproject.toml": "[broken", "conftest.py": ""},
        DetectedProject(("python",), test="python3 -m pytest"),
    ),
    # Node
    (
        {"package.json": package({"test": "jest", "lint": "eslint ."}), "package-lock.json": ""},
        DetectedProject(("node",), "npm ci", "npm run lint", f"{MADE} && npm run test -- {JEST}"),
    ),
    (
        {"package.json": package({}, "jest")},
        DetectedProject(("node",), "npm install", "", f"{MADE} && npx jest {JEST}"),
    ),
    (
        {"package.json": package({}, "vitest", "@playwright/test"), "pnpm-lock.yaml": ""},
        DetectedProject(
            ("node",), "pnpm install --frozen-lockfile", "", f"pnpm exec vitest run {VITEST}"
        ),
    ),
    (
        {"package.json": package({}, "@playwright/test"), "yarn.lock": ""},
        DetectedProject(
            ("node",),
            "yarn install --frozen-lockfile",
            "",
            "yarn run playwright test --reporter=list,json",
        ),
    ),
    (
        {"package.json": package({"test": "ava"}), "yarn.lock": "", ".yarnrc.yml": ""},
        DetectedProject(("node",), "yarn install --immutable", "", "yarn run test"),
    ),
    (
        {"package.json": package({"test": "bun test"}), "bun.lockb": ""},
        DetectedProject(("node",), "bun install --frozen-lockfile", "", "bun run test"),
    ),
    (
        {"package.json": package({}, "mocha", packageManager="pnpm@9.0.0")},
        DetectedProject(("node",), "pnpm install", "", "pnpm exec mocha"),
    ),
    (
        {
            "package.json": package({"typecheck": "tsc"}, "typescript"),
            "tsconfig.json": "{}",
        },
        DetectedProject(("node",), "npm install", "npm run typecheck", ""),
    ),
    (
        {"package.json": package({}, "typescript"), "tsconfig.json": "{}"},
        DetectedProject(("node",), "npm install", "npx tsc --noEmit", ""),
    ),
    (
        {"package.json": package({"test": 'echo "Error: no test specified" && exit 1'})},
        DetectedProject(("node",)),  # what npm init writes is no test
    ),
    (
        {"package.json": package({"test": "vitest --watch"}, "vitest")},
        # it would never end
        DetectedProject(("node",), "npm install", "", f"npx vitest run {VITEST}"),
    ),
    (
        {"package.json": "{}", "test/a.test.mjs": ""},
        DetectedProject(("node",), "", "", "node --test"),
    ),
    ({"package.json": "{broken"}, DetectedProject(("node",))),
    ({"package.json": '["not", "a", "table"]'}, DetectedProject(("node",))),
    ({"package.json": '{"scripts": [], "devDependencies": null}'}, DetectedProject(("node",))),
    (
        {"package.json": package({"test": "vitest"}), "yarn.lock": ""},
        DetectedProject(("node",), "yarn install --frozen-lockfile", "", f"yarn run test {VITEST}"),
    ),
    (
        {"package.json": package({"test": "cross-env CI=1 NODE_OPTIONS=--x jest --ci"})},
        DetectedProject(("node",), "", "", f"{MADE} && npm run test -- {JEST}"),
    ),
    # Where more than the one tool is started, or it has a report of its own, it is left alone.
    (
        {"package.json": package({"test": "tsc && jest"})},
        DetectedProject(("node",), test="npm run test"),
    ),
    (
        {"package.json": package({"test": "vitest run --reporter=dot"})},
        DetectedProject(("node",), test="npm run test"),
    ),
    # Go, Rust, Ruby, PHP
    (
        {"go.mod": "module x\ntool gotest.tools/gotestsum\n"},
        DetectedProject(
            ("go",),
            "go mod download",
            "go vet ./...",
            "go tool gotestsum --junitfile=.treadle-reports/go.xml ./...",
        ),
    ),
    (
        {"go.mod": "", ".golangci.yml": ""},
        DetectedProject(
            ("go",), "go mod download", "go vet ./... && golangci-lint run", "go test -v ./..."
        ),
    ),
    (
        {"Cargo.toml": ""},
        DetectedProject(
            ("rust",), "cargo fetch", "cargo check --all-targets", "cargo test --no-fail-fast"
        ),
    ),
    (
        {"Gemfile": "gem 'rspec'", ".rubocop.yml": ""},
        DetectedProject(("ruby",), "bundle install", "bundle exec rubocop", RSPEC),
    ),
    (
        {"x.gemspec": "", "spec/a_spec.rb": ""},
        DetectedProject(("ruby",), "bundle install", "", RSPEC),
    ),
    (
        {"Gemfile": "", "Rakefile": "", "test/a.rb": ""},
        DetectedProject(("ruby",), "bundle install", "", "bundle exec rake test"),
    ),
    ({"Gemfile": ""}, DetectedProject(("ruby",), "bundle install")),
    (
        {"composer.json": '{"require-dev": {"phpunit/phpunit": "*"}}', "phpstan.neon": ""},
        DetectedProject(
            ("php",),
            "composer install",
            "vendor/bin/phpstan analyse",
            f"vendor/bin/phpunit {PHP}",
        ),
    ),
    (
        {"composer.json": '{"require-dev": {"pestphp/pest": "*"}}'},
        DetectedProject(("php",), "composer install", "", f"vendor/bin/pest {PHP}"),
    ),
    (
        {"composer.json": '{"scripts": {"test": "x"}}'},
        DetectedProject(("php",), "composer install", "", "composer test"),
    ),
    ({"composer.json": "{}"}, DetectedProject(("php",), "composer install")),
    # Make
    (
        {"Makefile": "CC := cc\n.PHONY: test\nsetup:\n\nlint test: setup\n\tgo test\n"},
        DetectedProject(("make",), "make setup", "make lint", "make test"),
    ),
    ({"Makefile": "check:\n\ttrue\n"}, DetectedProject(("make",), test="make check")),
    ({"Makefile": "all:\n\ttest: no target\ntests = 1\ntest := 2\n"}, DetectedProject()),
    (
        {"Makefile": "test:\n", "go.mod": ""},
        DetectedProject(("go", "make"), "go mod download", "go vet ./...", "make test"),
    ),
    # Several at once
    (
        {"go.mod": "", "package.json": package({"test": "jest"}), "package-lock.json": ""},
        DetectedProject(
            ("node", "go"),
            "npm ci && go mod download",
            "go vet ./...",
            f"{MADE} && npm run test -- {JEST} && go test -v ./...",
        ),
    ),
    # Specifications
    ({"SPEC.md": "", "specs/": ""}, DetectedProject()),
    (
        {"docs/specs/a.md": "", "docs/SPEC.md": ""},
        DetectedProject(specs="docs/specs", spec="docs/SPEC.md"),
    ),
    ({"spec/a.md": "", "spec.md": ""}, DetectedProject(spec="spec.md")),
]


@pytest.mark.parametrize(
    ("files", "found"), [pytest.param(*case, id=" ".join(case[0]) or "nothing") for case in CASES]
)
def test_commands_are_proposed_from_the_files(
    tmp_path: Path, files: dict[str, str], found: DetectedProject
) -> None:
    lay_out(tmp_path, files)

    assert detect(tmp_path) == found


def test_odd_things_under_known_names_count_as_absent(tmp_path: Path) -> None:
    lay_out(tmp_path, {"package.json/": "", "Makefile/": "", "tests": "a file"})
    (tmp_path / "pyproject.toml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "Gemfile").write_bytes(b"\xff\xfe")

    assert detect(tmp_path) == DetectedProject(("python", "ruby"), "bundle install")


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="cannot be read: No such file or directory"):
        detect(tmp_path / "missing")


def test_an_unreadable_directory_is_refused(tmp_path: Path) -> None:
    # A link to itself: unreadable for everybody, root included.
    (tmp_path / "closed").symlink_to("closed")

    with pytest.raises(ProjectError, match="cannot be read: "):
        detect(tmp_path / "closed")
