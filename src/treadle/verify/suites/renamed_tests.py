"""Finds tests that a new test of the same name replaces. Pure.

A new test may be hollow. That counts for the work alone: what is proven, the tests of the base
decide.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

from treadle.domain.suite_report import CaseResult
from treadle.verify.suites.plan_mentions import bare_name, without_arguments


def find_renamed(removed: Iterable[CaseResult], added: Iterable[CaseResult]) -> frozenset[str]:
    """The removed tests that a new, passing test replaces.

    The new test has the same name in another place, or other arguments in the same place. A red
    test is not matched by arguments: an easier case may have replaced it. Each new test replaces
    one old test.
    """
    unmatched = list(removed)
    new = [case for case in added if case.outcome == "passed"]
    renamed: set[str] = set()
    _pair_by_key(unmatched, new, renamed, by=lambda case: bare_name(case.id))
    tables = [case for case in unmatched if case.outcome != "failed"]
    _pair_by_key(tables, new, renamed, by=lambda case: without_arguments(case.id))
    return frozenset(renamed)


def _pair_by_key(
    removed: list[CaseResult],
    added: list[CaseResult],
    renamed: set[str],
    *,
    by: Callable[[CaseResult], str],
) -> None:
    """Remove pairs with the same key from both lists, in order."""
    available: dict[str, list[CaseResult]] = defaultdict(list)
    for case in reversed(added):
        available[by(case)].append(case)
    taken: set[str] = set()
    for case in removed:
        key = by(case)
        if key and available[key]:
            taken.add(available[key].pop().id)
            renamed.add(case.id)
    removed[:] = [case for case in removed if case.id not in renamed]
    added[:] = [case for case in added if case.id not in taken]
