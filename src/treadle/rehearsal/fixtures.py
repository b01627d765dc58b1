"""pytest fixtures for rehearsals; add `treadle.rehearsal.fixtures` to `pytest_plugins`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi

Rehearse = Callable[[str], ScriptedApi]


@pytest.fixture
def rehearse() -> Iterator[Rehearse]:
    """Start a scripted Messages API from the text of a script.

    The test fails if a script has no turn left, an expectation is not met, or turns are unused.
    """
    with ExitStack() as stack:
        started: list[ScriptedApi] = []

        def start(script: str) -> ScriptedApi:
            api = stack.enter_context(ScriptedApi(parse_script(script, source="script")))
            started.append(api)
            return api

        yield start
        problems = [problem for api in started for problem in api.problems()]
    assert problems == [], "the rehearsal was not as scripted"  # noqa: S101
