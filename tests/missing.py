"""A component that a test needs and the machine lacks: a failure in CI, a skip elsewhere."""

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    if os.environ.get("CI"):  # noqa: TID251  # where the test runs, not what it tests
        pytest.fail(f"missing in CI: {what}")
    pytest.skip(what)
