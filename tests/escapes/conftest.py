"""Tests are made for each caller, or for us alone where callers make no difference; always with
either launcher."""

from collections.abc import Iterator

import pytest

from tests.escapes.callers import WAYS, Caller, called_by
from tests.escapes.scene import Scene, scene_for
from tests.launchers import LANGUAGES


@pytest.fixture(params=WAYS, ids="-".join, scope="module")
def caller(request: pytest.FixtureRequest) -> Iterator[Caller]:
    with called_by(*request.param) as somebody:
        yield somebody


@pytest.fixture(params=LANGUAGES, scope="module")
def us(request: pytest.FixtureRequest) -> Iterator[Caller]:
    with called_by("ourselves", request.param) as ourselves:
        yield ourselves


@pytest.fixture(scope="module")
def scene(caller: Caller) -> Iterator[Scene]:
    with scene_for(caller) as somewhere:
        yield somewhere
