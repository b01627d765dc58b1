"""The life of a run: one table of what may follow what."""

from itertools import product

import pytest

from tests.builders import RUN
from treadle.domain.errors import StoreError
from treadle.domain.lifecycle import (
    OVER,
    STATES,
    TRANSITIONS,
    IllegalTransition,
    StoredState,
    changes_state,
    next_state,
)
from treadle.domain.wire import event_types

LIFE = """
                      -         queued    running   paused    waiting   following succeeded ended
run.queued            queued    -         -         -         -         -         -         -
run.started           running   running   -         -         -         -         -         -
run.recovered         -         running   running   paused    waiting   following -         -
pull_request.followed -         following following -         -         following -         -
feedback.received     -         -         running   -         -         running   -         -
round.started         -         running   running   running   running   running   -         -
run.paused            -         paused    paused    paused    -         -         -         -
run.resumed           -         -         -         running   -         -         -         -
approval.asked        -         waiting   waiting   -         waiting   -         -         -
approval.answered     -         -         running   -         running   -         -         -
approval.lapsed       -         -         running   -         running   -         -         -
approval.voided       -         queued    running   paused    running   following succeeded ended
item.started          -         running   running   -         running   -         -         -
wait.started          -         waiting   waiting   -         waiting   -         -         -
wait.ended            -         -         running   -         running   -         -         -
run.ended             -         ended     ended     ended     ended     ended     -         -
run.reopened          -         -         -         -         -         -         queued    queued
"""
ROWS = {name: cells for name, *cells in (line.split() for line in LIFE.strip().splitlines()[1:])}
BEFORE: tuple[StoredState | None, ...] = (None, *STATES)
CASES = [
    (event, before, ROWS[event][column])
    for event, (column, before) in product(ROWS, enumerate(BEFORE))
]


def test_the_table_names_every_event_of_a_life_and_only_events_there_are() -> None:
    assert set(ROWS) == set(TRANSITIONS)
    assert set(TRANSITIONS) <= set(event_types())
    assert [changes_state(name) for name in ("run.ended", "agent.spoke", "work.landed")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(("event", "before", "behind"), CASES)
def test_each_event_leads_to_one_state_or_is_refused(
    event: str, before: StoredState | None, behind: str
) -> None:
    if behind == "-":
        with pytest.raises(IllegalTransition):
            next_state(RUN, before, event)
    else:
        assert next_state(RUN, before, event) == behind


@pytest.mark.parametrize("before", ["queued", "running", "paused", "waiting"])
def test_an_end_with_success_is_a_state_of_its_own(before: StoredState) -> None:
    assert next_state(RUN, before, "run.ended", succeeded=True) == "succeeded"


def test_nothing_follows_an_end_but_a_reopening_and_questions_taken_back() -> None:
    following = {name for name, cells in TRANSITIONS.items() if OVER & set(cells)}

    assert following == {"run.reopened", "approval.voided"}


def test_a_refusal_is_a_line_for_people_that_names_the_run() -> None:
    with pytest.raises(StoreError) as caught:
        next_state(RUN, "ended", "run.ended")

    assert (caught.value.message, caught.value.hint) == (
        "run 9abcdef0 has ended: run.ended cannot follow",
        "see its state with `treadle show 9abcdef0`",
    )
