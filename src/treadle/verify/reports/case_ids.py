"""Test cases as a report lists them, and the stable id that each of them gets."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from treadle.domain.suite_report import CaseKind, CaseOutcome, CaseResult
from treadle.verify.reports.bounds import cut_name
from treadle.verify.reports.case_kinds import kind_of
from treadle.verify.reports.failure_text import NO_LOCATION, SourceLocation, clean_message

_BLANK = re.compile(r"[\s\x00-\x1f\x7f\ud800-\udfff]+")
# Longer paths and names are cut.
_LONGEST_CONTAINER = 4_000
_NUMBER = re.compile(r"\d+")
# A memory address differs in each run.
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{5,16}\b")


# The name of a failure before any test could run, such as a file that does not load. It is in a
# report only while it fails.
LOAD_FAILURE = "(load)"


def is_load_failure(test: str) -> bool:
    """Whether this id is a load failure and not a test: its absence is no loss."""
    return re.search(rf"(?:^|::){re.escape(LOAD_FAILURE)}(?: \(\d+\))?$", test) is not None


@dataclass(frozen=True, slots=True)
class ReportedCase:
    """One test of a report, before it has a unique id."""

    # The file, module, class or package.
    container: str
    name: str
    outcome: CaseOutcome
    # Distinguishes tests with the same container and name, such as by suite.
    discriminator: str = ""
    location: SourceLocation = NO_LOCATION
    message: str = ""
    # None: derived from container and name.
    kind: CaseKind | None = None


def assign_ids(cases: Sequence[ReportedCase]) -> tuple[CaseResult, ...]:
    """Give each case an id; repeats are numbered by discriminator, not by their order."""
    names = [_make_id(each) for each in cases]
    repeats: dict[str, list[int]] = defaultdict(list)
    for position, name in enumerate(names):
        repeats[name].append(position)
    ids = list(names)
    for name, positions in repeats.items():
        ordered = sorted(positions, key=lambda position: _sort_key(cases[position].discriminator))
        number = 1
        for position in ordered[1:]:
            number += 1
            while f"{name} ({number})" in repeats:
                number += 1
            ids[position] = f"{name} ({number})"
    return tuple(_make_case(case_id, each) for case_id, each in zip(ids, cases, strict=True))


def _sort_key(discriminator: str) -> str:
    # Pads numbers, so line 9 sorts before line 10.
    return _NUMBER.sub(lambda number: number[0].zfill(9), discriminator[:_LONGEST_CONTAINER])


def _make_id(case: ReportedCase) -> str:
    container, name = case.container[:_LONGEST_CONTAINER], case.name[:_LONGEST_CONTAINER]
    whole = f"{container}::{name}" if container else name
    plain = _ADDRESS.sub("0x", _BLANK.sub(" ", whole)).strip() or "(no name)"
    return cut_name(plain)


def _make_case(case_id: str, case: ReportedCase) -> CaseResult:
    paths = (
        path[:_LONGEST_CONTAINER] for path in (case.container, *case.discriminator.split("\n", 3))
    )
    return CaseResult(
        case_id,
        case.kind or kind_of(paths, case.name[:_LONGEST_CONTAINER]),
        case.outcome,
        clean_message(case.location.file) if case.outcome == "failed" else "",
        case.location.line if case.outcome == "failed" else None,
        clean_message(case.message) if case.outcome != "passed" else "",
    )
