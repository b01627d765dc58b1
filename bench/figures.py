"""Numbers of repeated measurements, and what they say. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Unit = Literal["x", "s", "MB", "/s", "ms"]
Verdict = Literal["met", "missed", ""]


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle of several measurements, and how far apart they were."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(median(values), min(values), max(values))


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report; without an aim it is there to explain another."""

    name: str
    unit: Unit
    value: Spread
    aim: float | None = None

    @property
    def verdict(self) -> Verdict:
        if self.aim is None:
            return ""
        return "met" if self.value.middle <= self.aim else "missed"


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> Spread:
    """Each measurement against the one made next to it, so that a busy minute hits both."""
    return Spread.of([mine / other for mine, other in zip(ours, theirs, strict=True)])
