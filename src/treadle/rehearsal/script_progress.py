"""Chooses the turn for a request and tracks how far a script has come. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from treadle.rehearsal.messages_api import needs_workspace
from treadle.rehearsal.turns import ModelReply, Script, SessionScript, Turn

EXCERPT = 300


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """The parts of a message request that the choice of its turn depends on."""

    session: str
    role: str | None = None
    agent: str | None = None  # set on requests of a subagent
    workspace: str | None = None
    prompt_text: str = ""  # the text since the model's last answer
    answers: int = 0  # answers of the model in the conversation


@dataclass(frozen=True, slots=True)
class ScriptPosition:
    """How far a session has come in its script."""

    session_index: int
    served: int = 0
    subagent_served: int = 0
    # Started by an earlier process; `served` is then counted from the conversation.
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class ScriptProgress:
    """How far each session has come, and the mismatches so far."""

    positions: Mapping[str, ScriptPosition] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptMismatch:
    """The script has no turn for this request: the rehearsal has failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A session that an earlier process of the run started."""

    session: str
    role: str
    ended: bool


def resume_progress(script: Script, earlier: Sequence[StartedSession]) -> ScriptProgress:
    """The progress of a rehearsal that an earlier process started."""
    progress = ScriptProgress()
    for each in earlier:
        progress = _assign_session(script, progress, TurnRequest(each.session, each.role))
        position = progress.positions.get(each.session)
        if position is not None:
            session = script.sessions[position.session_index]
            finished = replace(
                position, served=_total(session.turns), subagent_served=_total(session.subagent)
            )
            started = finished if each.ended else replace(position, interrupted=True)
            progress = replace(progress, positions={**progress.positions, each.session: started})
    return progress


def choose_turn(
    script: Script, progress: ScriptProgress, request: TurnRequest
) -> tuple[ScriptProgress, Turn | ScriptMismatch]:
    """The turn for a request, and the progress after it."""
    progress = _assign_session(script, progress, request)
    position = progress.positions.get(request.session)
    if position is None:
        return _refuse_session(script, progress, request)
    session = script.sessions[position.session_index]
    if position.interrupted and request.agent is None:
        position = replace(
            position, served=turns_served(session.turns, request.answers), interrupted=False
        )
    in_subagent = request.agent is not None and bool(session.subagent)
    turns, served = _turns_for(session, position, in_subagent=in_subagent)
    turn = turn_at(turns, served)
    if turn is None:
        kind = "subagent turn" if in_subagent else "turn"
        count_text = f"its script has {_count(_total(turns), kind)}"
        return _add_mismatch(
            progress,
            f"{session_label(script, position)} asked for {kind} {served + 1}, but {count_text}",
        )
    advanced = (
        replace(position, subagent_served=served + 1)
        if in_subagent
        else replace(position, served=served + 1)
    )
    progress = replace(progress, positions={**progress.positions, request.session: advanced})
    if mismatch := _find_mismatch(turn, request):
        where = f"turn {served + 1} ({script.source}:{turn.line})"
        return _add_mismatch(progress, f"{session_label(script, position)}, {where}: {mismatch}")
    return progress, turn


def find_problems(script: Script, progress: ScriptProgress) -> tuple[str, ...]:
    """All mismatches, then all unused turns; empty after a successful rehearsal."""
    return (*progress.faults, *_unused_parts(script, progress))


def turn_at(turns: Sequence[Turn], served: int) -> Turn | None:
    """The turn after `served` turns, or None."""
    for turn in turns:
        if turn.repeat is None or served < turn.repeat:
            return turn
        served -= turn.repeat
    return None


def turns_served(turns: Sequence[Turn], answers: int) -> int:
    """How many turns were served to get this many answers."""
    served = 0
    while answers > 0 and (turn := turn_at(turns, served)) is not None:
        answers -= isinstance(turn.answer, ModelReply)
        served += 1
    return served


def count_unused(turns: Sequence[Turn], served: int) -> int:
    """How many required turns were not served; an endless turn requires one."""
    unused = 0
    for turn in turns:
        expected_count = turn.repeat or 1
        used_count = min(expected_count, served)
        served -= used_count
        unused += 0 if turn.optional else expected_count - used_count
    return unused


def session_label(script: Script, position: ScriptPosition) -> str:
    """A session's name for people."""
    return _label(position.session_index, script.sessions[position.session_index])


def _assign_session(
    script: Script, progress: ScriptProgress, request: TurnRequest
) -> ScriptProgress:
    if request.session in progress.positions:
        return progress
    for index, session in enumerate(script.sessions):
        if request.role and session.role and session.role != request.role:
            continue
        started = sum(position.session_index == index for position in progress.positions.values())
        if session.repeat is None or started < session.repeat:
            return replace(
                progress, positions={**progress.positions, request.session: ScriptPosition(index)}
            )
    return progress


def _refuse_session(
    script: Script, progress: ScriptProgress, request: TurnRequest
) -> tuple[ScriptProgress, ScriptMismatch]:
    session_kind = f"{request.role} session" if request.role else "session"
    count_text = _count(len(script.sessions), "session")
    reason = (
        f"one more {session_kind} was started, but the script ({count_text}) has none left for it"
    )
    return _add_mismatch(progress, reason)


def _add_mismatch(progress: ScriptProgress, reason: str) -> tuple[ScriptProgress, ScriptMismatch]:
    if reason in progress.faults:  # a client's retry is not a new fault
        return progress, ScriptMismatch(reason)
    return replace(progress, faults=(*progress.faults, reason)), ScriptMismatch(reason)


def _turns_for(
    session: SessionScript, position: ScriptPosition, *, in_subagent: bool
) -> tuple[Sequence[Turn], int]:
    if in_subagent:
        return session.subagent, position.subagent_served
    return session.turns, position.served


def _find_mismatch(turn: Turn, request: TurnRequest) -> str | None:
    for expected in turn.expect:
        if expected not in request.prompt_text:
            excerpt = request.prompt_text[-EXCERPT:].strip()
            return f"expected {expected!r} in the message to the model, which was: {excerpt!r}"
    if (
        request.workspace is None
        and isinstance(turn.answer, ModelReply)
        and needs_workspace(turn.answer)
    ):
        return "it names ${workspace}, but the request has no x-treadle-workspace header"
    return None


def _unused_parts(script: Script, progress: ScriptProgress) -> Iterator[str]:
    for index, session in enumerate(script.sessions):
        if session.optional:
            continue
        name = _label(index, session)
        positions = [
            position for position in progress.positions.values() if position.session_index == index
        ]
        if not positions:
            yield f"{name} was never started"
        elif session.repeat is not None and len(positions) < session.repeat:
            yield f"{name} was started {len(positions)} of {session.repeat} times"
        for number, position in enumerate(positions, start=1):
            label = name if session.repeat == 1 else f"{name}, start {number}"
            yield from _unused_turns(label, session, position)


def _unused_turns(label: str, session: SessionScript, position: ScriptPosition) -> Iterator[str]:
    for in_subagent in (False, True):
        turns, served = _turns_for(session, position, in_subagent=in_subagent)
        if unused := count_unused(turns, served):
            kind = "subagent turn" if in_subagent else "turn"
            verb = "was" if unused == 1 else "were"
            yield f"{label}: {unused} of {_count(_total(turns), kind)} {verb} not used"


def _label(index: int, session: SessionScript) -> str:
    details = [part for part in (session.name, session.role) if part]
    return f"session {index + 1}" + (f" ({', '.join(details)})" if details else "")


def _total(turns: Sequence[Turn]) -> int:
    return sum(turn.repeat or 1 for turn in turns)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")
