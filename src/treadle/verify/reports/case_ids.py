"""Test cases as a report lists them, and the stable id that each of them gets."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.suite_report import CaseKind, CaseOutcome, CaseResult
from treadle.verify.reports.bounds import MOST_NAME
from treadle.verify.reports.case_kinds import kind_of
from treadle.verify.reports.failure_text import NO_LOCATION, SourceLocation, clean_message

_BLANK = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]+")
# More of a path or name is not looked at.
_LONGEST_CONTAINER = 4_000
_NUMBER = re.compile(r"\d+")
# Where an object lies in memory is another number in each run.
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{5,16}\b")


# Named so: what failed before any test of it could run, such as a file that does not load. It is
# in a report only as long as it fails.
LOAD_FAILURE = "(load)"


def is_load_failure(test: str) -> bool:
    """Whether this is no test, but what kept tests from running: its absence is good news."""
    return re.search(rf"(?:^|::){re.escape(LOAD_FAILURE)}(?: \(\d+\))?$", test) is not None


@dataclass(frozen=True, slots=True)
class ReportedCase:
    """One test of a report, not yet told apart from others of its name."""

    # Its file, module, class or package.
    container: str
    name: str
    outcome: CaseOutcome
    # What tells it apart from others of the same place and name, such as its suite.
    discriminator: str = ""
    location: SourceLocation = NO_LOCATION
    message: str = ""
    # None: told by place and name.
    kind: CaseKind | None = None


def assign_ids(told: Sequence[ReportedCase]) -> tuple[CaseResult, ...]:
    """The cases in the order told. Repeats are numbered, in an order that no report can shuffle."""
    names = [_make_id(each) for each in told]
    repeats: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(names):
        repeats[name].append(position)
    ids = list(names)
    for name, positions in repeats.items():
        ordered = sorted(positions, key=lambda position: _sort_key(told[position].discriminator))
        number = 1
        for position in ordered[1:]:
            number += 1
            while f"{name} ({number})" in repeats:
                number += 1
            ids[position] = f"{name} ({number})"
    return tuple(_make_case(own, each) for own, each in zip(ids, told, strict=True))


def _sort_key(apart: str) -> str:
    # So that line 9 comes before line 10.
    return _NUMBER.sub(lambda found: found[0].zfill(9), apart[:_LONGEST_CONTAINER])


def _make_id(told: ReportedCase) -> str:
    whole = f"{told.container}::{told.name}" if told.container else told.name
    plain = _ADDRESS.sub("0x", _BLANK.sub(" ", whole)).strip() or "(no name)"
    if len(plain) <= MOST_NAME:
        return plain
    return f"{plain[: MOST_NAME - 20]}… {hashlib.sha256(plain.encode()).hexdigest()[:12]}"


def _make_case(own: str, told: ReportedCase) -> CaseResult:
    places = (
        place[:_LONGEST_CONTAINER] for place in (told.container, *told.discriminator.split("\n", 3))
    )
    return CaseResult(
        own,
        told.kind or kind_of(places, told.name[:_LONGEST_CONTAINER]),
        told.outcome,
        clean_message(told.location.file) if told.outcome == "failed" else "",
        told.location.line if told.outcome == "failed" else None,
        clean_message(told.message) if told.outcome != "passed" else "",
    )
