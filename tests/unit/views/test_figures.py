"""Money, counts and tokens as text."""

import pytest

from treadle.domain.usage import Usage
from treadle.views.figures import money, pluralize, tokens


@pytest.mark.parametrize(
    ("usd", "words"), [(0, "$0.00"), (0.004, "<$0.01"), (0.42, "$0.42"), (1234.5, "$1,234.50")]
)
def test_money_is_never_rounded_to_nothing(usd: float, words: str) -> None:
    assert money(usd) == words


def test_figures_agree_with_their_nouns() -> None:
    assert [pluralize(n, "turn") for n in (0, 1, 2)] == ["0 turns", "1 turn", "2 turns"]
    assert tokens(Usage(1200, 0, 0, 9)) == "1,200 in, 9 cache read"
    assert tokens(Usage()) == "no tokens"
