"""A test is a unit test unless its path or name says otherwise; each rule has examples."""

import pytest

from treadle.domain.suite_report import CaseKind
from treadle.verify.reports.case_kinds import NAME_RULES, PATH_RULES, kind_of


@pytest.mark.parametrize("rule", PATH_RULES, ids=lambda rule: str(rule.kind))
def test_a_place_tells_the_kind(rule: object) -> None:
    checked = next(each for each in PATH_RULES if each is rule)

    assert {kind_of([place], "t") for place in checked.matches} == {checked.kind}
    assert {kind_of([place], "t") for place in checked.spares} == {"unit"}


@pytest.mark.parametrize("rule", NAME_RULES, ids=lambda rule: str(rule.kind))
def test_a_name_tells_the_kind(rule: object) -> None:
    checked = next(each for each in NAME_RULES if each is rule)

    assert {kind_of(["pkg"], name) for name in checked.matches} == {checked.kind}
    assert {kind_of(["pkg"], name) for name in checked.spares} == {"unit"}


@pytest.mark.parametrize(
    ("places", "kind"),
    [
        (["", "tests/e2e", "integration"], "e2e"),
        (["/srv/integration/checkout/of/tests/test_a.py"], "unit"),
        (["/srv/integration/checkout/tests/e2e/test_a.py"], "e2e"),
        (["TESTS/Integration/a"], "integration"),
        ([], "unit"),
    ],
)
def test_the_nearest_folders_of_all_places_count(places: list[str], kind: CaseKind) -> None:
    assert kind_of(places, "test_e2e_by_name_alone") == kind
