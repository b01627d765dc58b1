"""Commands are loaded when they are used, and the collector of garbage is left as it was."""

import gc
import sys
from collections.abc import Iterator

import click
import pytest

from treadle.cli.main import COMMANDS, treadle

CONTEXT = click.Context(treadle)


@pytest.fixture(params=["collecting", "not collecting"])
def collects(request: pytest.FixtureRequest) -> Iterator[bool]:
    wanted = request.param == "collecting"
    (gc.enable if wanted else gc.disable)()
    yield wanted
    gc.enable()
    gc.unfreeze()


def test_loading_a_command_leaves_the_collector_as_it_was(
    collects: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "treadle.cli.cost", raising=False)

    command = treadle.get_command(CONTEXT, "cost")

    assert isinstance(command, click.Command)
    assert gc.isenabled() == collects
    assert gc.get_freeze_count() > 0


def test_a_command_that_cannot_be_loaded_leaves_the_collector_as_it_was(
    collects: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(COMMANDS, "cost", ("treadle.cli.nowhere", ""))

    with pytest.raises(ModuleNotFoundError):
        treadle.get_command(CONTEXT, "cost")

    assert gc.isenabled() == collects


def test_a_command_that_is_there_already_keeps_no_garbage() -> None:
    treadle.get_command(CONTEXT, "cost")
    gc.unfreeze()

    treadle.get_command(CONTEXT, "cost")

    assert gc.get_freeze_count() == 0
