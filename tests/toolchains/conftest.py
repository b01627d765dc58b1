"""Programs run for each caller; `--all-programs` adds the long ones."""

from collections.abc import Iterator

import pytest

from tests.escapes.callers import CALLERS, Caller, called_by


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all-programs", action="store_true", help="run the long programs, too")


@pytest.fixture(params=CALLERS, scope="module")
def caller(request: pytest.FixtureRequest) -> Iterator[Caller]:
    with called_by(request.param) as caller:
        yield caller
