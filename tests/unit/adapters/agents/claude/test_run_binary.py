"""A run uses the binary that it began with, whatever is installed or removed meanwhile."""

from dataclasses import replace
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.run_binary import binary_of_run
from treadle.domain.agent_kind import ProgramChoice, ProgramKeeping

# Starts the real binary.
pytestmark = pytest.mark.slow

OLDER = Path(__file__).parents[5] / ".venv" / "older-claude/claude_agent_sdk/_bundled/claude"


@pytest.fixture
def keeping(tmp_path: Path) -> ProgramKeeping:
    return ProgramKeeping(tmp_path / "run" / "agent", tmp_path / "programs")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """`claude` on the search path, which leads to the version that is installed."""
    versions, link = tmp_path / "versions", tmp_path / "bin" / "claude"
    versions.mkdir()
    link.parent.mkdir()
    (versions / "current").hardlink_to(bundled_binary())
    link.symlink_to(versions / "current")
    return link


@pytest.fixture
def program(tmp_path: Path, installed: Path) -> ProgramChoice:
    path = f"{installed.parent}:/usr/bin:/bin"
    return ProgramChoice("", "", path, project=tmp_path, home=tmp_path)


def update(installed: Path, version: Path) -> None:
    """Install another version, and remove the one of before."""
    current = installed.resolve()
    installed.unlink()
    current.unlink()
    installed.symlink_to(version)


def test_the_binary_of_before_is_used_after_an_update_has_removed_it(
    program: ProgramChoice, keeping: ProgramKeeping, installed: Path
) -> None:
    first, _ = binary_of_run(program, keeping)
    update(installed, OLDER)

    later, warnings = binary_of_run(program, keeping)

    assert (later.path, later.version, warnings) == (first.path, first.version, [])
    assert later.path == keeping.folder / "claude"


def test_a_person_who_names_another_binary_gets_that_one_and_is_told(
    program: ProgramChoice, keeping: ProgramKeeping, installed: Path
) -> None:
    first, _ = binary_of_run(program, keeping)
    named = replace(program, variable=str(OLDER))

    later, warnings = binary_of_run(named, keeping)
    again, no_more = binary_of_run(named, keeping)

    assert (later.version, again.version, no_more) == ("2.1.211", "2.1.211", [])
    assert warnings == [
        f"this run began with Claude Code {first.version} ({installed}) and continues with"
        f" 2.1.211 ({OLDER})"
    ]


def test_a_script_is_used_where_it_is_and_another_version_of_it_is_told(
    program: ProgramChoice, keeping: ProgramKeeping, tmp_path: Path
) -> None:
    installed = tmp_path / "script" / "claude"
    installed.parent.mkdir()
    scripted = replace(program, search_path=f"{installed.parent}:/usr/bin:/bin")
    found = []
    for version in ("2.1.300", "2.1.301"):
        installed.write_text(f"#!/bin/sh\necho '{version} (Claude Code)'\n")
        installed.chmod(0o755)
        found.append(binary_of_run(scripted, keeping))

    (first, nothing), (later, warnings) = found
    assert [first.path, later.path, nothing] == [installed, installed, []]
    assert warnings == [
        f"this run began with Claude Code 2.1.300 ({installed}) and continues with"
        f" 2.1.301 ({installed})"
    ]


def test_a_kept_binary_that_was_damaged_is_replaced_by_the_present_one(
    program: ProgramChoice, keeping: ProgramKeeping, installed: Path
) -> None:
    first, _ = binary_of_run(program, keeping)
    first.path.unlink()
    first.path.write_bytes(b"\x7fELF, cut short")
    first.path.chmod(0o755)

    later, warnings = binary_of_run(program, keeping)

    assert (later, warnings) == (replace(first, origin="PATH"), [])
    assert later.path.samefile(installed)
