"""Words about a run come from the record of its workflow."""

import pytest

from treadle.views.workflow_labels import imports_branch, instruction_label, lists_deliverables


@pytest.mark.parametrize(
    ("workflow", "instruction", "label"),
    [
        ("deliver", "initializer", "planning the deliverables"),
        ("focus", "task", "one task"),
        ("sync", "sync", "checking the deliverables"),
        ("deliver", "newer", "newer"),
        ("newer", "coding", "coding"),
    ],
)
def test_an_instruction_is_labelled_by_its_workflow(
    workflow: str, instruction: str, label: str
) -> None:
    assert instruction_label(workflow, instruction) == label


def test_a_workflow_of_a_newer_version_is_shown_in_full() -> None:
    assert [lists_deliverables("newer"), imports_branch("newer")] == [True, True]


def test_what_a_workflow_has_none_of_is_not_announced() -> None:
    assert [lists_deliverables("focus"), imports_branch("sync")] == [False, False]
