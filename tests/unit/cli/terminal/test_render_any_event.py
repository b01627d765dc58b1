"""Whatever an event holds, its lines fit the screen and cannot paint it."""

import re
import unicodedata
from datetime import UTC

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.cli.any_event import LOGS
from treadle.cli.terminal.palette import COLOURED, PLAIN
from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions, Verbosity
from treadle.cli.terminal.terminal import render_live_line
from treadle.domain.events.all_events import RecordedEvent
from treadle.views.log_state import LogState, apply_event
from treadle.views.safe_text import width_of

OWN_CODES = re.compile("|".join(re.escape(code) for code in (*COLOURED.codes.values(), "\x1b[0m")))
VIEWS = st.builds(
    RenderOptions,
    level=st.sampled_from(Verbosity),
    width=st.integers(min_value=20, max_value=120),
    palette=st.sampled_from([PLAIN, COLOURED]),
    zone=st.just(UTC),
)


@settings(max_examples=150, deadline=None)
@given(LOGS, VIEWS)
def test_a_rendered_line_never_exceeds_the_width_nor_holds_a_control_character(
    log: list[RecordedEvent], options: RenderOptions
) -> None:
    state = LogState()
    for recorded in log:
        state = apply_event(state, recorded)
        lines = render(recorded, state, options)
        for line in [*lines, render_live_line(state, recorded.at, recorded.seq, options)]:
            bare = OWN_CODES.sub("", line) if options.palette is COLOURED else line
            assert width_of(bare) <= options.width
            assert not [c for c in bare if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
            assert "\u202e" not in bare
