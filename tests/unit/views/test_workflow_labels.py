"""Every workflow has a row in the table of labels."""

from typing import get_args

from treadle.domain.run import Workflow
from treadle.views.workflow_labels import WORKFLOW_LABELS


def test_every_workflow_is_labelled_with_its_name() -> None:
    assert {name: labels.name for name, labels in WORKFLOW_LABELS.items()} == {
        name: name for name in get_args(Workflow)
    }
