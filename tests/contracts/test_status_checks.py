"""Checks and proof in status.json: what Treadle writes, what people may write, what is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.builders import claimed, deliverable
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.check import Check, CheckOrigin, Grade
from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import ProjectError

from .test_status_board import TODAY, edit, entry

SEEN = "DL-1 can be seen"
RUNS = Check(SEEN, "./run | grep seen", "spec", "failed", "passed")
WHY = "it fails with your version of test_run.py"
PROVEN = replace(claimed("DL-1", "ab12"), checks=(RUNS,), proof="proven")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".treadle" / "status.json"


def written(path: Path) -> dict[str, Any]:
    """The only entry, as it stands in the file."""
    (only,) = json.loads(path.read_text())["deliverables"]
    assert isinstance(only, dict)
    return only


def read(path: Path) -> Deliverable:
    (only,) = StatusFile(path).read()
    return only


def test_checks_stand_beside_the_criteria_with_what_was_seen_of_them(path: Path) -> None:
    fresh = Check(SEEN, "make test", "agent")
    StatusFile(path).write([replace(deliverable("DL-1"), checks=(fresh,))], today=TODAY)
    unseen = written(path)
    board = StatusFile(path)
    board.read()
    board.write([PROVEN], today=TODAY)
    proven = written(path)

    check = {"criterion": SEEN, "command": "make test", "origin": "agent"}
    seen = {
        "criterion": SEEN,
        "command": "./run | grep seen",
        "origin": "spec",
        "before": "failed",
        "pinned": "passed",
        "commandHash": "7416212f254f0f54",
    }
    claim = {"commit": "ab12", "rehearsed": False}
    assert unseen == entry("DL-1", checks=[check])
    assert proven == entry("DL-1", passed=True, checks=[seen], proof="proven", claim=claim)
    assert read(path) == PROVEN


LOWER = replace(RUNS, pinned="failed", why=WHY)
SELF_TESTED = replace(PROVEN, checks=(LOWER,), proof="self-tested")


@pytest.mark.parametrize(
    ("graded", "keys", "check_keys"),
    [
        (SELF_TESTED, {"proof": "self-tested"}, {"pinned": "failed", "why": WHY}),
        (
            replace(PROVEN, proof="self-tested", why="2 tests of yours fail"),
            {"proof": "self-tested", "why": "2 tests of yours fail"},
            {"pinned": "passed"},
        ),
        (
            replace(PROVEN, checks=(replace(RUNS, origin="agent"),), proof="self-tested"),
            {"proof": "self-tested"},
            {"pinned": "passed"},
        ),
        (
            replace(
                PROVEN, checks=(Check(SEEN, RUNS.command, "spec", why="it hung"),), proof="claimed"
            ),
            {"proof": "claimed"},
            {"why": "it hung"},
        ),
    ],
)
def test_a_grade_is_stored_with_its_reason_and_read_as_it_was(
    path: Path, graded: Deliverable, keys: dict[str, str], check_keys: dict[str, str]
) -> None:
    StatusFile(path).write([graded], today=TODAY)

    found = written(path)
    assert {key: found[key] for key in ("proof", "why") if key in found} == keys
    assert {key: found["checks"][0].get(key) for key in ("pinned", "why")} == {
        "pinned": None,
        "why": None,
        **check_keys,
    }
    assert read(path) == graded


def test_a_reason_that_no_longer_holds_is_gone_from_the_file(path: Path) -> None:
    board = StatusFile(path)
    board.write([replace(SELF_TESTED, why="2 tests of yours fail")], today=TODAY)
    board.write([PROVEN], today=TODAY)

    found = written(path)
    assert ("why" in found, "why" in found["checks"][0]) == (False, False)
    assert read(path) == PROVEN


@pytest.mark.parametrize(
    ("origin", "proof"), [("spec", "proven"), ("person", "proven"), ("agent", "self-tested")]
)
def test_what_a_file_of_an_earlier_version_calls_proven_is_so_unless_an_agent_wrote_the_check(
    path: Path, origin: CheckOrigin, proof: Grade
) -> None:
    StatusFile(path).write([PROVEN], today=TODAY)
    before = written(path)
    check = {key: value for key, value in before["checks"][0].items() if key != "pinned"}
    edit(path, {"deliverables": [{**before, "checks": [{**check, "origin": origin}]}]})

    assert read(path) == replace(PROVEN, checks=(replace(RUNS, origin=origin),), proof=proof)


def test_a_deliverable_that_lost_its_checks_has_none_in_the_file(path: Path) -> None:
    board = StatusFile(path)
    board.write([PROVEN], today=TODAY)
    board.write([deliverable("DL-1")], today=TODAY)

    assert written(path) == entry("DL-1")


@pytest.mark.parametrize(
    ("given", "check"),
    [
        # as short as a person writes it
        ({}, Check(SEEN, "make test", "person")),
        ({"origin": "agent"}, Check(SEEN, "make test", "agent")),
        ({"origin": "somebody"}, Check(SEEN, "make test", "person")),
        ({"origin": ["agent"]}, Check(SEEN, "make test", "person")),
        ({"before": "passed"}, Check(SEEN, "make test", "person", "passed")),
        ({"before": "maybe", "note": "x"}, Check(SEEN, "make test", "person")),
        (
            {"pinned": "failed", "why": "w"},
            Check(SEEN, "make test", "person", pinned="failed", why="w"),
        ),
        ({"pinned": "maybe", "why": ["w"]}, Check(SEEN, "make test", "person")),
        # what was seen was another command
        (
            {
                "origin": "agent",
                "before": "failed",
                "pinned": "passed",
                "why": "w",
                "commandHash": "7416212f254f0f54",
            },
            Check(SEEN, "make test", "person"),
        ),
    ],
)
def test_a_check_that_a_person_wrote_is_read(
    path: Path, given: dict[str, object], check: Check
) -> None:
    edit(path, {"deliverables": [entry("DL-1", checks=[{**COMMAND, **given}])]})

    assert read(path) == replace(deliverable("DL-1"), checks=(check,))


COMMAND = {"criterion": SEEN, "command": "make test"}
SHAPE = "a check must be an object with the strings `criterion` and `command`"


@pytest.mark.parametrize(
    ("checks", "complaint"),
    [
        ({}, "`checks` must be a list"),
        (["make test"], SHAPE),
        ([{"criterion": SEEN}], SHAPE),
        ([{"criterion": SEEN, "command": 1}], SHAPE),
        (
            [{**COMMAND, "criterion": "Else"}],
            "a check is for 'Else', which is not an acceptance criterion",
        ),
        ([{**COMMAND, "command": " "}], f"the check for {SEEN!r} has an empty command"),
        (
            [{**COMMAND, "command": "a\0b"}],
            f"the check for {SEEN!r} has a zero byte in its command",
        ),
        (
            [{**COMMAND, "command": "x" * 8001}],
            f"the check for {SEEN!r} is longer than 8000 characters: "
            "make it a script of the project",
        ),
        (
            [COMMAND, {**COMMAND, "command": "make"}],
            f"there are two checks for {SEEN!r}: a criterion has one at most",
        ),
    ],
)
def test_a_check_that_cannot_be_is_refused_with_the_line(
    path: Path, checks: object, complaint: str
) -> None:
    text = json.dumps({"deliverables": [entry("DL-1", checks=checks)]})
    edit(path, text.replace('[{"id"', '[\n{"id"'))

    with pytest.raises(ProjectError) as caught:
        StatusFile(path).read()

    assert caught.value.message == f"{path}:2: DL-1: {complaint}"


def edited(path: Path, **changes: Any) -> Deliverable:
    """What is read after a person has changed these keys of the proven entry's check."""
    StatusFile(path).write([PROVEN], today=TODAY)
    entry = written(path)
    entry["checks"] = [{**entry["checks"][0], **changes}]
    edit(path, {"deliverables": [entry]})
    return read(path)


