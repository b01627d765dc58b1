"""When two commits need the same to be set up."""

from pathlib import Path

import pytest

from treadle.workspace.setup_inputs import setup_inputs

COMMAND = "sh ./scripts/setup.sh && pip install -r 'needs/dev in.txt'"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    for name in ("scripts/setup.sh", "needs/dev in.txt", "Makefile", "package.json", "a.txt"):
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("one\n")
    (tmp_path / "outside").write_text("one\n")
    return tmp_path / "work"


@pytest.mark.parametrize(
    ("name", "matters"),
    [
        ("scripts/setup.sh", True),
        ("needs/dev in.txt", True),
        ("Makefile", True),
        ("package.json", True),
        ("a.txt", False),
        ("new.txt", False),
        ("go.mod", True),
        ("../outside", False),
    ],
)
def test_files_that_the_command_goes_by_make_a_difference(
    work: Path, name: str, matters: bool
) -> None:
    before = setup_inputs(work, COMMAND)
    (work / name).write_text("two\n")

    assert (setup_inputs(work, COMMAND) != before) is matters


def test_the_command_itself_makes_a_difference(work: Path) -> None:
    assert setup_inputs(work, "make deps") != setup_inputs(work, "make all")


@pytest.mark.parametrize("command", ["echo 'open", "cat ../outside scripts linked", "cat \0"])
def test_no_command_leads_out_of_the_project_or_fails(work: Path, command: str) -> None:
    (work / "linked").symlink_to("../outside")
    before = setup_inputs(work, command)
    (work.parent / "outside").write_text("two\n")

    assert setup_inputs(work, command) == before
