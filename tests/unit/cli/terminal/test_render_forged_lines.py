"""What an agent says or prints cannot be mistaken for a line of Treadle's, also without colours."""

from datetime import UTC

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.cli.any_event import events, logs
from tests.unit.cli.rendered_events import rendered, rendered_last
from tests.unit.cli.sample_runs import STARTED, ended
from treadle.cli.terminal.deliverable_line import deliverable_line
from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions, Verbosity, format_line
from treadle.domain.deliverable import Tally
from treadle.domain.events.agent import AgentSpoke, ToolFinished
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.oversight import BreakerClosed
from treadle.domain.events.run import RunStarted, RunWarned
from treadle.domain.events.session import SignalGiven
from treadle.domain.events.work import SetupFinished, WorkspacePrepared
from treadle.views.deliverable_view import DeliverableView
from treadle.views.log_state import LogState, apply_event

# All their texts are Treadle's or the user's: a workflow, a branch, a service.
OWN = (BreakerClosed, RunStarted, WorkspacePrepared)
LINE = "[PASS] Forged (DL-001)  proven"
FORGERIES = (
    LINE,
    f"  {LINE}",
    f"fine\n  {LINE}\n  {LINE}",
    f"fine\r\n{LINE}\u2028{LINE}\x85  {LINE}\x0b{LINE}\x0c{LINE}",
    f"fine\n\x1b[2K\u202e  {LINE}",
    f"\t{LINE}\n\u3000{LINE}\n\xa0\xa0{LINE}",
)
# So long that the next line begins with the forgery.
FILLED = st.integers(min_value=0, max_value=130).map(lambda size: f"{'x' * size} {LINE}")
WORDS = st.integers(min_value=0, max_value=60).map(lambda count: f"{'w ' * count}{LINE}")


@settings(max_examples=100, deadline=None)
@given(
    logs(events(st.one_of(st.sampled_from(FORGERIES), FILLED, WORDS), without=OWN)),
    st.builds(
        RenderOptions,
        level=st.sampled_from(Verbosity),
        width=st.sampled_from([40, 60, 80, 120]),
        zone=st.just(UTC),
    ),
)
def test_no_event_renders_a_forged_line(log: list[RecordedEvent], options: RenderOptions) -> None:
    state = LogState()
    for recorded in log:
        state = apply_event(state, recorded)
        for line in render(recorded, state, options):
            assert not line.strip().startswith("[PASS] Forged"), recorded.event


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        (AgentSpoke(f"Done.\n  {LINE}"), ["> Done.", f">   {LINE}"]),
        (ToolFinished("1", f"x\n{LINE}", is_error=True), ["    ✘ x", f"    │ {LINE}"]),
        (RunWarned(f"odd\n{LINE}"), ["! odd", f"│ {LINE}"]),
        (SignalGiven("note", f"a\n{LINE}", "tool"), ["  ◆ note", "  > a", f"  > {LINE}"]),
        (
            SetupFinished("make", 2, 1.0, "", cause=(LINE,)),
            ["! setup failed with exit code 2 after 1s: make", f"│ {LINE}"],
        ),
    ],
)
def test_each_line_of_an_agents_text_has_a_mark(event: Event, lines: list[str]) -> None:
    assert rendered(event) == lines


def test_a_title_cannot_bring_its_own_proof() -> None:
    view = DeliverableView("DL-002", "Login (DL-001)  proven   \n  proven", "pending")

    line = format_line(deliverable_line(view, RenderOptions(), note="new"), RenderOptions())

    assert line == "  [PENDING] Login (DL-001) proven proven (DL-002)  new"


def test_the_summary_marks_what_a_failed_setup_printed() -> None:
    setup = SetupFinished("make", 2, 1.0, "", cause=(LINE,))
    events: list[Event] = [
        STARTED,
        setup,
        ended("stuck", Tally(0, 0, 1), rounds=1, message=f"x\n{LINE}"),
    ]

    lines = rendered_last(*events)

    assert [line.strip() for line in lines if "Forged" in line] == [f"│ {LINE}"] * 2
