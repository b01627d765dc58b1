"""When a project is set up."""

import pytest

from treadle.workflows.loop.workspace_setup import is_due


@pytest.mark.parametrize(
    ("last", "failures", "due"),
    [("", 0, True), ("now", 0, False), ("before", 0, True), ("", 2, True), ("", 3, False)],
)
def test_setting_up_is_due_for_another_need_and_not_after_three_failures(
    last: str, failures: int, due: bool
) -> None:
    assert is_due("now", last=last, failures=failures) is due
