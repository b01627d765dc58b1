"""Which packages judge, which names no package may take, and which versions are plain. Pure."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from treadle.verify.commands import programs

Table = Mapping[str, Any]

# Packages that run or judge tests, by how their names begin; a scope begins with `@`.
_TEST_PACKAGES = (
    *(
        "vitest",
        "@vitest/",
        "jest",
        "@jest/",
        "ts-jest",
        "babel-jest",
        "@swc/jest",
        "mocha",
        "chai",
    ),
    *("sinon", "ava", "tap", "tape", "jasmine", "karma", "@playwright/", "playwright", "cypress"),
    *("@testing-library/", "supertest", "nock", "msw", "c8", "nyc", "uvu", "qunit", "tsx"),
    *(
        "ts-node",
        "typescript",
        "eslint",
        "@types/jest",
        "@types/mocha",
        "should",
        "expect",
        "node:",
    ),
    *("pytest", "hypothesis", "coverage", "nose", "tox", "nox", "mock", "unittest", "behave"),
    *("freezegun", "responses", "requests-mock", "factory", "mypy", "ruff", "flake8", "pylint"),
    *("phpunit/", "pestphp/", "mockery/", "behat/", "codeception/", "phpspec/", "phpstan/"),
    *("symfony/phpunit", "rspec", "minitest", "test-unit", "cucumber", "capybara", "simplecov"),
    *("rake", "rubocop", "assert_cmd", "assert_fs", "predicates", "proptest", "quickcheck"),
    *("rstest", "insta", "criterion", "mockall", "trybuild", "wiremock", "junit", "junit:"),
    *(
        "github.com/stretchr/testify",
        "github.com/onsi/",
        "gotest.tools",
        "github.com/google/go-cmp",
    ),
    *("org.junit.jupiter:", "org.junit.platform:", "org.junit.vintage:", "org.mockito:"),
    *("org.assertj:", "org.hamcrest:", "org.testng:", "org.scalatest:", "io.kotest:", "io.mockk:"),
)
_PYTHON_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[\w,.\s-]*\])?\s*"
    r"(?:\(?\s*[<>=!~][^@:/\\]*\)?)?\s*(?:;[^@]*)?"
)


class PlainVersion:
    """Asks whether a version comes from the registry, by the fields that say otherwise."""

    def __init__(self, foreign: Collection[str], *, text: re.Pattern[str]) -> None:
        self._foreign = frozenset(foreign)
        self._text = text

    def __call__(self, name: str, version: object) -> bool:
        if isinstance(version, str):
            return self._text.fullmatch(version) is not None
        if isinstance(version, list):
            return all(self(name, each) for each in version)
        return isinstance(version, dict) and self._foreign.isdisjoint(version)


def is_test_package(name: str) -> bool:
    """Whether a package judges, so that its version is that of the base."""
    lower = name.lower()
    return any(
        lower == each or lower.startswith(each if each[-1] in "/:" else f"{each}-")
        for each in _TEST_PACKAGES
    )


def is_free_name(name: str, taken: Collection[str] = ()) -> bool:
    """Whether a package or a program of the work may have this name."""
    return name not in programs.TOOLS and name not in taken and name not in _TEST_PACKAGES


def requirement_name(requirement: str) -> str:
    """The name in a plain requirement of Python; empty if it is another."""
    return _distribution(requirement) if _PYTHON_REQUIREMENT.fullmatch(requirement) else ""


def _distribution(requirement: object) -> str:
    """The name of a package as it is compared: in lower case, with `-` for all signs."""
    found = re.match(r"\s*([A-Za-z0-9][\w.-]*)", str(requirement))
    return re.sub(r"[-_.]+", "-", found[1].lower()) if found else ""


def merge_requirements(base: Collection[Any], work: Collection[Any]) -> list[Any]:
    """Requirements of the work, without those that are no plain versions; test packages as in the
    base."""
    known = {_distribution(each): each for each in base}
    merged: list[Any] = []
    for each in work:
        name = _distribution(each) if isinstance(each, str) else ""
        if name in known and (is_test_package(name) or not requirement_name(each)):
            merged.append(known[name])
        elif not isinstance(each, str) or requirement_name(each):
            # What is no text includes another group.
            merged.append(each)
    missing = [each for name, each in known.items() if is_test_package(name) and each not in merged]
    return merged + missing


def merge_versions(base: Table, work: Table, *, is_plain: PlainVersion) -> dict[str, Any]:
    """A table of packages and versions: the work's, but what is not plain or judges as in the
    base."""
    merged = {}
    for name, version in work.items():
        if name in base and (is_test_package(name) or not is_plain(name, version)):
            merged[name] = base[name]
        elif is_plain(name, version) or version == base.get(name):
            merged[name] = version
    missing = {name: base[name] for name in base if is_test_package(name) and name not in work}
    return {**merged, **missing}
