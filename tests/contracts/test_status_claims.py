"""What status.json says about the work behind a pass, and what is made of edits to that."""

import json
from pathlib import Path

import pytest

from tests.builders import claimed, deliverable
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.deliverable import Claim, DeliverableStatus

from .test_status_board import ONE, TODAY, TWO, edit, entry


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".treadle" / "status.json"


def test_the_claim_behind_a_pass_is_kept_with_it_and_goes_with_it(path: Path) -> None:
    board = StatusFile(path)
    board.write([claimed("DL-1"), claimed("DL-2", "ab12", rehearsed=True)], today=TODAY)
    both = json.loads(path.read_text())["deliverables"]
    board.write([ONE, TWO], today=TODAY)
    none = json.loads(path.read_text())["deliverables"]

    unsettled, rehearsed = (
        {"commit": "", "rehearsed": False},
        {"commit": "ab12", "rehearsed": True},
    )
    assert both == [
        entry("DL-1", passed=True, proof="claimed", claim=unsettled),
        entry("DL-2", passed=True, proof="claimed", claim=rehearsed),
    ]
    assert none == [entry("DL-1"), entry("DL-2", passed=True, proof="claimed")]


@pytest.mark.parametrize(
    ("given", "claim"),
    [
        ({"commit": "ab12", "rehearsed": True}, Claim("ab12", rehearsed=True)),
        ({"commit": "ab12"}, Claim("ab12")),
        ({"commit": "ab12", "rehearsed": "yes"}, Claim("ab12")),
        ({"commit": "", "rehearsed": False, "note": "x"}, Claim()),
        # not ours any more: the pass is a person's word
        ({}, None),
        ({"rehearsed": True}, None),
        ({"commit": 12}, None),
        ({"commit": None}, None),
        ({"commit": "HEAD"}, None),
        ({"commit": "--help"}, None),
        ({"commit": "ab12\0"}, None),
        ({"commit": "ab12\n"}, None),
        ("ab12", None),
        (None, None),
        ([], None),
    ],
)
def test_a_claim_that_somebody_made_into_something_else_counts_as_absent(
    path: Path, given: object, claim: Claim | None
) -> None:
    edit(path, {"deliverables": [entry("DL-1", passed=True, claim=given)]})

    assert StatusFile(path).read() == (deliverable("DL-1", "passed", claim),)


@pytest.mark.parametrize("status", ["pending", "blocked"])
def test_a_claim_that_is_left_beside_what_has_not_passed_counts_for_nothing(
    path: Path, status: DeliverableStatus
) -> None:
    claim = {"commit": "ab12", "rehearsed": False}
    edit(path, {"deliverables": [entry("DL-1", blocked=status == "blocked", claim=claim)]})
    board = StatusFile(path)

    assert board.read() == (deliverable("DL-1", status),)

    board.write([deliverable("DL-1", "passed")], today=TODAY)
    assert board.read() == (deliverable("DL-1", "passed"),)
