"""What depends on what: names, cycles, order, statuses."""

import pytest

from treadle.domain.increment import (
    Increment,
    IncrementList,
    IncrementProblem,
    IncrementStatus,
)
from treadle.workflows.auto.increment_order import (
    OrderRefusal,
    find_cycle,
    find_name,
    increment_statuses,
    order_increments,
    resolve_dependencies,
)

NAMES = ["0001-login", "0002-mail", "0012-login", "0012-logout"]


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("0001-login", "0001-login"),
        ("0001", "0001-login"),
        ("1", "0001-login"),
        ("12", OrderRefusal("12 can be 0012-login or 0012-logout", "write the whole name")),
        ("0002-mial", OrderRefusal("there is no increment 0002-mial", "did you mean 0002-mail?")),
        (
            "../../etc",
            OrderRefusal(
                "there is no increment ../../etc", "see them with `treadle increments ls`"
            ),
        ),
        ("7", OrderRefusal("there is no increment 7", "see them with `treadle increments ls`")),
        ("٣", OrderRefusal("there is no increment ٣", "see them with `treadle increments ls`")),
    ],
)
def test_a_number_is_enough_to_name_an_increment(named: str, found: str | OrderRefusal) -> None:
    assert find_name(named, NAMES) == found


def increments(*lines: str) -> tuple[Increment, ...]:
    """`c < a b` is an increment c that needs a and b."""
    parsed = [line.partition(" < ") for line in lines]
    return tuple(Increment(name, name, tuple(needs.split())) for name, _, needs in parsed)


@pytest.mark.parametrize(
    ("lines", "cycle"),
    [
        ((), ()),
        (("a", "b < a", "c < a b"), ()),
        (("a < a",), ("a", "a")),
        (("a < b", "b < a"), ("a", "b", "a")),
        (("a", "b < a d", "c < b", "d < c"), ("b", "d", "c", "b")),
        # A name that nobody has is another problem.
        (("a < x",), ()),
        (("a < b c", "b < d", "c < d", "d"), ()),
    ],
)
def test_a_cycle_is_named_all_the_way_around(
    lines: tuple[str, ...], cycle: tuple[str, ...]
) -> None:
    assert find_cycle(increments(*lines)) == cycle


def test_a_long_chain_is_no_cycle_and_no_recursion() -> None:
    chain = [Increment("0", "0"), *(Increment(str(n), "", (str(n - 1),)) for n in range(1, 3000))]

    assert find_cycle(chain) == ()


CHAIN = ("0001-a", "0002-b < 0001-a", "0003-c < 0002-b", "0004-d")


@pytest.mark.parametrize(
    ("wanted", "done", "order"),
    [
        ("", "", "0001-a 0002-b 0003-c 0004-d"),
        ("", "0001-a", "0002-b 0003-c 0004-d"),
        # The order of the person counts, as far as it can.
        ("0004-d 0002-b 0001-a", "", "0004-d 0001-a 0002-b"),
        ("3 2 1", "", "0001-a 0002-b 0003-c"),
        ("0002-b 0002-b", "0001-a", "0002-b"),
        # Named on purpose: done once more.
        ("0001-a", "0001-a", "0001-a"),
    ],
)
def test_dependencies_come_first(wanted: str, done: str, order: str) -> None:
    ordered = order_increments(IncrementList(increments(*CHAIN)), wanted.split(), done.split())

    assert isinstance(ordered, tuple)
    assert [each.name for each in ordered] == order.split()


@pytest.mark.parametrize(
    ("lines", "wanted", "message", "hint"),
    [
        (CHAIN, "3", "0003-c needs 0002-b, which is not done", "--increments 0002-b,0003-c"),
        (CHAIN, "9", "there is no increment 9", "see them with `treadle increments ls`"),
        (
            ("0001-a < 0002-b", "0002-b < 0001-a"),
            "",
            "increments depend on each other: 0001-a → 0002-b → 0001-a",
            "take one of them out of depends_on",
        ),
        (CHAIN, "0005-e", "0005-e has no spec.md", "see `treadle increments ls`"),
        ((), "", "no increment is left to work on", "add one with `treadle increments add`"),
    ],
)
def test_an_order_that_cannot_be_is_refused(
    lines: tuple[str, ...], wanted: str, message: str, hint: str
) -> None:
    found = IncrementList(increments(*lines), (IncrementProblem("0005-e", "has no spec.md"),))

    assert order_increments(found, wanted.split(), ()) == OrderRefusal(message, hint)


def test_a_dependency_that_nobody_is_breaks_its_increment_alone() -> None:
    read = IncrementList(
        increments("0001-a", "0002-b < 1 0001-a", "0003-c < 0009-z", "0004-d < 0003-c 0005-e"),
        (IncrementProblem("0005-e", "has no spec.md"),),
    )

    assert resolve_dependencies(read) == IncrementList(
        increments("0001-a", "0002-b < 0001-a", "0004-d < 0003-c 0005-e"),
        (
            IncrementProblem("0003-c", "depends_on: there is no increment 0009-z"),
            IncrementProblem("0005-e", "has no spec.md"),
        ),
    )


@pytest.mark.parametrize(
    ("recorded", "statuses"),
    [
        ({}, "ready waiting waiting ready"),
        ({"0001-a": "done"}, "done ready waiting ready"),
        ({"0001-a": "working"}, "working waiting waiting ready"),
        ({"0001-a": "failed", "0002-b": "skipped"}, "failed skipped waiting ready"),
        ({"0001-a": "done", "0002-b": "done", "0004-d": "failed"}, "done done ready failed"),
    ],
)
def test_the_status_is_recorded_or_follows_from_dependencies(
    recorded: dict[str, IncrementStatus], statuses: str
) -> None:
    found = IncrementList(increments(*CHAIN))

    assert list(increment_statuses(found, recorded).values()) == statuses.split()


def test_all_of_a_cycle_and_of_the_problems_is_broken() -> None:
    found = IncrementList(
        increments("0001-a < 0002-b", "0002-b < 0001-a", "0003-c < 0001-a"),
        (IncrementProblem("0004-d", "has no spec.md"),),
    )

    assert increment_statuses(found, {}) == {
        "0001-a": "broken",
        "0002-b": "broken",
        "0003-c": "waiting",
        "0004-d": "broken",
    }
