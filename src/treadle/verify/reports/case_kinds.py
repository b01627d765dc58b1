"""Rules for the kind of a test (unit, integration, e2e), by its path and name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from treadle.domain.suite_report import CaseKind


@dataclass(frozen=True, slots=True)
class KindRule:
    """A pattern for paths (folders, modules, suites, in lower case) or for test names."""

    kind: CaseKind
    pattern: re.Pattern[str]
    matches: tuple[str, ...]
    spares: tuple[str, ...] = ()


# The first matching rule decides; any other test is a unit test.
PATH_RULES = (
    KindRule(
        "e2e",
        re.compile(r"(?<![a-z0-9])(?:e2e|end[-_ ]to[-_ ]end)(?![a-z0-9])"),
        ("tests/e2e/login.spec.ts", "tests.e2e.test_login", "login.e2e.test.js", "end-to-end/a"),
        ("see2e/a.ts", "tests/end/a.py"),
    ),
    KindRule(
        "integration",
        re.compile(r"(?<![a-z0-9])integration(?![a-z0-9])"),
        ("tests/integration/test_db.py", "tests.integration.test_db", "test_integration_store.py"),
        ("tests/disintegration.py", "integrations/a.py"),
    ),
)
NAME_RULES = (
    KindRule("e2e", re.compile(r"Test_?E2E(?![a-z])"), ("TestE2ELogin",), ("TestE2Eager",)),
    KindRule(
        "integration",
        re.compile(r"Test_?Integration(?![a-z])"),
        ("TestIntegrationStore", "TestIntegration"),
        ("TestIntegrations",),
    ),
)


# Parts of an absolute path that count: those above the checkout say nothing about the test.
_NEAREST = 3


def kind_of(paths: Iterable[str], name: str) -> CaseKind:
    """The kind of the test `name`, by its paths, modules and suites."""
    lowered = "\n".join(map(_nearest_parts, paths)).lower()
    for rule in PATH_RULES:
        if rule.pattern.search(lowered):
            return rule.kind
    for rule in NAME_RULES:
        if rule.pattern.match(name):
            return rule.kind
    return "unit"


def _nearest_parts(path: str) -> str:
    return "/".join(path.split("/")[-_NEAREST:]) if path.startswith("/") else path
