"""Which files of a project judge the work that is done on it: its tests, and what runs and counts
them. Rules as data; pure."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from pathlib import PurePosixPath

from treadle.domain.change import Change, How
from treadle.domain.events.verification import Judge, Touched


@dataclass(frozen=True, slots=True)
class JudgeRule:
    """Paths by their last part, or by a directory on the way; in lower case, as globs.

    A directory may be several parts long, then it is one at the top of the project.
    """

    judge: Judge
    names: tuple[str, ...] = ()
    directories: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


# The first rule that fits says what a file is.
RULES = (
    JudgeRule(
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
    JudgeRule(
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
    JudgeRule(
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
            # They hold such settings, and the commands that run the rest.
            *("pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "package.json"),
            *("cargo.toml", "composer.json", "deno.json*", "rakefile", "build.gradle*", "pom.xml"),
            *("makefile", "gnumakefile", "*.mk", "justfile", ".justfile", "taskfile.y*ml"),
        ),
        directories=(".husky", ".cargo"),
        examples=("ruff.toml", ".eslintrc.json", "pyproject.toml", "Makefile", "app/tsconfig.json"),
    ),
    JudgeRule(
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

_NOTHING = r"(?!)"
_ORDER: tuple[How, ...] = ("removed", "changed", "added")
_JUDGES: tuple[Judge, ...] = ("check", "specification", "coverage", "ci", "lint", "tests")


def judge_of(path: str) -> Judge | None:
    """What a file judges the work by; None if it does not."""
    parts = tuple(part.lower() for part in PurePosixPath(path).parts)
    return next((rule.judge for rule in RULES if _fits(rule, parts)), None)


def unnamed(path: str) -> Judge | None:
    """No command names any file."""
    return None


def touched(
    changes: Iterable[Change],
    *,
    specification: str = "",
    named: Callable[[str], Judge | None] = unnamed,
) -> tuple[Touched, ...]:
    """Those of the changed files that judge the work, with what a person must see first in front:
    what commands go by, what is gone or another before what is new, and settings before tests.

    `specification` is the path of the file that the work was done for; `named` tells which files
    the commands go by that decide.
    """
    found: dict[Touched, int] = {}
    for change in changes:
        own: Judge | None = "specification" if change.path == specification else None
        decides = None if own else named(change.path)
        if judge := own or decides or judge_of(change.path):
            file = Touched(change.path, judge, change.how)
            found[file] = 0 if decides and change.how != "added" else 1
    return tuple(sorted(found, key=lambda file: (found[file], *_urgency(file))))


def _urgency(file: Touched) -> tuple[int, int, str]:
    return _ORDER.index(file.change), _JUDGES.index(file.judge), file.path


def _fits(rule: JudgeRule, parts: tuple[str, ...]) -> bool:
    *above, name = parts or ("",)
    if _names_of(rule.names).match(name):
        return True
    return any(_leads_through(directory, above) for directory in rule.directories)


@cache
def _names_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Any of them. To compile them one by one takes longer than all the rest of the look."""
    return re.compile("|".join(map(translate, names)) or _NOTHING)


def _leads_through(directory: str, above: list[str]) -> bool:
    wanted = directory.split("/")
    return above[: len(wanted)] == wanted if len(wanted) > 1 else directory in above
