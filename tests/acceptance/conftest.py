"""Every acceptance test gets a stage of its own."""

from pathlib import Path

import pytest

from tests.acceptance.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)
