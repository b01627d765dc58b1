"""Every test of a login gets a service and a home of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.identity.service import IdentityService


@pytest.fixture
def identity(tmp_path: Path) -> Iterator[IdentityService]:
    with IdentityService(tmp_path / "identity") as service:
        yield service


@pytest.fixture
def home(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    return path
