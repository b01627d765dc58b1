"""The live line at the bottom of a terminal: what the run is doing now."""

from datetime import datetime

from treadle.cli.terminal.styled_lines import Line, RenderOptions, format_line
from treadle.views.duration import duration
from treadle.views.figures import money
from treadle.views.log_state import LogState
from treadle.views.run_state_text import phase_text, tool_text
from treadle.views.safe_text import fit, width_of

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


def render_live_line(state: LogState, now: datetime, frame: int, options: RenderOptions) -> str:
    """Spinner, round, phase and current tool on the left; time and cost on the right."""
    right = f"{duration(state.elapsed_s(now))} · {money(state.cost_usd)}"
    spinner = FRAMES[frame % len(FRAMES)]
    head, style = phase_text(state, now=now, zone=options.zone)
    left_room = max(0, options.width - width_of(right) - 2)
    phase = fit(head, left_room - 2)
    tool = fit(tool_text(state, now=now), left_room - 2 - width_of(phase) - 3)
    middle: Line = ((" · ", "quiet"), (tool, "plain")) if tool else ()
    used = 2 + width_of(phase) + sum(width_of(text) for text, _ in middle)
    gap = " " * max(2, options.width - used - width_of(right))
    line: Line = (
        (f"{spinner} ", "phase"),
        (phase, style),
        *middle,
        (gap, "plain"),
        (right, "quiet"),
    )
    return format_line(line, options)
