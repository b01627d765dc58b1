"""Terminal colours for each style. All text can be understood without them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from treadle.views.style import Style

RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Palette:
    """The escape sequence of each style; text of an absent style stays as it is."""

    codes: Mapping[Style, str] = field(default_factory=dict)

    def paint(self, text: str, style: Style) -> str:
        code = self.codes.get(style)
        return f"{code}{text}{RESET}" if code and text else text


PLAIN = Palette()

# The terminal's own sixteen colours, so that the user's theme decides how they look.
COLOURED = Palette(
    {
        "quiet": "\x1b[2m",
        "strong": "\x1b[1m",
        "good": "\x1b[32m",
        "bad": "\x1b[31m",
        "warning": "\x1b[33m",
        "phase": "\x1b[1;36m",
        "signal": "\x1b[35m",
        "tool": "\x1b[34m",
    }
)
