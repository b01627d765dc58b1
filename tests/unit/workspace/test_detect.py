"""A project's commands are proposed from its files alone, and nothing is run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from treadle.domain.errors import ProjectError
from treadle.workspace.detect import (
    DetectedCommands,
    DetectedProject,
    default_packages,
    detect,
    join_commands,
)


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


def proposed(project: Path) -> DetectedCommands:
    """What `init --yes` takes, without the lines for .gitignore."""
    commands = join_commands(default_packages(detect(project).packages))
    return replace(commands, ignored=())


VENV = "python3 -m venv .venv && .venv/bin/pip install"
BUNDLE = "bundle config set --local path vendor/bundle && bundle install"
NPM = "npm ci || npm install"
MADE = "mkdir -p .treadle-reports"
JEST = "--json --outputFile=.treadle-reports/jest.json"
VITEST = "--reporter=default --reporter=junit --outputFile.junit=.treadle-reports/vitest.xml"
PHP = "--log-junit .treadle-reports/phpunit.xml"
RSPEC = "bundle exec rspec --format progress --format json --out .treadle-reports/rspec.json"

CASES: list[tuple[dict[str, str], DetectedCommands]] = [
    ({}, DetectedCommands()),
    ({"README.md": "hello"}, DetectedCommands()),
    # Python
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
    # Node
    (
        {"package.json": package({"test": "jest", "lint": "eslint ."}), "package-lock.json": ""},
        DetectedCommands(("node",), NPM, "npm run lint", f"{MADE} && npm run test -- {JEST}"),
    ),
    (
        {"package.json": package({}, "jest")},
        DetectedCommands(("node",), "npm install", "", f"{MADE} && npx jest {JEST}"),
    ),
    (
        {"package.json": package({}, "vitest", "@playwright/test"), "pnpm-lock.yaml": ""},
        DetectedCommands(
            ("node",), "pnpm install --no-frozen-lockfile", "", f"pnpm exec vitest run {VITEST}"
        ),
    ),
    (
        {"package.json": package({}, "@playwright/test"), "yarn.lock": ""},
        DetectedCommands(
            ("node",),
            "yarn install",
            "",
            "yarn run playwright test --reporter=list,json",
        ),
    ),
    (
        {"package.json": package({"test": "ava"}), "yarn.lock": "", ".yarnrc.yml": ""},
        DetectedCommands(("node",), "yarn install --no-immutable", "", "yarn run test"),
    ),
    (
        {"package.json": package({"test": "bun test"}), "bun.lockb": ""},
        DetectedCommands(("node",), "bun install", "", "bun run test"),
    ),
    (
        {"package.json": package({}, "mocha", packageManager="pnpm@9.0.0")},
        DetectedCommands(("node",), "pnpm install --no-frozen-lockfile", "", "pnpm exec mocha"),
    ),
    (
        {
            "package.json": package({"typecheck": "tsc"}, "typescript"),
            "tsconfig.json": "{}",
        },
        DetectedCommands(("node",), "npm install", "npm run typecheck", ""),
    ),
    (
        {"package.json": package({}, "typescript"), "tsconfig.json": "{}"},
        DetectedCommands(("node",), "npm install", "npx tsc --noEmit", ""),
    ),
    (
        {"package.json": package({"test": 'echo "Error: no test specified" && exit 1'})},
        DetectedCommands(("node",)),  # what npm init writes is no test
    ),
    (
        {"package.json": package({"test": "vitest --watch"}, "vitest")},
        # it would never end
        DetectedCommands(("node",), "npm install", "", f"npx vitest run {VITEST}"),
    ),
    (
        {"package.json": "{}", "test/a.test.mjs": ""},
        DetectedCommands(("node",), "", "", "node --test"),
    ),
    ({"package.json": "{broken"}, DetectedCommands(("node",))),
    ({"package.json": '["not", "a", "table"]'}, DetectedCommands(("node",))),
    ({"package.json": '{"scripts": [], "devDependencies": null}'}, DetectedCommands(("node",))),
    (
        {"package.json": package({"test": "vitest"}), "yarn.lock": ""},
        DetectedCommands(("node",), "yarn install", "", f"yarn run test {VITEST}"),
    ),
    (
        {"package.json": package({"test": "cross-env CI=1 NODE_OPTIONS=--x jest --ci"})},
        DetectedCommands(("node",), "", "", f"{MADE} && npm run test -- {JEST}"),
    ),
    # Where more than the one tool is started, or it has a report of its own, it is left alone.
    (
        {"package.json": package({"test": "tsc && jest"})},
        DetectedCommands(("node",), test="npm run test"),
    ),
    (
        {"package.json": package({"test": "vitest run --reporter=dot"})},
        DetectedCommands(("node",), test="npm run test"),
    ),
    # Go, Rust, Ruby, PHP
    (
        {"go.mod": "module x\ntool gotest.tools/gotestsum\n"},
        DetectedCommands(
            ("go",),
            "go mod download",
            "go vet ./...",
            "go tool gotestsum --junitfile=.treadle-reports/go.xml ./...",
        ),
    ),
    (
        {"go.mod": "", ".golangci.yml": ""},
        DetectedCommands(
            ("go",), "go mod download", "go vet ./... && golangci-lint run", "go test -v ./..."
        ),
    ),
    (
        {"Cargo.toml": ""},
        DetectedCommands(
            ("rust",), "cargo fetch", "cargo check --all-targets", "cargo test --no-fail-fast"
        ),
    ),
    (
        {"Gemfile": "gem 'rspec'", ".rubocop.yml": ""},
        DetectedCommands(("ruby",), BUNDLE, "bundle exec rubocop", RSPEC),
    ),
    (
        {"x.gemspec": "", "spec/a_spec.rb": ""},
        DetectedCommands(("ruby",), BUNDLE, "", RSPEC),
    ),
    (
        {"Gemfile": "", "Rakefile": "", "test/a.rb": ""},
        DetectedCommands(("ruby",), BUNDLE, "", "bundle exec rake test"),
    ),
    ({"Gemfile": ""}, DetectedCommands(("ruby",), BUNDLE)),
    (
        {"composer.json": '{"require-dev": {"phpunit/phpunit": "*"}}', "phpstan.neon": ""},
        DetectedCommands(
            ("php",),
            "composer install",
            "vendor/bin/phpstan analyse",
            f"vendor/bin/phpunit {PHP}",
        ),
    ),
    (
        {"composer.json": '{"require-dev": {"pestphp/pest": "*"}}'},
        DetectedCommands(("php",), "composer install", "", f"vendor/bin/pest {PHP}"),
    ),
    (
        {"composer.json": '{"scripts": {"test": "x"}}'},
        DetectedCommands(("php",), "composer install", "", "composer test"),
    ),
    ({"composer.json": "{}"}, DetectedCommands(("php",), "composer install")),
    (
        {"composer.json": "{}", "composer.lock": ""},
        DetectedCommands(("php",), "composer install || composer update"),
    ),
    # Java and .NET
    (
        {"pom.xml": "", "mvnw": ""},
        DetectedCommands(
            ("java",), "./mvnw -B dependency:go-offline", "./mvnw -B test-compile", "./mvnw -B test"
        ),
    ),
    (
        {"build.gradle.kts": "", "gradlew": "", "app/build.gradle.kts": "", "settings.gradle": ""},
        DetectedCommands(
            ("java",),
            "./gradlew --no-daemon testClasses",
            "",
            "./gradlew --no-daemon test --continue",
        ),
    ),
    (
        {"x.sln": ""},
        DetectedCommands(("dotnet",), "dotnet restore", "dotnet build", "dotnet test"),
    ),
    # Make
    (
        {"Makefile": "CC := cc\n.PHONY: test\nsetup:\n\nlint test: setup\n\tgo test\n"},
        DetectedCommands(("make",), "make setup", "make lint", "make test"),
    ),
    ({"Makefile": "check:\n\ttrue\n"}, DetectedCommands(("make",), test="make check")),
    ({"Makefile": "all:\n\ttest: no target\ntests = 1\ntest := 2\n"}, DetectedCommands()),
    (
        {"Makefile": "test:\n", "go.mod": ""},
        DetectedCommands(("go", "make"), "go mod download", "go vet ./...", "make test"),
    ),
    # Several at once
    (
        {"go.mod": "", "package.json": package({"test": "jest"}), "package-lock.json": ""},
        DetectedCommands(
            ("node", "go"),
            f"({NPM}) && go mod download",
            "go vet ./...",
            # Red tests of one must not hide those of the other.
            f"code=0; ({MADE} && npm run test -- {JEST}) || code=$?;"
            " (go test -v ./...) || code=$?; exit $code",
        ),
    ),
    # A workspace is one package.
    (
        {
            "package.json": json.dumps({"workspaces": ["packages/*"]}),
            "package-lock.json": "",
            "packages/a/package.json": package({"test": "jest"}),
            "packages/b/package.json": package(),
        },
        DetectedCommands(("node",), NPM, "", "npm run test --workspaces --if-present"),
    ),
    (
        {
            "package.json": package(),
            "pnpm-workspace.yaml": "packages:\n  - 'apps/*'\n",
            "apps/a/package.json": package({"test": "vitest run"}),
        },
        DetectedCommands(
            ("node",),
            "pnpm install --no-frozen-lockfile",
            "",
            "pnpm --recursive --if-present run test",
        ),
    ),
    (
        {
            "package.json": json.dumps({"workspaces": {"packages": ["./a/"]}}),
            "yarn.lock": "",
            "a/package.json": package({"test": "echo no test specified"}),
        },
        # No workspace has tests.
        DetectedCommands(("node",), "yarn install"),
    ),
    (
        {"Cargo.toml": "[workspace]", "crates/a/Cargo.toml": ""},
        DetectedCommands(
            ("rust",),
            "cargo fetch",
            "cargo check --workspace --all-targets",
            "cargo test --workspace --no-fail-fast",
        ),
    ),
    (
        {"go.work": "use ./a", "a/go.mod": ""},
        DetectedCommands(
            ("go",),
            "go mod download",
            "go vet $(go list -m -f '{{.Dir}}/...')",
            "go test -v $(go list -m -f '{{.Dir}}/...')",
        ),
    ),
    # Packages without a root are joined.
    (
        {
            "backend/pyproject.toml": "[project]\n[project.optional-dependencies]\ndev=['pytest']",
            "frontend/package.json": package({"test": "ava"}),
            "frontend/package-lock.json": "",
            "examples/x/package.json": package({"test": "ava"}),
        },
        DetectedCommands(
            ("python", "node"),
            f"(cd backend && {VENV} -e '.[dev]') && (cd frontend && ({NPM}))",
            "",
            "code=0; (cd backend && .venv/bin/python -m pytest) || code=$?;"
            " (cd frontend && npm run test) || code=$?; exit $code",
        ),
    ),
    # The root's own tests are enough.
    (
        {
            "package.json": package({"test": "ava"}),
            "tools/a/package.json": package({"test": "ava"}),
        },
        DetectedCommands(("node",), "", "", "npm run test"),
    ),
    # A target finds what the language's setup installs.
    (
        {"Makefile": "test:\n\tpytest\n", "requirements.txt": "pytest"},
        DetectedCommands(
            ("python", "make"),
            f"{VENV} -r requirements.txt",
            "",
            'PATH="$PWD/.venv/bin:$PATH" make test',
        ),
    ),
    (
        {"Makefile": "check:\nlint:\n", "uv.lock": ""},
        DetectedCommands(("make",), "", "", "make check"),
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


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"SPEC.md": "", "specs/": ""}, DetectedProject()),
        (
            {"docs/specs/a.md": "", "docs/SPEC.md": ""},
            DetectedProject(specs="docs/specs", spec="docs/SPEC.md"),
        ),
        ({"spec/a.md": "", "spec.md": ""}, DetectedProject(spec="spec.md")),
    ],
)
def test_specifications_are_found_where_they_usually_are(
    tmp_path: Path, files: dict[str, str], found: DetectedProject
) -> None:
    lay_out(tmp_path, files)

    assert detect(tmp_path) == found


def test_what_a_setup_installs_is_named_for_gitignore(tmp_path: Path) -> None:
    lay_out(tmp_path, {"setup.py": "", "package.json": package({}, "jest"), "go.mod": ""})

    assert join_commands(detect(tmp_path).packages).ignored == (
        ".venv/",
        "__pycache__/",
        "*.egg-info/",
        "node_modules/",
    )


def test_every_package_is_named_with_its_folder(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            "package.json": json.dumps({"workspaces": ["packages/*"]}),
            "packages/a/package.json": package(),
            "api/go.mod": "",
            "api/inner/go.mod": "",
            "services/x/Cargo.toml": "",
            "services/odd name/Cargo.toml": "",
        },
    )

    found = detect(tmp_path).packages

    assert [(each.folder, [stack.language for stack in each.stacks]) for each in found] == [
        (".", ["node"]),
        ("api", ["go"]),
        ("services/x", ["rust"]),
    ]


def test_odd_things_under_known_names_count_as_absent(tmp_path: Path) -> None:
    lay_out(tmp_path, {"package.json/": "", "Makefile/": "", "tests": "a file"})
    (tmp_path / "pyproject.toml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "Gemfile").write_bytes(b"\xff\xfe")

    assert proposed(tmp_path) == DetectedCommands(("python", "ruby"), BUNDLE)


def test_a_missing_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="cannot be read: No such file or directory"):
        detect(tmp_path / "missing")


def test_an_unreadable_directory_is_refused(tmp_path: Path) -> None:
    # A link to itself: unreadable for everybody, root included.
    (tmp_path / "closed").symlink_to("closed")

    with pytest.raises(ProjectError, match="cannot be read: "):
        detect(tmp_path / "closed")
