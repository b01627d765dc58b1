"""What an output stream can show: colours, a redrawn line, its width. Loads no events."""

import os
from dataclasses import dataclass
from datetime import tzinfo
from typing import TextIO

from treadle.cli.terminal.palette import COLOURED, PLAIN, Palette
from treadle.cli.terminal.styled_lines import (
    BAR,
    NARROWEST,
    Advice,
    Line,
    RenderOptions,
    Verbosity,
    format_line,
)
from treadle.settings.environment import Environment

USUAL_WIDTH = 80
# For streams whose encoding has no bar.
PLAIN_BAR = "| "
# Longer lines are hard to read, however wide the window is.
WIDEST = 120


@dataclass(frozen=True, slots=True)
class Screen:
    """What a stream can show. `live`: a line can be redrawn."""

    palette: Palette = PLAIN
    live: bool = False
    columns: int | None = None  # None: the width of the window, asked each time
    zone: tzinfo | None = None
    advice: Advice = "given"

    def render_options(self, stream: TextIO, level: Verbosity = Verbosity.NORMAL) -> RenderOptions:
        """The options for this moment: a window may have been resized."""
        columns = self.columns or window_columns(stream)
        width = min(max(columns, NARROWEST), WIDEST)
        return RenderOptions(level, width, self.palette, self.zone, self.advice)


def detect_screen(stream: TextIO, environment: Environment) -> Screen:
    """What this stream can show: off a terminal and on a dumb one there are no escapes at all."""
    is_capable = stream.isatty() and environment.term != "dumb"
    palette = COLOURED if is_capable and not environment.no_color else PLAIN
    return Screen(palette=palette, live=is_capable, columns=environment.columns)


def window_columns(stream: TextIO) -> int:
    """The window's width now, or the usual one where there is no window."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
    except OSError:
        return USUAL_WIDTH


def print_lines(lines: list[Line], stream: TextIO, screen: Screen) -> None:
    """Print a block of lines, for the commands that only show one."""
    options = screen.render_options(stream)
    text = "".join(f"{format_line(line, options)}\n" for line in lines)
    stream.write(encodable(text, stream.encoding))


def encodable(text: str, encoding: str | None) -> str:
    """The text with `?` for what the stream's encoding has no character for."""
    name = encoding or "utf-8"
    try:
        BAR.encode(name)
    except UnicodeEncodeError:
        # A question mark is the mark of a question to the user.
        text = text.replace(BAR, PLAIN_BAR)
    return text.encode(name, "replace").decode(name)
