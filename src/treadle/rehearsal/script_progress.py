"""Chooses the turn for a request and tracks how far a script has come. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from treadle.rehearsal.messages_api import needs_workspace
from treadle.rehearsal.turns import ModelReply, Script, SessionScript, Turn

EXCERPT = 300
FILLER_ANSWER = "No response requested."
INTERRUPTED_TOOL = "[Tool call interrupted: the session ended"


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A request for a message, as far as the choice of its turn depends on it."""

    session: str
    role: str | None = None
    agent: str | None = None  # set on requests of a sub-agent
    workspace: str | None = None
    prompt_text: str = ""  # what the model was told since its last answer
    answers: int = 0  # how many answers of the model the conversation holds


@dataclass(frozen=True, slots=True)
class ScriptPosition:
    """A session at its place in the script."""

    session_index: int
    served: int = 0
    subagent_served: int = 0
    # Taken in an earlier process, which knew how far it had come: the conversation tells.
    cut: bool = False


@dataclass(frozen=True, slots=True)
class ScriptProgress:
    """How far the script has come, and what has gone wrong on the way."""

    seats: Mapping[str, ScriptPosition] = field(default_factory=dict)
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptMismatch:
    """The script has no answer for this request: the rehearsal has failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A session that an earlier process of the same run had started."""

    session: str
    role: str
    ended: bool


def resume_progress(script: Script, earlier: Sequence[StartedSession]) -> ScriptProgress:
    """The progress of a rehearsal whose process was killed, for the one that goes on with it."""
    progress = ScriptProgress()
    for each in earlier:
        progress = _assign_session(script, progress, TurnRequest(each.session, each.role))
        seat = progress.seats.get(each.session)
        if seat is not None:
            session = script.sessions[seat.session_index]
            done = replace(
                seat, served=_total(session.turns), subagent_served=_total(session.subagent)
            )
            taken = done if each.ended else replace(seat, cut=True)
            progress = replace(progress, seats={**progress.seats, each.session: taken})
    return progress


def choose_turn(
    script: Script, progress: ScriptProgress, asked: TurnRequest
) -> tuple[ScriptProgress, Turn | ScriptMismatch]:
    """The turn for a request, and the progress after it."""
    progress = _assign_session(script, progress, asked)
    seat = progress.seats.get(asked.session)
    if seat is None:
        return _refuse_session(script, progress, asked)
    session = script.sessions[seat.session_index]
    if seat.cut and asked.agent is None:
        seat = replace(seat, served=turns_served(session.turns, asked.answers), cut=False)
    in_subagent = asked.agent is not None and bool(session.subagent)
    turns, served = _turns_for(session, seat, in_subagent=in_subagent)
    turn = turn_at(turns, served)
    if turn is None:
        kind = "subagent turn" if in_subagent else "turn"
        has = f"its script has {_count(_total(turns), kind)}"
        return _add_mismatch(
            progress, f"{session_label(script, seat)} asked for {kind} {served + 1}, but {has}"
        )
    moved = (
        replace(seat, subagent_served=served + 1)
        if in_subagent
        else replace(seat, served=served + 1)
    )
    progress = replace(progress, seats={**progress.seats, asked.session: moved})
    if complaint := _find_mismatch(turn, asked):
        where = f"turn {served + 1} ({script.source}:{turn.line})"
        return _add_mismatch(progress, f"{session_label(script, seat)}, {where}: {complaint}")
    return progress, turn


def find_problems(script: Script, progress: ScriptProgress) -> tuple[str, ...]:
    """All that failed so far, then all that was left over; empty after a good rehearsal."""
    return (*progress.faults, *_unused_parts(script, progress))


def turn_at(turns: Sequence[Turn], served: int) -> Turn | None:
    """The turn that comes after `served` answers, or None when there is none."""
    for turn in turns:
        if turn.repeat is None or served < turn.repeat:
            return turn
        served -= turn.repeat
    return None


def turns_served(turns: Sequence[Turn], answers: int) -> int:
    """How many turns were served when the conversation holds so many answers."""
    served = 0
    while answers > 0 and (turn := turn_at(turns, served)) is not None:
        answers -= isinstance(turn.answer, ModelReply)
        served += 1
    return served


def count_unused(turns: Sequence[Turn], served: int) -> int:
    """How many answers that had to be given were not; an endless turn owes one."""
    left = 0
    for turn in turns:
        owed = turn.repeat or 1
        used = min(owed, served)
        served -= used
        left += 0 if turn.optional else owed - used
    return left


def session_label(script: Script, seat: ScriptPosition) -> str:
    """A session as people find it in the script."""
    return _label(seat.session_index, script.sessions[seat.session_index])