def test_a_command_that_a_person_changed_was_never_seen_and_proves_nothing(path: Path) -> None:
    check = Check(SEEN, "true", "person")

    assert edited(path, command="true") == replace(PROVEN, checks=(check,), proof="claimed")


@pytest.mark.parametrize("before", ["", "passed", None])
def test_a_proof_is_worth_no_more_than_what_was_seen_before_the_work(
    path: Path, before: str | None
) -> None:
    seen = replace(RUNS, before="passed" if before == "passed" else "")

    assert edited(path, before=before) == replace(PROVEN, checks=(seen,), proof="claimed")


@pytest.mark.parametrize(
    ("proof", "criteria", "found"),
    [
        ("proven", [SEEN], "proven"),
        ("proven", [SEEN, "And more"], "claimed"),
        ("self-tested", [SEEN], "self-tested"),
        ("claimed", [SEEN], "claimed"),
        (["proven"], [SEEN], "claimed"),
        ("certain", [SEEN], "claimed"),
        (None, [SEEN], "claimed"),
    ],
)
def test_every_pass_is_claimed_until_checks_for_all_criteria_prove_it(
    path: Path, proof: object, criteria: list[str], found: Grade
) -> None:
    StatusFile(path).write([PROVEN], today=TODAY)
    edit(
        path, {"deliverables": [{**written(path), "proof": proof, "acceptanceCriteria": criteria}]}
    )

    assert read(path).proof == found


def test_keys_of_others_in_a_check_stay_where_they_are(path: Path) -> None:
    StatusFile(path).write([PROVEN], today=TODAY)
    edit(path, {"deliverables": [{**written(path), "checks": [{**COMMAND, "note": "it is fast"}]}]})
    board = StatusFile(path)

    assert board.write([*board.read(), deliverable("DL-2")], today=TODAY)

    kept = json.loads(path.read_text())["deliverables"][0]["checks"]
    assert kept == [{**COMMAND, "note": "it is fast", "origin": "person"}]
