"""Every test is made for each caller."""

from collections.abc import Iterator

import pytest

from tests.escapes.callers import CALLERS, Caller, called_by


@pytest.fixture(params=CALLERS, scope="module")
def caller(request: pytest.FixtureRequest) -> Iterator[Caller]:
    with called_by(request.param) as somebody:
        yield somebody
