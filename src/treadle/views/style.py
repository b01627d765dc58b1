"""What a piece of text means; each surface decides how that looks."""

from typing import Literal

Style = Literal["plain", "quiet", "strong", "good", "bad", "warning", "phase", "signal", "tool"]
