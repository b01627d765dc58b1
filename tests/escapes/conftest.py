"""Tests run for each caller, or for us alone where callers make no difference."""

from collections.abc import Iterator

import pytest

from tests.escapes.attacked_machine import AttackedMachine, make_attacked_machine
from tests.escapes.callers import CALLERS, Caller, called_by


@pytest.fixture(params=CALLERS, scope="module")
def caller(request: pytest.FixtureRequest) -> Iterator[Caller]:
    with called_by(request.param) as caller:
        yield caller


@pytest.fixture(scope="module")
def us() -> Iterator[Caller]:
    with called_by("ourselves") as ourselves:
        yield ourselves


@pytest.fixture(scope="module")
def attacked(caller: Caller) -> Iterator[AttackedMachine]:
    with make_attacked_machine(caller) as somewhere:
        yield somewhere
