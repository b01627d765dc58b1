"""Every test gets a GitHub of its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.contracts.forges import GitHubSite, github_site


@pytest.fixture
async def site(tmp_path: Path) -> AsyncIterator[GitHubSite]:
    async with github_site(tmp_path / "github") as made:
        yield made
