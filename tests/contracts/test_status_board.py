"""status.json: the shape people and tools know, and no edit of theirs ever lost."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.builders import JSON, deliverable, values_of
from treadle.adapters.stores.memory_store import MemoryStatusBoard
from treadle.adapters.stores.status_file import StatusFile, parse_status
from treadle.domain.check import Check
from treadle.domain.deliverable import Claim, Deliverable, find_command_problem, with_valid_proof
from treadle.domain.errors import ProjectError
from treadle.domain.ports import StatusBoard

TODAY = "2026-05-04"
ONE, TWO = deliverable("DL-1"), deliverable("DL-2", "passed")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".treadle" / "status.json"


def entry(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "description": f"What {name} is about",
        "acceptanceCriteria": [f"{name} can be seen"],
        "passed": False,
        "blocked": False,
        **more,
    }


def edit(path: Path, document: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document))


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_a_board_that_nobody_wrote_to_is_empty(path: Path) -> None:
    assert StatusFile(path).read() == ()
    assert not path.parent.exists()


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_a_board_reads_what_was_written_last(path: Path, kind: str) -> None:
    board: StatusBoard = StatusFile(path) if kind == "file" else MemoryStatusBoard()

    assert board.read() == ()
    assert board.write((ONE,), today=TODAY)
    assert board.read() == (ONE,)
    assert board.write((TWO, ONE), today=TODAY)
    assert board.read() == (TWO, ONE)


def test_a_board_in_memory_starts_with_the_deliverables_of_the_log() -> None:
    assert MemoryStatusBoard((ONE, TWO)).read() == (ONE, TWO)


COMMITS = st.text("0123456789abcdef", max_size=40)
EMPTY: st.SearchStrategy[list[str]] = st.just([])


@st.composite
def deliverables_of_any_kind(draw: st.DrawFn) -> Deliverable:
    """Only a pass has a claim and a proof, a claim names a commit or none yet, and a check is the
    only one for one of the criteria."""
    found: Deliverable = draw(values_of(Deliverable))
    criteria = dict.fromkeys(found.acceptance_criteria)
    checked = draw(st.lists(st.sampled_from(sorted(criteria)), unique=True) if criteria else EMPTY)
    commands = st.text(min_size=1, max_size=30).filter(lambda text: not find_command_problem(text))
    checks = [replace(draw(values_of(Check)), criterion=c, command=draw(commands)) for c in checked]
    claim = draw(st.none() | st.builds(Claim, COMMITS, st.booleans()))
    return with_valid_proof(replace(found, claim=claim, checks=tuple(checks)))


@settings(deadline=None)
@given(st.lists(deliverables_of_any_kind(), unique_by=lambda d: d.id, max_size=5))
def test_what_was_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, deliverables: list[Deliverable]
) -> None:
    named = [d for d in deliverables if d.id.strip()]
    path = tmp_path_factory.mktemp("project") / "status.json"

    assert StatusFile(path).write(named, today=TODAY)
    assert StatusFile(path).read() == tuple(named)


def test_the_file_has_the_shape_that_people_know(path: Path) -> None:
    board = StatusFile(path)
    board.write([ONE, TWO, deliverable("DL-3", "blocked")], today=TODAY)

    assert json.loads(path.read_text()) == {
        "createdAt": TODAY,
        "updatedAt": TODAY,
        "deliverables": [
            entry("DL-1"),
            entry("DL-2", passed=True, proof="claimed"),
            entry("DL-3", blocked=True),
        ],
    }
    assert path.read_text().endswith("}\n")


def test_the_day_of_creation_stays_and_the_day_of_the_last_change_moves(path: Path) -> None:
    board = StatusFile(path)
    board.write([ONE], today=TODAY)
    board.write([ONE, TWO], today="2026-05-05")

    written = json.loads(path.read_text())
    assert (written["createdAt"], written["updatedAt"]) == (TODAY, "2026-05-05")


def test_keys_of_others_stay_where_they_are(path: Path) -> None:
    edit(
        path,
        {
            "$schema": "x",
            "owner": {"name": "Ada"},
            "createdAt": "2026-01-01",
            "deliverables": [entry("DL-1", owner="Ada", weight=3)],
        },
    )
    board = StatusFile(path)
    assert board.read() == (ONE,)

    assert board.write([deliverable("DL-1", "passed"), TWO], today=TODAY)

    assert json.loads(path.read_text()) == {
        "$schema": "x",
        "owner": {"name": "Ada"},
        "createdAt": "2026-01-01",
        "updatedAt": TODAY,
        "deliverables": [
            entry("DL-1", owner="Ada", weight=3, passed=True, proof="claimed"),
            entry("DL-2", passed=True, proof="claimed"),
        ],
    }


def test_a_pass_without_a_proof_is_claimed_and_a_reset_takes_its_proof_away(path: Path) -> None:
    board = StatusFile(path)

    board.write([replace(TWO, proof=None)], today=TODAY)
    claimed = json.loads(path.read_text())["deliverables"]
    board.write([deliverable("DL-2")], today=TODAY)
    reset = json.loads(path.read_text())["deliverables"]

    assert claimed == [entry("DL-2", passed=True, proof="claimed")]
    assert reset == [entry("DL-2")]


def test_a_hand_edit_is_read_and_may_leave_out_both_booleans(path: Path) -> None:
    board = StatusFile(path)
    board.write([ONE], today=TODAY)
    short = {"id": "DL-9", "description": "Short", "acceptanceCriteria": []}
    edit(path, {"deliverables": [short, entry("DL-1", blocked=True)]})

    assert board.read() == (Deliverable("DL-9", "Short", ()), deliverable("DL-1", "blocked"))


def test_a_write_over_an_edit_that_nobody_has_read_is_not_done(path: Path) -> None:
    board = StatusFile(path)
    board.write([ONE], today=TODAY)
    edit(path, {"deliverables": [entry("DL-9")]})
    edited = path.read_bytes()

    assert board.write([ONE, TWO], today=TODAY) is False
    assert path.read_bytes() == edited
    assert names_in(path.parent) == ["status.json"]

    board.read()
    assert board.write([ONE, TWO], today=TODAY) is True


@pytest.mark.parametrize("before", ["created", "deleted"])
def test_a_file_made_or_removed_meanwhile_is_an_edit_too(path: Path, before: str) -> None:
    board = StatusFile(path)
    if before == "created":
        board.read()
        edit(path, {"deliverables": [entry("DL-9")]})
    else:
        board.write([ONE], today=TODAY)
        path.unlink()

    assert board.write([ONE], today=TODAY) is False


LINES: list[tuple[str, str]] = [
    ("", "1: not valid JSON: Expecting value"),
    ('{\n  "deliverables": [\n  {]\n}', "3: not valid JSON: Expecting property name enclosed"),
    ("[]", "1: expected an object with a list `deliverables`"),
    ('{"deliverables": {}}', "1: expected an object with a list `deliverables`"),
    ('{\n"deliverables": [\n1]}', "3: a deliverable must be an object"),
    ('{"deliverables": [\n{}\n]}', "2: a deliverable needs an `id`"),
    ('{"deliverables": [\n{"id": " "}]}', "2: a deliverable needs an `id`"),
    ('{"deliverables": [\n{"id": "A"}]}', "2: A: `description` must be text"),
    (
        '{"deliverables": [\n{"id": "A", "description": "a", "acceptanceCriteria": "b"}]}',
        "2: A: `acceptanceCriteria` must be a list of strings",
    ),
    (
        '{"deliverables": [\n\n{"id": "A", "description": "a", "acceptanceCriteria": [],'
        '\n"passed": "yes"}]}',
        "3: A: `passed` and `blocked` must be true or false",
    ),
    (
        '{"deliverables": [{"id": "A", "description": "a", "acceptanceCriteria": []},\n'
        '{"id": "B", "description": "b", "acceptanceCriteria": [], "passed": true,\n'
        '"blocked": true}]}',
        "2: B: cannot be passed and blocked at once",
    ),
    (
        '{"deliverables": [{"id": "A", "description": "a", "acceptanceCriteria": []},\n'
        '{"id": "A", "description": "b", "acceptanceCriteria": []}]}',
        "2: `id` 'A' is used twice",
    ),
    (
        '{"old": {"deliverables": []},\n "note": "deliverables", "x": [1],\n"deliverables": [\n5]}',
        "4: a deliverable must be an object",
    ),
    ('{"n": ' + "9" * 5000 + "}", "1: not valid JSON: too large a number"),
    ("[" * 100_000, "1: not valid JSON: too large a number or too deeply nested"),
]


@pytest.mark.parametrize(("text", "complaint"), LINES)
def test_an_invalid_file_is_refused_with_its_line(path: Path, text: str, complaint: str) -> None:
    edit(path, text)

    with pytest.raises(ProjectError) as caught:
        StatusFile(path).read()

    assert caught.value.message.startswith(f"{path}:{complaint}")
    assert caught.value.hint == "fix the file, or delete it to start over"


def test_bytes_that_are_no_text_are_refused_with_their_line(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{\n"a": "\xff"}')

    with pytest.raises(ProjectError, match=r"status\.json:2: not valid UTF-8"):
        StatusFile(path).read()


@pytest.mark.parametrize("broken", [b'{"deliverables": [', b'{"a": "\xff"}', b""])
def test_an_invalid_edit_is_put_aside_when_the_file_is_written_next(
    path: Path, broken: bytes
) -> None:
    board = StatusFile(path)
    board.write([ONE], today=TODAY)
    path.write_bytes(broken)

    assert board.write([ONE, TWO], today=TODAY)

    assert board.read() == (ONE, TWO)
    assert path.with_suffix(".json.refused").read_bytes() == broken


def test_no_refused_edit_is_written_over_by_the_next_one(path: Path) -> None:
    board = StatusFile(path)
    for broken in ("{first", "{second", "{first", "{third"):
        edit(path, broken)
        board.write([ONE], today=TODAY)

    assert {each.name: each.read_text() for each in path.parent.glob("*.refused*")} == {
        "status.json.refused": "{first",
        "status.json.refused-2": "{second",
        "status.json.refused-3": "{third",
    }


class Cut(Exception):
    """The process is gone."""


def test_a_process_cut_while_writing_leaves_the_old_file_or_the_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    StatusFile(path).write([ONE], today=TODAY)
    seen: list[tuple[Deliverable, ...]] = []

    def cut_before(self: Path, target: Path) -> Path:
        raise Cut

    def cut_after(self: Path, target: Path) -> Path:
        os.replace(self, target)  # noqa: PTH105  # Path.replace is what is cut here
        raise Cut

    for cut in (cut_before, cut_after):
        board = StatusFile(path)
        board.read()
        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", cut)
            with pytest.raises(Cut):
                board.write([ONE, TWO], today=TODAY)
        seen.append(StatusFile(path).read())

    assert seen == [(ONE,), (ONE, TWO)]
    fresh = StatusFile(path)
    fresh.read()
    assert fresh.write([TWO], today=TODAY)
    assert names_in(path.parent) == ["status.json"]


def test_a_place_that_takes_no_file_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / ".treadle").write_text("a file where a directory should be")
    path = tmp_path / ".treadle" / "status.json"

    with pytest.raises(ProjectError) as caught:
        StatusFile(path).write([ONE], today=TODAY)

    assert caught.value.message.startswith(f"cannot read {path}: Not a directory")
    assert caught.value.hint


def test_a_directory_in_place_of_the_file_is_one_clear_line(path: Path) -> None:
    path.mkdir(parents=True)

    with pytest.raises(ProjectError, match="is not a plain file"):
        StatusFile(path).read()


def test_half_a_character_in_a_description_does_not_stop_a_write(path: Path) -> None:
    board = StatusFile(path)

    assert board.write([Deliverable("DL-1", "half \ud83d", ("c",))], today=TODAY)
    assert board.read() == (Deliverable("DL-1", "half ?", ("c",)),)


@settings(deadline=None)
@given(JSON | st.fixed_dictionaries({"deliverables": JSON | st.lists(JSON)}))
def test_any_document_is_read_or_refused_by_its_line(document: object) -> None:
    def parsed(text: str) -> Sequence[Deliverable] | str:
        try:
            return parse_status(text.encode(), Path("status.json"))
        except ProjectError as error:
            return error.message

    for text in (json.dumps(document), json.dumps(document, indent=2, ensure_ascii=False)):
        found = parsed(text)
        assert not isinstance(found, str) or found.startswith("status.json:")


def test_a_pipe_in_place_of_the_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / ".treadle" / "status.json"
    path.parent.mkdir()
    os.mkfifo(path)

    with pytest.raises(ProjectError, match="is not a plain file"):
        StatusFile(path).read()
