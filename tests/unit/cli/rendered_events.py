"""Events as the terminal renders them, and the state that they add up to."""

from treadle.cli.terminal.palette import PLAIN
from treadle.cli.terminal.render import render
from treadle.cli.terminal.styled_lines import RenderOptions, Verbosity
from treadle.domain.events.all_events import Event
from treadle.views.log_state import LogState, apply_event

from .sample_runs import recorded, state_after


def rendered(event: Event, level: Verbosity = Verbosity.NORMAL, *, width: int = 80) -> list[str]:
    [each] = recorded([event])
    return render(each, apply_event(LogState(), each), RenderOptions(level, width, PLAIN))


def rendered_last(
    *events: Event, level: Verbosity = Verbosity.NORMAL, width: int = 80
) -> list[str]:
    """The lines for the last event, with the state that all of them add up to."""
    [*_, last] = recorded(events)
    return render(last, state_after(*events), RenderOptions(level, width))
