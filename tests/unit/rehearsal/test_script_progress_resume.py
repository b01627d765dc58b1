"""A rehearsal whose process was killed goes on in another: the log and the conversation tell."""

from typing import Any

import pytest

from treadle.rehearsal.conversation import count_answers
from treadle.rehearsal.script_progress import (
    ScriptMismatch,
    ScriptPosition,
    ScriptProgress,
    StartedSession,
    TurnRequest,
    choose_turn,
    find_problems,
    resume_progress,
    turns_served,
)
from treadle.rehearsal.turns import ApiError, ModelReply, ReplyText, Script, SessionScript, Turn


def says(text: str, **how: Any) -> Turn:
    return Turn(ModelReply((ReplyText(text),)), **how)


def session(*texts: str, **how: Any) -> SessionScript:
    return SessionScript(tuple(says(text) for text in texts), **how)


FAULT = Turn(ApiError(529, "overloaded_error", "Overloaded"))
PLAN = session("plan 1", "plan 2", role="initializer")
BUILD = session("build 1", "build 2", "build 3", role="implementer")
SCRIPT = Script((PLAN, BUILD), source="script.yaml")


@pytest.mark.parametrize(
    ("turns", "answers", "served"),
    [
        ((), 0, 0),
        ((), 3, 0),
        ((says("1"), says("2")), 0, 0),
        ((says("1"), says("2")), 1, 1),
        ((says("1"), says("2")), 2, 2),
        ((says("1"), says("2")), 9, 2),  # a person went on with the conversation
        ((says("1", repeat=2), says("2")), 2, 2),
        ((says("1", repeat=None),), 5, 5),
        # a fault is served and leaves no answer in the conversation
        ((FAULT, says("1"), says("2")), 1, 2),
        ((FAULT, FAULT, says("1"), FAULT, says("2")), 2, 5),
        # one that came after the last answer is served again: nobody knows of it
        ((says("1"), FAULT, says("2")), 1, 1),
    ],
)
def test_the_conversation_tells_how_many_turns_were_served(
    turns: tuple[Turn, ...], answers: int, served: int
) -> None:
    assert turns_served(turns, answers) == served


@pytest.mark.parametrize(
    ("earlier", "positions"),
    [
        ([], {}),
        ([StartedSession("a", "initializer", ended=True)], {"a": ScriptPosition(0, served=2)}),
        (
            [StartedSession("a", "initializer", ended=False)],
            {"a": ScriptPosition(0, interrupted=True)},
        ),
        (
            [
                StartedSession("a", "initializer", ended=True),
                StartedSession("b", "implementer", ended=False),
            ],
            {"a": ScriptPosition(0, served=2), "b": ScriptPosition(1, interrupted=True)},
        ),
        # more than the script has: the next request says so
        ([StartedSession("a", "reviewer", ended=True)], {}),
    ],
)
def test_sessions_of_an_earlier_process_have_their_places(
    earlier: list[StartedSession], positions: dict[str, ScriptPosition]
) -> None:
    assert resume_progress(SCRIPT, earlier) == ScriptProgress(positions)


def test_a_session_that_ended_has_said_all_its_subagents_had_to_say_too() -> None:
    talkative = SessionScript((says("1"),), subagent=(says("a"), says("b")))

    progress = resume_progress(
        Script((talkative,)), [StartedSession("a", "implementer", ended=True)]
    )

    assert progress == ScriptProgress({"a": ScriptPosition(0, served=1, subagent_served=2)})
    assert find_problems(Script((talkative,)), progress) == ()


def served(progress: ScriptProgress, *asked: TurnRequest) -> tuple[list[str], tuple[str, ...]]:
    """What each request was told, and the problems at the end."""
    texts = []
    for request in asked:
        progress, turn = choose_turn(SCRIPT, progress, request)
        assert not isinstance(turn, ScriptMismatch), turn.reason
        assert isinstance(turn.answer, ModelReply)
        texts += [block.text for block in turn.answer.blocks if isinstance(block, ReplyText)]
    return texts, find_problems(SCRIPT, progress)


@pytest.mark.parametrize(
    ("answers", "texts"),
    [
        (0, ["build 1", "build 2", "build 3"]),
        (1, ["build 2", "build 3"]),
        (2, ["build 3"]),
    ],
)
def test_a_session_that_was_cut_off_goes_on_behind_the_answers_it_remembers(
    answers: int, texts: list[str]
) -> None:
    progress = resume_progress(
        SCRIPT,
        [
            StartedSession("a", "initializer", ended=True),
            StartedSession("b", "implementer", ended=False),
        ],
    )
    asked = [TurnRequest("b", "implementer", answers=n) for n in range(answers, 3)]

    assert served(progress, *asked) == (texts, ())


def test_a_session_after_the_crash_takes_the_next_place() -> None:
    progress = resume_progress(SCRIPT, [StartedSession("a", "initializer", ended=True)])
    asked = [TurnRequest("b", "implementer", answers=n) for n in range(3)]

    assert served(progress, *asked) == (["build 1", "build 2", "build 3"], ())


def test_a_session_whose_request_comes_again_after_an_answer_it_never_got_hears_it_again() -> None:
    progress = resume_progress(SCRIPT, [StartedSession("a", "initializer", ended=False)])

    texts, _ = served(progress, TurnRequest("a", "initializer", answers=1))

    assert texts == ["plan 2"]


INPUT_CLOSED = "The tool call was interrupted before a result was received. It may or may not"
HOOK_CLOSED = "The user doesn't want to take this action right now. STOP"


def cut_off(words: str) -> dict[str, Any]:
    result = {"type": "tool_result", "is_error": True, "content": words}
    return {"role": "user", "content": [result, {"type": "text", "text": "Go on."}]}


@pytest.mark.parametrize(
    ("messages", "answers"),
    [
        ([], 0),
        ([{"role": "user", "content": "hi"}], 0),
        ([{"role": "user"}, {"role": "assistant"}, {"role": "user"}, {"role": "assistant"}], 2),
        (["no message", None, {"role": 7}, {"role": "assistant"}], 1),
        (
            [{"role": "assistant"}, cut_off("[Tool call interrupted: the session ended before …]")],
            0,
        ),
        ([{"role": "assistant"}, cut_off(f"{INPUT_CLOSED} verify before …")], 0),
        ([{"role": "assistant"}, cut_off(f"{HOOK_CLOSED} what you are doing")], 0),
        ([{"role": "assistant"}, cut_off("[Tool call interrupted by a colleague]")], 1),
        ([{"role": "assistant"}, cut_off("The user said no: not today")], 1),
    ],
)
def test_the_answers_in_a_conversation_are_counted(messages: list[Any], answers: int) -> None:
    assert count_answers(messages) == answers
