"""A project's commands are proposed from its files alone, and nothing is run."""

import json
from pathlib import Path

import pytest

from tests.unit.workspace.detection import lay_out, package, proposed
from treadle.domain.errors import ProjectError
from treadle.workspace.detect import DetectedCommands, DetectedProject, detect, join_commands

VENV = "python3 -m venv .venv && .venv/bin/pip install"
BUNDLE = "bundle config set --local path vendor/bundle && bundle install"
NPM = "npm ci || npm install"
MADE = "mkdir -p .treadle-reports"
JEST = "--json --outputFile=.treadle-reports/jest.json"

CASES: list[tuple[dict[str, str], DetectedCommands]] = [
    ({}, DetectedCommands()),
    ({"README.md": "hello"}, DetectedCommands()),
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
