"""A test may be removed if the plan says so by name, not if it is only mentioned."""

import pytest

from treadle.verify.suites.plan_mentions import (
    bare_name,
    is_mentioned,
    removal_sentences,
    without_arguments,
)


@pytest.mark.parametrize(
    ("test", "name"),
    [
        ("tests.test_cart::test_pays", "test_pays"),
        ("tests.test_cart.TestCart::test_pays[two-3]", "test_pays[two-3]"),
        ("tests.test_cart::test_pays (2)", "test_pays"),
        ("c.js::cart › pays in euros", "cart › pays in euros"),
        ("shop/cart::TestPays/in_euros", "TestPays/in_euros"),
        ("test_pays", "test_pays"),
    ],
)
def test_a_test_keeps_its_own_name_wherever_it_stands(test: str, name: str) -> None:
    assert bare_name(test) == name


@pytest.mark.parametrize(
    ("test", "table"),
    [
        ("cart::test_pays[two-3]", "cart::test_pays"),
        ("cart::test_pays[two-3] (2)", "cart::test_pays"),
        ("cart.spec.ts::pays [chromium]", "cart.spec.ts::pays "),
        ("cart::test_pays", ""),
        ("cart::test_pays (2)", ""),
    ],
)
def test_the_cases_of_one_test_have_a_name_in_common(test: str, table: str) -> None:
    assert without_arguments(test) == table


PAYS = "tests.test_cart::test_pays"


@pytest.mark.parametrize(
    ("plan", "test"),
    [
        ("Remove test_pays.", PAYS),
        ("test_pays is obsolete.", PAYS),
        ("The tests `test_pays` and `test_adds` are no longer needed.", PAYS),
        ("Rename test_pays to test_pays_in_euros.", PAYS),
        ("Skip tests.test_cart::test_pays on this machine.", PAYS),
        ("These tests may be deleted:\n\n- test_adds\n- test_pays\n", PAYS),
        ("## Tests to remove\n\n1. test_pays\n", PAYS),
        ("Remove test_pays.", f"{PAYS}[two-3]"),
        ("Remove test_pays.", f"{PAYS} (2)"),
        ("Drop TestPays.", "shop/cart::TestPays/in_euros"),
        ('Delete "pays in euros".', "cart.test.js::cart › pays in euros"),
        ('Delete "pays in euros".', "cart.spec.ts::cart › pays in euros [chromium]"),
        ("Delete `works`.", "cart.test.js::works"),
        ("Delete “pays in euros”.", "cart.test.js::cart › pays in euros"),
        ("Delete cart.test.js::pays in euros.", "cart.test.js::pays in euros"),
        ("Delete `01`.", "shop::TestPays/01"),
    ],
)
def test_the_plan_lets_go_of_what_it_names(plan: str, test: str) -> None:
    assert is_mentioned(test, removal_sentences(plan))


@pytest.mark.parametrize(
    ("plan", "test"),
    [
        ("", PAYS),
        ("Make test_pays pass.", PAYS),  # most plans that name a test want it green
        ("Make test_pays pass. Remove the debug output.", PAYS),
        ("Do not remove test_pays.", PAYS),
        ("test_pays must never be skipped.", PAYS),
        ("Don't delete or skip test_pays.", PAYS),
        ("Remove test_pays_in_euros.", PAYS),
        ("Remove old_test_pays.", PAYS),
        ("Remove what works badly.", "cart.test.js::works"),  # a common word
        ("`removes an item` must pass.", "cart.test.js::removes an item"),
        ("Remove what the shopping cart shows.", "cart.test.js::shopping cart › pays"),
        ("The button that logs out is removed.", "cart.test.js::logs out"),
        ("Drop support for version 1.", "shop::TestPays/1"),
        ("Drop support for version v2.", "shop::TestPays/v2"),
        ("The cart can remove items:\n\nBut see to it that:\n- test_pays passes", PAYS),
        ("Remove the cart.\n\nThen:\n- test_pays passes", PAYS),
    ],
)
def test_the_plan_keeps_what_it_only_speaks_of(plan: str, test: str) -> None:
    assert not is_mentioned(test, removal_sentences(plan))
