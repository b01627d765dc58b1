"""A checkout is moved back only from exactly where the landing left it."""

from dataclasses import replace
from typing import Any

import pytest

from treadle.workspace.git_programs import FilteredFile
from treadle.workspace.snapshot import CheckoutState
from treadle.workspace.undo_decision import (
    LeaveUncommitted,
    NothingLanded,
    ResetCheckout,
    ReverseFiles,
    RevertByHand,
    UndoDecision,
    UndoFacts,
    decide_undo,
)

BEFORE = CheckoutState("head", "main", "snapshot tree")
LANDED = UndoFacts(
    form="commits",
    before=BEFORE,
    now=CheckoutState("work", "main", "work tree"),
    snapshot="snapshot",
    snapshot_tree="snapshot tree",
    landed="work",
    landed_tree="work tree",
    landed_in_head=True,
)
FILES = replace(LANDED, form="files", now=replace(BEFORE, tree="work tree"), landed_in_head=False)
HALF = replace(LANDED, now=replace(BEFORE, head="snapshot"), landed_in_head=False)


def now(facts: UndoFacts, **changes: Any) -> UndoFacts:
    return replace(facts, now=replace(facts.now, **changes))


@pytest.mark.parametrize(
    ("facts", "decision"),
    [
        (LANDED, ResetCheckout()),
        (FILES, ReverseFiles()),
        (HALF, LeaveUncommitted()),
        # Somebody took the work back already.
        (replace(LANDED, now=BEFORE, landed_in_head=False), NothingLanded()),
        (replace(FILES, now=BEFORE), NothingLanded()),
        # The snapshot commit is where a person is, not an undo that was cut off.
        (now(HALF, tree="other"), NothingLanded()),
        (now(HALF, branch="feature"), NothingLanded()),
        (replace(HALF, staged=True), NothingLanded()),
        (replace(HALF, operation="a merge"), NothingLanded()),
        (replace(HALF, before=replace(BEFORE, head="snapshot")), NothingLanded()),
        # Something was added.
        (now(LANDED, head="more"), RevertByHand("main has other commits since the work landed")),
        (
            now(LANDED, branch="feature"),
            RevertByHand("you have switched to feature since the work landed"),
        ),
        (
            now(LANDED, branch=None),
            RevertByHand("you have switched to a detached HEAD since the work landed"),
        ),
        (now(LANDED, tree="other"), RevertByHand("files were changed since the work landed")),
        (now(FILES, tree="other"), RevertByHand("files were changed since the work landed")),
        (
            now(FILES, head="more"),
            RevertByHand("you have committed or switched branches since the work landed"),
        ),
        (
            replace(LANDED, staged=True),
            RevertByHand("you have staged changes since the work landed"),
        ),
        (replace(LANDED, operation="a rebase"), RevertByHand("you are in the middle of a rebase")),
        (replace(FILES, operation="a rebase"), RevertByHand("you are in the middle of a rebase")),
        (
            replace(LANDED, in_the_way=("a", "b")),
            RevertByHand("files of yours are in the way: a, b"),
        ),
        (
            replace(LANDED, before=replace(BEFORE, head=None)),
            RevertByHand("there was no commit before the work landed"),
        ),
    ],
)
def test_the_first_reason_decides(facts: UndoFacts, decision: UndoDecision) -> None:
    assert decide_undo(facts) == decision


def test_a_file_that_needs_a_program_is_left_to_a_person() -> None:
    filtered = FilteredFile("picture", "lfs")

    assert isinstance(decide_undo(replace(LANDED, filtered=(filtered,))), RevertByHand)
