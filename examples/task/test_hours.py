"""What the sums of a timesheet say."""

import unittest

from hours import by_project

ROWS = [
    ("2026-01-12", "website", 3.5),
    ("2026-01-30", "archive", 1.0),
    ("2026-02-02", "website", 2.0),
]


class ByProject(unittest.TestCase):
    def test_hours_of_a_project_are_added_up(self):
        self.assertEqual(dict(by_project(ROWS))["website"], 5.5)

    def test_the_largest_sum_comes_first(self):
        self.assertEqual([name for name, _ in by_project(ROWS)], ["website", "archive"])


if __name__ == "__main__":
    unittest.main()