def text_since_answer(messages: Sequence[Any]) -> str:
    """All text after the model's last answer: user text, tool results, notices."""
    recent: list[str] = []
    for message in reversed(messages):
        match message:
            case {"role": "assistant"}:
                break
            case {"content": content}:
                recent.append("\n".join(_texts(content)))
            case _:
                pass  # a client may send what it likes; only text can be expected
    return "\n".join(reversed(recent))


def count_answers(messages: Sequence[Any]) -> int:
    """How many answers of the model a conversation holds, without those whose tools were cut off:
    a model asks for them again."""
    said = [m for m in messages if isinstance(m, dict)]
    answers = [m for m in said if m.get("role") == "assistant" and not _is_filler_answer(m)]
    return len(answers) - sum(any(map(_is_interrupted_tool, _parts(m))) for m in said)


def _is_filler_answer(message: Mapping[str, Any]) -> bool:
    """Put in by the agent itself between a call that was cut off and what it is told next."""
    return list(_texts(message.get("content"))) == [FILLER_ANSWER]


def _parts(message: Mapping[str, Any]) -> Sequence[Any]:
    content = message.get("content")
    return content if isinstance(content, list) else ()


def _is_interrupted_tool(part: Any) -> bool:
    """What the agent puts in place of the result of a tool that ended with its process."""
    match part:
        case {"type": "tool_result", "is_error": True}:
            return any(text.startswith(INTERRUPTED_TOOL) for text in _texts(part))
        case _:
            return False


def _assign_session(script: Script, progress: ScriptProgress, asked: TurnRequest) -> ScriptProgress:
    if asked.session in progress.seats:
        return progress
    for index, session in enumerate(script.sessions):
        if asked.role and session.role and session.role != asked.role:
            continue
        taken = sum(seat.session_index == index for seat in progress.seats.values())
        if session.repeat is None or taken < session.repeat:
            return replace(progress, seats={**progress.seats, asked.session: ScriptPosition(index)})
    return progress


def _refuse_session(
    script: Script, progress: ScriptProgress, asked: TurnRequest
) -> tuple[ScriptProgress, ScriptMismatch]:
    who = f"{asked.role} session" if asked.role else "session"
    has = _count(len(script.sessions), "session")
    reason = f"one more {who} was started, but the script ({has}) has none left for it"
    return _add_mismatch(progress, reason)


def _add_mismatch(progress: ScriptProgress, reason: str) -> tuple[ScriptProgress, ScriptMismatch]:
    if reason in progress.faults:  # clients ask again; one complaint is enough
        return progress, ScriptMismatch(reason)
    return replace(progress, faults=(*progress.faults, reason)), ScriptMismatch(reason)


def _turns_for(
    session: SessionScript, seat: ScriptPosition, *, in_subagent: bool
) -> tuple[Sequence[Turn], int]:
    if in_subagent:
        return session.subagent, seat.subagent_served
    return session.turns, seat.served


def _find_mismatch(turn: Turn, asked: TurnRequest) -> str | None:
    for expected in turn.expect:
        if expected not in asked.prompt_text:
            excerpt = asked.prompt_text[-EXCERPT:].strip()
            return f"expected {expected!r} in what the model is told, which was: {excerpt!r}"
    if (
        asked.workspace is None
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
        seats = [seat for seat in progress.seats.values() if seat.session_index == index]
        if not seats:
            yield f"{name} was never started"
        elif session.repeat is not None and len(seats) < session.repeat:
            yield f"{name} was started {len(seats)} of {session.repeat} times"
        for number, seat in enumerate(seats, start=1):
            which = name if session.repeat == 1 else f"{name}, start {number}"
            yield from _unused_turns(which, session, seat)


def _unused_turns(which: str, session: SessionScript, seat: ScriptPosition) -> Iterator[str]:
    for in_subagent in (False, True):
        turns, served = _turns_for(session, seat, in_subagent=in_subagent)
        if left := count_unused(turns, served):
            kind = "subagent turn" if in_subagent else "turn"
            verb = "was" if left == 1 else "were"
            yield f"{which}: {left} of {_count(_total(turns), kind)} {verb} not used"


def _label(index: int, session: SessionScript) -> str:
    about = [part for part in (session.name, session.role) if part]
    return f"session {index + 1}" + (f" ({', '.join(about)})" if about else "")


def _total(turns: Sequence[Turn]) -> int:
    return sum(turn.repeat or 1 for turn in turns)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _texts(content: Any) -> Iterator[str]:
    match content:
        case str():
            yield content
        case list():
            for part in content:
                yield from _texts(part)
        case {"type": "text", "text": str(text)}:
            yield text
        case {"type": "tool_result", "content": inner}:
            yield from _texts(inner)
        case _:
            pass
