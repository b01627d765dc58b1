"""What the summary of an export says."""

import unittest
from decimal import Decimal

from spend import by_category, lines

ROWS = [
    ("2026-01-05", "rent", Decimal("800.00")),
    ("2026-01-09", "food", Decimal("20.10")),
    ("2026-01-30", "food", Decimal("20.20")),
]


class ByCategory(unittest.TestCase):
    def test_amounts_of_a_category_are_added_up(self):
        self.assertEqual(dict(by_category(ROWS))["food"], Decimal("40.30"))

    def test_the_largest_sum_comes_first(self):
        self.assertEqual([name for name, _ in by_category(ROWS)], ["rent", "food"])


class Lines(unittest.TestCase):
    def test_amounts_stand_below_each_other(self):
        self.assertEqual(
            lines(by_category(ROWS)), ["rent            800.00", "food             40.30"]
        )


if __name__ == "__main__":
    unittest.main()
