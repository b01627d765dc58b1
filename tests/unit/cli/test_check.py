"""`treadle check`: a person's checks in status.json, whoever writes there at the same time."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.sample_runs import MAIL, success
from tests.unit.cli.stored_runs import Command, living, store
from treadle.adapters.stores.status_file import StatusFile
from treadle.cli.context import CommandContext
from treadle.cli.main import run_command
from treadle.domain.check import Check
from treadle.domain.deliverable import Claim, Deliverable
from treadle.domain.errors import ProjectError
from treadle.runs.checks import edit_status
from treadle.settings.environment import parse_environment
from treadle.verify.checks.check_edits import CheckEdit, EditRefusal, with_check
from treadle.verify.grades.grade import AGENT_CHECK

NOW = datetime(2026, 3, 4, tzinfo=UTC)
ADD = Deliverable("DL-001", "Add two numbers", ("2 and 3 give 5", "it is documented"))


@pytest.fixture
def status(project: Path) -> Path:
    path = project / ".treadle" / "status.json"
    assert StatusFile(path).write([ADD, MAIL], today="2026-03-01")
    return path


def write(status: Path, *deliverables: Deliverable) -> None:
    file = StatusFile(status)
    file.read()
    assert file.write(deliverables, today="2026-03-02")


def stored(status: Path) -> list[tuple[str, tuple[Check, ...]]]:
    return [(each.id, each.checks) for each in StatusFile(status).read()]


def test_a_check_is_kept_in_the_file_beside_what_others_keep_there(
    status: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    status.write_text(status.read_text().replace("{", '{"mine": [1],', 1))

    assert treadle("check", "add", "DL-001", "1", "--", "pytest", "-k", "a and b") == 0

    said = capsys.readouterr()
    assert said.out == "DL-001: added a check for '2 and 3 give 5'\n"
    assert said.err == ""
    assert json.loads(status.read_text())["mine"] == [1]
    check = Check("2 and 3 give 5", "pytest -k 'a and b'", "person")
    assert stored(status) == [("DL-001", (check,)), ("DL-003", ())]


def test_one_word_is_a_shell_line_as_it_is(status: Path, treadle: Command) -> None:
    assert treadle("check", "add", "DL-001", "2", "--", "grep -c add README | grep 1") == 0

    [(_, [check]), _] = stored(status)
    assert check.command == "grep -c add README | grep 1"


def test_what_was_done_is_said_and_what_it_is_too_late_for(
    status: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    text = status.read_text().replace('"passed": false', '"passed": true', 1)
    status.write_text(text)

    treadle("check", "add", "DL-001", "It is fast", "--", "true")
    treadle("check", "add", "DL-001", "It is fast", "--", "false")
    treadle("check", "rm", "DL-001", "3")

    said = capsys.readouterr()
    assert said.out.splitlines() == [
        "DL-001: added a check for new criterion 'It is fast'",
        "DL-001: replaced the check for 'It is fast'",
        "DL-001: removed the check for 'It is fast'",
    ]
    assert said.err.startswith("DL-001 has already passed, so this check was never seen to fail: ")


def test_a_check_of_the_specification_comes_back_and_who_removes_it_hears_that(
    status: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = replace(ADD, checks=(Check("2 and 3 give 5", "make sum", "spec"),))
    write(status, spec)

    treadle("check", "rm", "DL-001", "1")
    removed = capsys.readouterr().err
    write(status, spec)
    treadle("check", "add", "DL-001", "1", "--", "true")

    assert [*removed.splitlines(), *capsys.readouterr().err.splitlines()] == [
        "the next run restores it from the specification: remove it there, too",
        "it overrides the check in the specification; if you remove it, the next run restores that"
        " one",
    ]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("", "     no check: it can only be claimed"),
        ("[verify]\nrequire_checks = true\n", "     no check: a pass is refused without one"),
    ],
)
def test_the_list_says_what_a_missing_check_means_here(
    settings: str,
    words: str,
    status: Path,
    project: Path,
    treadle: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (project / "treadle.toml").write_text(f"version = 1\n{settings}")
    check = Check("2 and 3 give 5", "make sum", "spec")
    write(status, replace(ADD, checks=(check,)))

    assert treadle("check", "list") == 0

    assert capsys.readouterr().out.splitlines()[1:] == [
        "  1  2 and 3 give 5",
        "     $ make sum",
        "     from the specification, not seen before the work",
        "  2  it is documented",
        words,
    ]


BY_AGENT = Check("2 and 3 give 5", "make sum", "agent", "failed", "passed", AGENT_CHECK)
SELF_TESTED = Deliverable(
    "DL-001", "Add", ("2 and 3 give 5",), "passed", Claim("c0"), (BY_AGENT,), "self-tested"
)


def test_a_check_of_the_agent_that_a_person_accepts_is_theirs_and_proves(
    status: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    write(status, SELF_TESTED, MAIL)

    assert treadle("check", "accept", "DL-001", "1") == 0

    said = capsys.readouterr()
    assert (said.out, said.err) == ("DL-001: the check for '2 and 3 give 5' is yours now\n", "")
    accepted = replace(BY_AGENT, origin="person", why="")
    assert StatusFile(status).read() == (
        replace(SELF_TESTED, checks=(accepted,), proof="proven"),
        MAIL,
    )


def test_a_run_that_works_takes_it_over(
    root: Path, project: Path, status: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    live = store(root, success()[:21], project, number=1)[0].run

    with living(root, live):
        treadle("check", "add", "DL-001", "1", "--", "true")

    assert capsys.readouterr().err == "run 7c01d2e1 uses it from its next round\n"


def check_by_hand(known: Sequence[Deliverable]) -> CheckEdit | EditRefusal:
    return with_check(known, "DL-001", "1", "true")


class Disturbed(StatusFile):
    """A run writes right behind the first look."""

    looks = 0

    def read(self) -> tuple[Deliverable, ...]:
        found = super().read()
        self.looks += 1
        if self.looks == 1:
            run = StatusFile(self._path)
            assert run.write([*run.read(), Deliverable("DL-9", "x", ("y",))], today="x")
        return found


class Restless(StatusFile):
    """Somebody else is always faster."""

    def write(self, deliverables: Sequence[Deliverable], *, today: str) -> bool:
        return False


def test_a_change_in_between_is_not_lost(status: Path) -> None:
    edit_status(Disturbed(status), check_by_hand, NOW)

    assert stored(status) == [
        ("DL-001", (Check("2 and 3 give 5", "true", "person"),)),
        ("DL-003", ()),
        ("DL-9", ()),
    ]


def test_a_file_that_never_rests_is_given_up_on(status: Path) -> None:
    with pytest.raises(ProjectError, match=r"status\.json keeps changing"):
        edit_status(Restless(status), check_by_hand, NOW)


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        (
            ("add", "DL-7", "1", "--", "true"),
            "there is no deliverable 'DL-7'",
            "there are DL-001, DL-003",
        ),
        (
            ("add", "DL-001", "1"),
            "there is no command",
            "treadle check add DL-001 1 -- pytest -q tests/test_x.py",
        ),
        (
            ("rm", "DL-001", "1"),
            "DL-001 has no check for '2 and 3 give 5'",
            "see them with `treadle check list`",
        ),
        (
            ("accept", "DL-001", "1"),
            "DL-001 has no check for '2 and 3 give 5'",
            "see them with `treadle check list`",
        ),
    ],
)
def test_a_mistake_is_one_line_and_what_to_do(
    arguments: tuple[str, ...],
    message: str,
    hint: str,
    status: Path,
    treadle: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = status.read_bytes()

    assert treadle("check", *arguments) == 2
    assert capsys.readouterr().err == f"treadle: {message}\n  hint: {hint}\n"
    assert status.read_bytes() == before


def test_before_the_first_run_there_is_nothing_to_check(
    project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = [treadle("check", "list"), treadle("check", "add", "DL-001", "1", "--", "true")]

    assert codes == [0, 2]
    assert capsys.readouterr().err.splitlines() == [
        "No deliverables yet. `treadle deliver` creates them from SPEC.md.",
        "treadle: this project has no deliverables yet",
        "  hint: run `treadle deliver` first, or write the check into SPEC.md",
    ]
    assert not (project / ".treadle").exists()


def test_the_list_shows_every_criterion_by_number(
    status: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = Check("2 and 3 give 5", "pytest -q", "spec", "passed")
    file = StatusFile(status)
    file.read()
    assert file.write(
        [Deliverable("DL-001", "Add", ADD.acceptance_criteria, checks=(seen,))], today="x"
    )

    assert treadle("check", "list") == 0
    assert capsys.readouterr().out.splitlines() == [
        "[PENDING] Add (DL-001)",
        "  1  2 and 3 give 5",
        "     $ pytest -q",
        "     from the specification, passed before the work, so it proves nothing",
        "  2  it is documented",
        "     no check: it can only be claimed",
    ]


def test_the_list_as_json_has_one_object_for_each_criterion(
    status: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    treadle("check", "add", "DL-003", "1", "--", "true")
    capsys.readouterr()

    assert treadle("check", "list", "--json", "-p", ".") == 0

    def row(deliverable: str, number: int, criterion: str, command: str | None) -> dict[str, Any]:
        origin = "person" if command else None
        facts = {"command": command, "origin": origin, "before": None}
        return {"deliverable": deliverable, "number": number, "criterion": criterion, **facts}

    assert json.loads(capsys.readouterr().out) == [
        row("DL-001", 1, "2 and 3 give 5", None),
        row("DL-001", 2, "it is documented", None),
        row("DL-003", 1, "a mail arrives", "true"),
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "DL-001", "1", "--", "true"),
        ("accept", "DL-001", "1"),
        ("rm", "DL-001", "1"),
    ],
)
def test_an_agent_in_its_session_changes_no_check(
    arguments: tuple[str, ...],
    project: Path,
    status: Path,
    root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    inside = parse_environment(
        {"TREADLE_ROOT": str(root), "HOME": str(root), "TREADLE_SESSION": "1"}
    )

    assert run_command(("check", *arguments), CommandContext(inside, project)) == 2
    assert capsys.readouterr().err == (
        "treadle: checks cannot be changed inside an agent's session\n"
        "  hint: use the tool add_check, or your own terminal\n"
    )
