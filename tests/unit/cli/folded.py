"""Events taken in by the screen, as tests look at them: what it remembers, and what it says."""

from treadle.cli.terminal.log_state import LogState, follow
from treadle.cli.terminal.palette import PLAIN
from treadle.cli.terminal.render import render
from treadle.cli.terminal.view import Level, View
from treadle.domain.events.all_events import Event

from .told_runs import recorded


def remembered(*events: Event) -> LogState:
    story = LogState()
    for each in recorded(events):
        story = follow(story, each)
    return story


def shown(event: Event, level: Level = Level.NORMAL, *, width: int = 80) -> list[str]:
    [each] = recorded([event])
    return render(each, follow(LogState(), each), View(level, width, PLAIN))
