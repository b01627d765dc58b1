"""An empty and a very long specification are told before the first session."""

import pytest

from treadle.runs.start_notices import LARGE_SPECIFICATION, specification_notice


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_an_empty_specification_has_nothing_to_build(text: str) -> None:
    assert specification_notice("SPEC.md", text) == (
        "SPEC.md is empty, so there is nothing to build: write down what you want"
    )


def test_a_long_specification_costs_every_session() -> None:
    assert specification_notice("SPEC.md", "x" * 1_000_000) == (
        "SPEC.md has 1,000,000 characters, and every session reads all of it: move what is not"
        " needed each time into other files, and name them in it"
    )


def test_an_ordinary_one_needs_no_notice() -> None:
    assert specification_notice("SPEC.md", "x" * LARGE_SPECIFICATION) == ""
