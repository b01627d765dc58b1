"""A step of a run whose result is kept: it is never acted again."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class StepTaken:
    name: str
    started: datetime
    took_s: float
