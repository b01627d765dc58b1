"""shfmt is found, checked and run, and never raises."""

import json
from pathlib import Path

import pytest

from treadle.adapters.shell.shfmt import Shfmt, check_shfmt, find_shfmt
from treadle.domain.shell import MalformedLine, ParserUnavailable, SyntaxTree


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    """A place for a program that is not shfmt."""
    return tmp_path / "shfmt"


def write_program(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_the_installed_program_is_found_at_its_absolute_path() -> None:
    found = find_shfmt()
    assert found.program is not None
    assert (found.program.is_absolute(), found.problem) == (True, "")


def test_a_line_becomes_a_tree_with_offsets() -> None:
    printed = find_shfmt()("ls 'a b'")
    assert isinstance(printed, SyntaxTree)
    tree = json.loads(printed.json)
    assert tree["Type"] == "File"
    assert tree["Stmts"][0]["Cmd"]["Args"][1]["Pos"]["Offset"] == 3


def test_a_malformed_line_is_reported() -> None:
    printed = find_shfmt()("ls )")
    assert isinstance(printed, MalformedLine)
    assert printed.why


def test_a_program_that_is_missing_is_no_parser(stand_in: Path) -> None:
    checked = check_shfmt(stand_in)
    assert checked.problem.startswith("shfmt could not be started: ")
    assert checked("ls") == ParserUnavailable(checked.problem)
    assert Shfmt(None)("ls") == ParserUnavailable("shfmt was not found")


@pytest.mark.parametrize("version", ["v3.6.0", "v4.0.0", "v2.9.9", "devel", ""])
def test_a_program_of_another_version_is_no_parser(stand_in: Path, version: str) -> None:
    checked = check_shfmt(write_program(stand_in, f"echo {version}"))
    problem = f"shfmt is {version or 'unknown'}, not 3.12 or a later 3.x"
    assert checked("ls") == ParserUnavailable(problem)


@pytest.mark.parametrize("version", ["v3.12.0", "3.14.1"])
def test_a_program_of_a_known_version_is_asked(stand_in: Path, version: str) -> None:
    assert check_shfmt(write_program(stand_in, f"echo {version}")).problem == ""


def test_a_program_that_takes_too_long_is_no_parser(stand_in: Path) -> None:
    program = write_program(stand_in, "exec sleep 60")
    assert Shfmt(program, timeout_s=0.05)("ls") == ParserUnavailable(
        "shfmt took longer than 0.05 s"
    )


def test_a_program_that_breaks_is_no_parser(stand_in: Path) -> None:
    program = write_program(stand_in, "exit 2")
    assert Shfmt(program)("ls") == ParserUnavailable("shfmt ended with status 2")


def test_a_program_is_given_an_empty_environment(stand_in: Path) -> None:
    program = write_program(stand_in, "/usr/bin/env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= ; true")
    assert Shfmt(program)("ls") == SyntaxTree(b"")


def test_half_a_character_is_no_parser(stand_in: Path) -> None:
    assert isinstance(find_shfmt()("echo \ud800"), ParserUnavailable)
