"""Tests as a report tells them, and how each of them gets an id that stays."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.testing import Case, CaseOutcome, Kind
from treadle.verify.reports.bounds import MOST_NAME
from treadle.verify.reports.kinds import kind_of
from treadle.verify.reports.wording import NOWHERE, Spot, shown

_BLANK = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]+")
# More of a path or name is not looked at.
_MOST_PLACE = 4_000
_NUMBER = re.compile(r"\d+")
# Where an object lies in memory is another number in each run.
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{5,16}\b")


# Named so: what failed before any test of it could run, such as a file that does not load. It is
# in a report only as long as it fails.
STAND_IN = "(load)"


def is_stand_in(test: str) -> bool:
    """Whether this is no test, but what kept tests from running: its absence is good news."""
    return re.search(rf"(?:^|::){re.escape(STAND_IN)}(?: \(\d+\))?$", test) is not None


@dataclass(frozen=True, slots=True)
class Told:
    """One test of a report, not yet told apart from others of its name."""

    # Its file, module, class or package.
    place: str
    name: str
    outcome: CaseOutcome
    # What tells it apart from others of the same place and name, such as its suite.
    apart: str = ""
    spot: Spot = NOWHERE
    message: str = ""
    # None: told by place and name.
    kind: Kind | None = None


def identified(told: Sequence[Told]) -> tuple[Case, ...]:
    """The cases in the order told. Repeats are numbered, in an order that no report can shuffle."""
    names = [_name(each) for each in told]
    repeats: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(names):
        repeats[name].append(position)
    ids = list(names)
    for name, positions in repeats.items():
        ordered = sorted(positions, key=lambda position: _order(told[position].apart))
        number = 1
        for position in ordered[1:]:
            number += 1
            while f"{name} ({number})" in repeats:
                number += 1
            ids[position] = f"{name} ({number})"
    return tuple(_case(own, each) for own, each in zip(ids, told, strict=True))


def _order(apart: str) -> str:
    # So that line 9 comes before line 10.
    return _NUMBER.sub(lambda found: found[0].zfill(9), apart[:_MOST_PLACE])


def _name(told: Told) -> str:
    whole = f"{told.place}::{told.name}" if told.place else told.name
    plain = _ADDRESS.sub("0x", _BLANK.sub(" ", whole)).strip() or "(no name)"
    if len(plain) <= MOST_NAME:
        return plain
    return f"{plain[: MOST_NAME - 20]}… {hashlib.sha256(plain.encode()).hexdigest()[:12]}"


def _case(own: str, told: Told) -> Case:
    places = (place[:_MOST_PLACE] for place in (told.place, *told.apart.split("\n", 3)))
    return Case(
        own,
        told.kind or kind_of(places, told.name[:_MOST_PLACE]),
        told.outcome,
        shown(told.spot.file) if told.outcome == "failed" else "",
        told.spot.line if told.outcome == "failed" else None,
        shown(told.message) if told.outcome != "passed" else "",
    )
