"""The record of the agent that plays a recording. It starts no process, and asks no model."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from treadle.domain.agent_kind import AgentInputs, AgentKind, ProgramChoice
from treadle.domain.errors import AgentUnavailable

if TYPE_CHECKING:
    from treadle.adapters.agents.replay.agent import ReplayAgent
    from treadle.adapters.agents.replay.recording import RecordedSession


def _make(inputs: AgentInputs) -> "tuple[ReplayAgent, list[str]]":
    from treadle.adapters.agents.replay.agent import (
        ReplayAgent,
        add_played,
        count_played,
        replay_steps,
    )

    sessions = _read_recording(inputs.program)
    # Where an earlier process of the run was cut off, its session is played again.
    left = sessions[count_played(inputs.private_home) :]
    played = partial(add_played, inputs.private_home)
    return ReplayAgent([replay_steps(each.steps) for each in left], on_end=played), []


def _describe(program: ProgramChoice) -> tuple[str, list[str]]:
    sessions = _read_recording(program)
    plural = "" if len(sessions) == 1 else "s"
    return f"a recording of {len(sessions)} session{plural}: {_recording_file(program)}", []


def _read_recording(program: ProgramChoice) -> "tuple[RecordedSession, ...]":
    from treadle.adapters.agents.replay.recording import parse_recording

    path = _recording_file(program)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AgentUnavailable(
            f"cannot read the recording {path}: {getattr(error, 'strerror', '') or error}",
            hint="agent.binary names the recording of a replay",
        ) from error
    return parse_recording(text, path.name)


def _recording_file(program: ProgramChoice) -> Path:
    if not program.setting:
        raise AgentUnavailable(
            "a replay needs a recording",
            hint="name the file in agent.binary",
        )
    return program.project / program.setting


KIND: AgentKind["ReplayAgent"] = AgentKind(
    name="replay", title="A replay", make=_make, describe=_describe
)
