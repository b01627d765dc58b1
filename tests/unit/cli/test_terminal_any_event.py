"""Whatever an event holds, its lines fit the screen and cannot paint it."""

import re
import unicodedata
from datetime import UTC

from hypothesis import given, settings
from hypothesis import strategies as st

from treadle.cli.terminal.activity import activity
from treadle.cli.terminal.log_state import LogState, follow
from treadle.cli.terminal.palette import COLOURED, PLAIN
from treadle.cli.terminal.render import render
from treadle.cli.terminal.text import width_of
from treadle.cli.terminal.view import Level, View
from treadle.domain.events.all_events import Recorded

from .any_event import LOGS

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
    story = LogState()
    for recorded in log:
        story = follow(story, recorded)
        lines = render(recorded, story, view)
        for line in [*lines, activity(story, recorded.at, recorded.seq, view)]:
            bare = OWN_CODES.sub("", line) if view.palette is COLOURED else line
            assert width_of(bare) <= view.width
            assert not [c for c in bare if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
            assert "\u202e" not in bare
