"""Every acceptance test gets a harness of its own."""

from pathlib import Path

import pytest

from tests.acceptance.harness import CommandHarness


@pytest.fixture
def harness(tmp_path: Path) -> CommandHarness:
    return CommandHarness(tmp_path)
