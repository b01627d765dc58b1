"""Every request gets the turn that its session is at; what does not fit the script is a problem."""

from collections.abc import Sequence
from typing import Any

import pytest

from treadle.rehearsal.conversation import text_since_answer
from treadle.rehearsal.script_progress import (
    ScriptMismatch,
    ScriptProgress,
    TurnRequest,
    choose_turn,
    count_unused,
    find_problems,
    turn_at,
)
from treadle.rehearsal.turns import ModelReply, ReplyText, Script, SessionScript, ToolCall, Turn


def says(text: str, **how: Any) -> Turn:
    return Turn(ModelReply((ReplyText(text),)), **how)


def session(*texts: str, **how: Any) -> SessionScript:
    return SessionScript(tuple(says(text) for text in texts), **how)


def play(script: Script, *asked: TurnRequest) -> tuple[list[str], tuple[str, ...]]:
    """What each request was told, and the problems at the end."""
    progress, told = ScriptProgress(), []
    for request in asked:
        progress, turn = choose_turn(script, progress, request)
        told.append("refused" if isinstance(turn, ScriptMismatch) else _text(turn))
    return told, find_problems(script, progress)


def _text(turn: Turn) -> str:
    assert isinstance(turn.answer, ModelReply)
    return "".join(block.text for block in turn.answer.blocks if isinstance(block, ReplyText))


A, B = TurnRequest("a"), TurnRequest("b")
PLANNER, CODER = TurnRequest("p", role="planner"), TurnRequest("c", role="implementer")
IN_A = TurnRequest("a", agent="sub")
TWO = (session("1"), session("2"))
ROLES = (session("code", role="implementer"), session("plan", role="planner"), session("any"))


@pytest.mark.parametrize(
    ("sessions", "asked", "told"),
    [
        ((session("1", "2"),), (A, A), ["1", "2"]),
        (TWO, (A, B), ["1", "2"]),
        ((session("1", "2"), session("3", "4")), (A, B, A, B), ["1", "3", "2", "4"]),
        ((session("1", repeat=2),), (A, B), ["1", "1"]),
        ((session("1", repeat=None),), (A, B), ["1", "1"]),
        ((SessionScript((says("1", repeat=2), says("2"))),), (A, A, A), ["1", "1", "2"]),
        ((SessionScript((says("1", repeat=None),)),), (A, A, A), ["1", "1", "1"]),
        (ROLES, (PLANNER, CODER, A), ["plan", "code", "any"]),
        (ROLES, (A, B, PLANNER), ["code", "plan", "any"]),  # no role: the next one, whatever it is
        ((session("1", "2", subagent=(says("s"),)),), (A, IN_A, A), ["1", "s", "2"]),
        ((session("1", "2", "3"),), (A, IN_A, A), ["1", "2", "3"]),  # no list of its own
        ((session("1", optional=True),), (), []),
        ((SessionScript((says("1"), says("2", optional=True))),), (A,), ["1"]),
    ],
)
def test_a_script_that_is_followed_has_no_problems(
    sessions: tuple[SessionScript, ...], asked: Sequence[TurnRequest], told: list[str]
) -> None:
    assert play(Script(sessions), *asked) == (told, ())


TURN = "but its script has"
NO_PATH = "it names ${workspace}, but the request has no x-treadle-workspace header"


@pytest.mark.parametrize(
    ("sessions", "asked", "found"),
    [
        ((session("1"),), (A, A), [f"session 1 asked for turn 2, {TURN} 1 turn"]),
        ((session("1"),), (A, A, A), [f"session 1 asked for turn 2, {TURN} 1 turn"]),
        (
            (session("1", "2", role="planner", name="x"),),
            (A, A, A),
            [f"session 1 (x, planner) asked for turn 3, {TURN} 2 turns"],
        ),
        (
            (session("1", subagent=(says("s"),)),),
            (A, IN_A, IN_A),
            [f"session 1 asked for subagent turn 2, {TURN} 1 subagent turn"],
        ),
        (
            (session("1"),),
            (A, B, B),
            ["one more session was started, but the script (1 session) has none left for it"],
        ),
        (
            (session("1", role="planner"),),
            (PLANNER, CODER),
            [
                "one more implementer session was started, "
                "but the script (1 session) has none left for it"
            ],
        ),
        (TWO, (A,), ["session 2 was never started"]),
        ((session("1", role="planner"),), (), ["session 1 (planner) was never started"]),
        ((session("1", repeat=None),), (), ["session 1 was never started"]),
        ((session("1", repeat=3),), (A,), ["session 1 was started 1 of 3 times"]),
        ((session("1", "2", "3"),), (A,), ["session 1: 2 of 3 turns were not used"]),
        ((session("1", "2"),), (A,), ["session 1: 1 of 2 turns was not used"]),
        (
            (session("1", "2", repeat=2),),
            (A, A, B),
            ["session 1, start 2: 1 of 2 turns was not used"],
        ),
        (
            (session("1", subagent=(says("s"),)),),
            (A,),
            ["session 1: 1 of 1 subagent turn was not used"],
        ),
        (
            (SessionScript((says("1", expect=("red", "blue"), line=7),)),),
            (TurnRequest("a", prompt_text="all red"),),
            [
                "session 1, turn 1 (s.yaml:7): "
                "expected 'blue' in the message to the model, which was: 'all red'"
            ],
        ),
        (
            (SessionScript((Turn(ModelReply((ToolCall("W", {"p": "${workspace}"}),)), line=3),)),),
            (A,),
            [f"session 1, turn 1 (s.yaml:3): {NO_PATH}"],
        ),
    ],
)
def test_what_does_not_fit_the_script_is_said_once(
    sessions: tuple[SessionScript, ...], asked: Sequence[TurnRequest], found: list[str]
) -> None:
    assert list(play(Script(sessions, source="s.yaml"), *asked)[1]) == found


def test_an_expectation_that_is_met_lets_the_turn_pass() -> None:
    script = Script((SessionScript((says("1", expect=("red",)),)),))

    assert play(script, TurnRequest("a", prompt_text="all red")) == (["1"], ())


@pytest.mark.parametrize(
    ("repeats", "served", "at", "left"),
    [
        ((1, 2), 0, 0, 3),
        ((1, 2), 1, 1, 2),
        ((1, 2), 2, 1, 1),
        ((1, 2), 3, None, 0),
        ((1, None), 1, 1, 1),
        ((1, None), 9, 1, 0),
    ],
)
def test_repeats_count_as_turns_of_their_own(
    repeats: tuple[int | None, ...], served: int, at: int | None, left: int
) -> None:
    turns = [says(str(n), repeat=repeat) for n, repeat in enumerate(repeats)]

    assert (turn_at(turns, served), count_unused(turns, served)) == (
        None if at is None else turns[at],
        left,
    )


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], ""),
        ([{"role": "user", "content": "go"}], "go"),
        (
            [
                {"role": "user", "content": "old"},
                {"role": "assistant", "content": "x"},
                {"role": "user", "content": [{"type": "text", "text": "new"}]},
                {"role": "system", "content": "notice"},
            ],
            "new\nnotice",
        ),
        (
            [
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "content": "plain"},
                        {"type": "tool_result", "content": [{"type": "text", "text": "listed"}]},
                        {"type": "image", "source": {}},
                    ],
                }
            ],
            "plain\nlisted",
        ),
        ([{"role": "user"}, "garbage", {"role": "user", "content": 3}], ""),
    ],
)
def test_what_the_model_was_told_is_all_text_since_its_last_answer(
    messages: list[Any], said: str
) -> None:
    assert text_since_answer(messages) == said
