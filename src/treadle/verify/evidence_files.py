"""Rules for evidence files: tests, and the settings that run and count them. Data; pure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from pathlib import PurePosixPath

from treadle.domain.check import FileChange, FileChangeKind
from treadle.domain.events.verification import EvidenceFileKind, TouchedFile


@dataclass(frozen=True, slots=True)
class EvidenceRule:
    """Matches paths by file name or by a parent directory, as lower-case globs.

    A directory of several parts matches only at the top of the project.
    """

    kind: EvidenceFileKind
    names: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


# The first matching rule decides the kind.
RULES = (
    EvidenceRule(
        "coverage",
        names=(
            *(".coveragerc", "coveragerc", "codecov.y*ml", ".codecov.y*ml", ".coveralls.y*ml"),
            *(".nycrc*", "nyc.config.*", ".c8rc*", ".lcovrc", ".simplecov", "*tarpaulin.toml"),
            *(
                "vitest.config.*",
                "vitest.workspace.*",
                "vite.config.*",
                "jest.config.*",
                "karma.conf.*",
            ),
            *("phpunit.xml*", "sonar-project.properties"),
        ),
        examples=(".coveragerc", "web/vitest.config.ts", "codecov.yml", "jest.config.js"),
    ),
    EvidenceRule(
        "ci",
        names=(
            *(".gitlab-ci.y*ml", ".travis.y*ml", ".drone.y*ml", ".cirrus.y*ml", ".woodpecker.y*ml"),
            *("jenkinsfile*", "azure-pipelines*.y*ml", "bitbucket-pipelines.y*ml"),
            *("appveyor.y*ml", ".appveyor.y*ml", "cloudbuild.y*ml"),
        ),
        directories=(
            *(".github/workflows", ".github/actions", ".gitlab/ci"),
            *(".forgejo/workflows", ".gitea/workflows"),
            *(".circleci", ".buildkite", ".woodpecker"),
        ),
        examples=(".github/workflows/ci.yml", ".gitlab-ci.yml", ".circleci/config.yml"),
    ),
    EvidenceRule(
        "lint",
        names=(
            *("ruff.toml", ".ruff.toml", ".flake8", "mypy.ini", ".mypy.ini", "*pylintrc"),
            *("pyrightconfig.json", ".bandit", ".eslintrc*", "eslint.config.*", ".eslintignore"),
            *(".prettierrc*", "prettier.config.*", ".prettierignore", "biome.json*"),
            *("tsconfig*.json", "tslint.json", ".stylelintrc*", "stylelint.config.*"),
            *(".rubocop*.y*ml", ".golangci.*", "*clippy.toml", "*rustfmt.toml", ".credo.exs"),
            *("phpstan*.neon*", "phpcs.xml*", ".php-cs-fixer*", "psalm.xml*", "checkstyle.xml"),
            *("detekt.y*ml", ".swiftlint.y*ml", ".clang-tidy", ".clang-format", ".editorconfig"),
            *(".markdownlint*", ".yamllint*", ".shellcheckrc", ".hadolint.y*ml"),
            *(".pre-commit-config.y*ml", "lefthook.y*ml", ".lintstagedrc*", "lint-staged.config.*"),
            # These files contain linter settings, and the commands that run the other tools.
            *("pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "package.json"),
            *("cargo.toml", "composer.json", "deno.json*", "rakefile", "build.gradle*", "pom.xml"),
            *("makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile.y*ml"),
        ),
        directories=(".husky", ".cargo"),
        examples=("ruff.toml", ".eslintrc.json", "pyproject.toml", "Makefile", "app/tsconfig.json"),
    ),
    EvidenceRule(
        "tests",
        names=(
            *("test_*", "*_test.*", "*.test.*", "*.spec.*", "*_spec.*", "test.*", "tests.*"),
            *("*tests.cs", "*test.java", "*tests.java", "*test.kt", "*test.php", "*tests.swift"),
            *(
                "conftest.py",
                "pytest.ini",
                ".pytest.ini",
                "sitecustomize.py",
                ".mocharc*",
                ".rspec",
                "*.snap",
                "*.feature",
            ),
            *("playwright.config.*", "cypress.config.*", "jest.setup.*", "vitest.setup.*"),
        ),
        directories=(
            *("test", "tests", "__tests__", "spec", "e2e", "cypress"),
            *("testdata", "test-data", "fixtures", "__fixtures__", "__mocks__"),
            *("snapshots", "__snapshots__"),
        ),
        examples=(
            *("tests/unit/test_greeting.py", "pkg/sum_test.go", "web/cart.spec.ts", "conftest.py"),
            *("src/__tests__/cart.js", "spec/models/cart_spec.rb", "pkg/testdata/in.json"),
        ),
    ),
)

_MATCHES_NOTHING = r"(?!)"
_CHANGE_ORDER: tuple[FileChangeKind, ...] = ("removed", "changed", "added")
_KIND_ORDER: tuple[EvidenceFileKind, ...] = (
    "check",
    "specification",
    "coverage",
    "ci",
    "lint",
    "tests",
)


def evidence_kind(path: str) -> EvidenceFileKind | None:
    """The kind of an evidence file; None for any other file."""
    parts = tuple(part.lower() for part in PurePosixPath(path).parts)
    return next((rule.kind for rule in RULES if _matches_rule(rule, parts)), None)


def no_command_file(path: str) -> EvidenceFileKind | None:
    """The default: no command names a file."""
    return None


def find_touched_evidence(
    changes: Iterable[FileChange],
    *,
    specification: str = "",
    named: Callable[[str], EvidenceFileKind | None] = no_command_file,
) -> tuple[TouchedFile, ...]:
    """The changed evidence files, most important first.

    Files that a command uses come first, then removed and changed files before new ones, then
    settings before tests. `specification` is the path of the specification that the run works on;
    `named` returns the kind of a file that a check or test command uses.
    """
    ranks: dict[TouchedFile, int] = {}
    for change in changes:
        spec_kind: EvidenceFileKind | None = (
            "specification" if change.path == specification else None
        )
        command_kind = None if spec_kind else named(change.path)
        if kind := spec_kind or command_kind or evidence_kind(change.path):
            file = TouchedFile(change.path, kind, change.how)
            ranks[file] = 0 if command_kind and change.how != "added" else 1
    return tuple(sorted(ranks, key=lambda file: (ranks[file], *_sort_key(file))))


def _sort_key(file: TouchedFile) -> tuple[int, int, str]:
    return _CHANGE_ORDER.index(file.change), _KIND_ORDER.index(file.judge), file.path


def _matches_rule(rule: EvidenceRule, parts: tuple[str, ...]) -> bool:
    *directories, name = parts or ("",)
    if _compile_names(rule.names).match(name):
        return True
    return any(_is_below(directory, directories) for directory in rule.directories)


@cache
def _compile_names(names: tuple[str, ...]) -> re.Pattern[str]:
    """One pattern for all names: compiling each of them takes longer than matching."""
    return re.compile("|".join(map(translate, names)) or _MATCHES_NOTHING)


def _is_below(directory: str, parents: list[str]) -> bool:
    parts = directory.split("/")
    return parents[: len(parts)] == parts if len(parts) > 1 else directory in parents
