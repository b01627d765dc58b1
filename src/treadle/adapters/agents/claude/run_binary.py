"""The binary of a run: the one that it began with, kept until the run is cleaned away.

Claude Code updates itself and removes old versions, also between two sessions of a run.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from treadle.adapters.agents.claude.binary import (
    ClaudeBinary,
    Origin,
    check_binary,
    find_binary,
)
from treadle.adapters.disk.kept_program import is_native, keep_program
from treadle.domain.agent_kind import ProgramChoice, ProgramKeeping
from treadle.domain.errors import AgentUnavailable

BINARY = "claude"
NOTE = "program.json"


@dataclass(frozen=True, slots=True)
class FirstBinary:
    """The binary that a run began with, as its note has it."""

    path: str
    version: str
    # What a setting or a variable named; empty if it was found without them.
    chosen: str


def checked_binary(program: ProgramChoice) -> ClaudeBinary:
    """The binary that is there now."""
    # Not with the private home: what switches between versions looks there for what to run.
    return check_binary(*find_program_of(program), _environment(program))


def find_program_of(program: ProgramChoice) -> tuple[Path, Origin]:
    """Where the binary is that is there now."""
    return find_binary(
        setting=_from_project(program.setting, program.project),
        claude_bin=_from_project(program.variable, program.project),
        search_path=program.search_path,
    )


def _from_project(value: str, project: Path) -> str:
    """A relative path is one of the project; a bare name is looked up on the PATH."""
    return str(project / value) if os.sep in value else value


def binary_of_run(
    program: ProgramChoice, keeping: ProgramKeeping
) -> tuple[ClaudeBinary, list[str]]:
    """The binary that the run began with; else the one that is there now, which is kept from here
    on, and a warning if it is another version."""
    first = _read_note(keeping.folder)
    if first is not None and first.chosen == _chosen(program):
        kept = _kept_binary(program, keeping.folder, first)
        if kept is not None:
            return kept, []
    present = checked_binary(program)
    kept_path = keeping.folder / BINARY
    is_kept = is_native(present.path) and keep_program(present.path, kept_path, keeping.store)
    if not is_kept:
        kept_path.unlink(missing_ok=True)
    _write_note(keeping.folder, FirstBinary(str(present.path), present.version, _chosen(program)))
    used = replace(present, path=kept_path) if is_kept else present
    return used, _change_warnings(first, present)


def _kept_binary(program: ProgramChoice, folder: Path, first: FirstBinary) -> ClaudeBinary | None:
    """The kept binary; None if there is none, or this Treadle works with newer ones only."""
    path = folder / BINARY
    if not path.is_file():
        return None
    try:
        kept = check_binary(path, "run", _environment(program))
    except AgentUnavailable:
        return None
    return None if kept.support == "older" or kept.version != first.version else kept


def _change_warnings(first: FirstBinary | None, present: ClaudeBinary) -> list[str]:
    if first is None or first.version == present.version:
        return []
    return [
        f"this run began with Claude Code {first.version} ({first.path}) and continues with"
        f" {present.version} ({present.path})"
    ]


def _chosen(program: ProgramChoice) -> str:
    return program.setting or program.variable


def _environment(program: ProgramChoice) -> dict[str, str]:
    return {"PATH": program.search_path, "HOME": str(program.home)}


def _read_note(folder: Path) -> FirstBinary | None:
    with suppress(OSError, ValueError, TypeError):
        return FirstBinary(**json.loads((folder / NOTE).read_text(encoding="utf-8")))
    return None


def _write_note(folder: Path, first: FirstBinary) -> None:
    text = json.dumps({"path": first.path, "version": first.version, "chosen": first.chosen})
    # Without a note the next process takes the binary that is there then.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = folder / f".{NOTE}"
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(folder / NOTE)
