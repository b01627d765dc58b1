"""Events taken in by the screen, as tests look at them: what it remembers, and what it says."""

from treadle.cli.terminal.palette import PLAIN
from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions, Verbosity
from treadle.domain.events.all_events import Event
from treadle.views.log_state import LogState, apply_event

from .told_runs import recorded


def remembered(*events: Event) -> LogState:
    story = LogState()
    for each in recorded(events):
        story = apply_event(story, each)
    return story


def shown(event: Event, level: Verbosity = Verbosity.NORMAL, *, width: int = 80) -> list[str]:
    [each] = recorded([event])
    return render(each, apply_event(LogState(), each), RenderOptions(level, width, PLAIN))
