"""A loss stays recorded until it was handled, even if the clone is repaired meanwhile."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from treadle.workspace.agent_tree import repair_clone
from treadle.workspace.commits import commit_round
from treadle.workspace.round_losses import EMPTIED, clear_loss, read_loss

from .real_git import Run, repository_in, run_on


@pytest.fixture
async def run(tmp_path: Path) -> Run:
    return await run_on(repository_in(tmp_path))


def empty(run: Run) -> None:
    for path in run.clone.path.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def remove(run: Run) -> None:
    shutil.rmtree(run.clone.path)


@pytest.mark.parametrize("harm", [empty, remove])
async def test_a_round_that_was_lost_is_lost_until_the_next_begins(
    run: Run, harm: Callable[[Run], None]
) -> None:
    harm(run)

    losses = [(await commit_round(run.clone, "Finish the round")).lost for _ in range(2)]
    clear_loss(run.clone.path)
    losses.append((await commit_round(run.clone, "Finish the next")).lost)

    assert losses == [EMPTIED, EMPTIED, ""]


async def test_a_loss_is_known_after_the_clone_was_repaired(run: Run) -> None:
    empty(run)
    await repair_clone(run.clone)

    assert (await commit_round(run.clone, "Finish the round")).lost == EMPTIED


async def test_a_clone_that_was_just_made_has_lost_nothing(run: Run) -> None:
    assert read_loss(run.clone.path) == ""
