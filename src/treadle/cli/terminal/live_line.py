"""The live line at the bottom of a terminal: what the run is doing now."""

from datetime import datetime

from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.styled_lines import Line, RenderOptions, format_line
from treadle.views.duration import clock_time, duration
from treadle.views.figures import money
from treadle.views.log_state import LogState
from treadle.views.safe_text import fit, width_of

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SLOW_TOOL_S = 10


def render_live_line(story: LogState, now: datetime, frame: int, view: RenderOptions) -> str:
    """Spinner, round, phase and current tool on the left; time and cost on the right."""
    right = f"{duration(story.elapsed_s(now))} · {money(story.cost_usd)}"
    spinner = FRAMES[frame % len(FRAMES)]
    head, style = _phase(story, now, view)
    left_room = max(0, view.width - width_of(right) - 2)
    where = fit(head, left_room - 2)
    what = fit(_tool(story, now), left_room - 2 - width_of(where) - 3)
    middle: Line = ((" · ", "quiet"), (what, "plain")) if what else ()
    used = 2 + width_of(where) + sum(width_of(text) for text, _ in middle)
    gap = " " * max(2, view.width - used - width_of(right))
    line: Line = (
        (f"{spinner} ", "phase"),
        (where, style),
        *middle,
        (gap, "plain"),
        (right, "quiet"),
    )
    return format_line(line, view)


def _phase(story: LogState, now: datetime, view: RenderOptions) -> tuple[str, Style]:
    if story.stopping:
        return "stopping: saving the work so far", "warning"
    if story.paused is not None:
        until = story.paused.until
        when = clock_time(until, now=now, zone=view.zone)
        left = duration((until - now).total_seconds())
        return f"paused until {when}, {left} left", "warning"
    if not story.round_number or story.started is None:
        return story.phase, "phase"
    most = story.started.limits.max_iterations
    return f"round {story.round_number}/{most} · {story.phase}", "phase"


def _tool(story: LogState, now: datetime) -> str:
    if not story.open_tools or story.stopping or story.paused is not None:
        return ""
    tool = story.open_tools[-1]
    seconds = (now - tool.since).total_seconds()
    # The time comes before the argument: of a long command, the end may be cut.
    since = f" ({duration(seconds)})" if seconds >= SLOW_TOOL_S else ""
    return f"{tool.title}{since} {tool.argument}"
