"""`--all-drills` adds the long form to the few drills that every test run has."""

from pathlib import Path

import pytest

from tests.acceptance.harness import CommandHarness


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-drills", action="store_true", help="run every drill")


@pytest.fixture
def harness(tmp_path: Path) -> CommandHarness:
    return CommandHarness(tmp_path)
