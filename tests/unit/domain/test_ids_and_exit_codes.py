"""Ids sort by time, people type their end; every way a run ends has its published number."""

from collections.abc import Iterator
from typing import get_args
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import RUN
from treadle.domain.errors import TreadleError
from treadle.domain.exit_reasons import END_REASONS, MEANINGS, ExitReason, exit_code
from treadle.domain.ids import make_run_id, short_id

MOMENTS_MS = st.integers(0, 2**48 - 1)
RANDOM = st.integers(0, 2**74 - 1)


@settings(deadline=None)
@given(MOMENTS_MS, RANDOM)
def test_a_run_id_is_a_uuid_of_version_seven(unix_ms: int, random_bits: int) -> None:
    made = UUID(make_run_id(unix_ms=unix_ms, random_bits=random_bits))

    assert (made.version, made.variant, made.int >> 80) == (7, "specified in RFC 4122", unix_ms)


@settings(deadline=None)
@given(MOMENTS_MS, MOMENTS_MS, RANDOM, RANDOM)
def test_ids_sort_by_the_moment_the_run_was_asked_for(
    one_ms: int, other_ms: int, one_bits: int, other_bits: int
) -> None:
    one = make_run_id(unix_ms=one_ms, random_bits=one_bits)
    other = make_run_id(unix_ms=other_ms, random_bits=other_bits)

    assert one_ms == other_ms or (one < other) == (one_ms < other_ms)


def test_the_short_form_is_the_last_eight_digits() -> None:
    assert (RUN, short_id(RUN)) == ("018bcfe5-6800-7000-9234-56789abcdef0", "9abcdef0")


def test_every_reason_to_end_has_its_exit_code() -> None:
    assert {reason: exit_code(reason) for reason in END_REASONS} == {
        "all_passed": 0,
        "approved": 0,
        "synced": 0,
        "queue_done": 0,
        "audited": 0,
        "planned": 0,
        "error": 1,
        "setup_failed": 2,
        "all_blocked": 3,
        "spec_issue": 3,
        "plan_denied": 3,
        "tests_failed": 3,
        "unproven": 3,
        "authentication": 4,
        "budget_exceeded": 5,
        "time_exceeded": 5,
        "max_iterations": 5,
        "max_retries_exceeded": 5,
        "stuck": 5,
        "hung": 5,
        "items_left": 5,
        "quota_exceeded": 6,
        "service_unavailable": 5,
        "sandbox_error": 7,
        "unguarded_tool": 7,
        "interrupted": 130,
        "cancelled": 130,
    }
    assert set(END_REASONS) == set(get_args(ExitReason))


def test_every_exit_code_has_its_meaning() -> None:
    of_errors = {each.exit_code for each in subclasses(TreadleError)}

    assert list(MEANINGS) == [0, 1, 2, 3, 4, 5, 6, 7, 130]
    assert of_errors | {exit_code(reason) for reason in END_REASONS} <= set(MEANINGS)


def subclasses(cls: type[TreadleError]) -> Iterator[type[TreadleError]]:
    yield cls
    for each in cls.__subclasses__():
        yield from subclasses(each)
