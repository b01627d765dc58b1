"""Binaries that do what they should not: each is one event and no process, never an exception."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.adapters.agents.claude.real_sessions import brief_in, opened, play
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.processes.marked_processes import marked_processes
from treadle.domain.agent import AgentEnded, AgentEvent, Fault, TextClosed, TextStreamed
from treadle.domain.events.agent import MessageSkipped
from treadle.domain.session import Completed, Crashed

pytestmark = pytest.mark.slow

# Answers the first request and takes the prompt, as the real binary does.
CONNECT = r"""
read -r line
id=$(printf '%s' "$line" | sed 's/.*"request_id": *"\([^"]*\)".*/\1/')
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s"}}\n' "$id"
read -r line
"""
RESULT = """echo '{"type":"result","subtype":"success","result":"ok","num_turns":1}'"""
ENDED = AgentEnded(Completed("ok"), turns=1)

Fake = Callable[..., ClaudeAgent]


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    def make(content: str, *, connect_s: float = 60.0) -> ClaudeAgent:
        path = tmp_path / "claude"
        path.write_text(f"#!/bin/sh\n{content}\n")
        path.chmod(0o755)
        environment = {"PATH": "/usr/bin:/bin", "PLACE": str(tmp_path)}
        return ClaudeAgent(path, environment, connect_s=connect_s)

    return make


def no_start(reason: str, exit_code: int | None) -> AgentEnded:
    return AgentEnded(
        Fault(f"the agent did not start: {reason}", subtype="start", exit_code=exit_code)
    )


CLOSED = "it closed its output instead of answering"


@pytest.mark.parametrize(
    ("content", "ended"),
    [
        ("exit 0", no_start(CLOSED, 0)),
        ("exit 3", no_start(CLOSED, 3)),
        ("echo starting >&2; echo error: no such option >&2; exit 1",
         no_start("error: no such option", 1)),
        ("echo hello; echo '{}'; printf '\\377\\376\\n'; exit 2", no_start(CLOSED, 2)),
        ("exec >&-; cat >/dev/null", no_start(CLOSED, 0)),
        ("kill -9 $$", no_start(CLOSED, -9)),
    ],
)  # fmt: skip
async def test_a_binary_that_gives_up_at_once_is_the_only_event(
    content: str, ended: AgentEnded, fake: Fake, tmp_path: Path
) -> None:
    played = await play(fake(content), brief_in(tmp_path))

    assert played.events == (ended,)


async def test_a_binary_that_never_answers_is_given_up(fake: Fake, tmp_path: Path) -> None:
    played = await play(fake("cat >/dev/null", connect_s=0.3), brief_in(tmp_path))

    assert played.events == (no_start("it was not ready after 0.3 s", 0),)


async def test_a_binary_that_is_missing_is_the_only_event(tmp_path: Path) -> None:
    played = await play(ClaudeAgent(tmp_path / "gone", {}), brief_in(tmp_path))

    assert played.events == (no_start(f"No such file or directory: {tmp_path}/gone", None),)


async def test_a_workspace_that_is_missing_is_the_only_event(fake: Fake, tmp_path: Path) -> None:
    brief = replace(brief_in(tmp_path), workspace=tmp_path / "gone")
    played = await play(fake("exit 0"), brief)

    assert played.events == (no_start(f"No such file or directory: {tmp_path}/gone", None),)


async def test_a_home_that_cannot_be_made_is_the_only_event(fake: Fake, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    brief = replace(brief_in(tmp_path), home=tmp_path / "file" / "home")
    played = await play(fake("exit 0"), brief)

    assert played.events == (no_start(f"Not a directory: {tmp_path}/file/home", None),)


@pytest.mark.parametrize(
    ("content", "crash"),
    [
        ("exit 7", Crashed("the agent process ended without a result", 7)),
        ("echo out of memory >&2; exit 137",
         Crashed("the agent process ended without a result: out of memory", 137)),
        ("kill -11 $$", Crashed("the agent process ended without a result", -11)),
    ],
)  # fmt: skip
async def test_a_binary_that_dies_after_the_prompt_has_crashed(
    content: str, crash: Crashed, fake: Fake, tmp_path: Path
) -> None:
    played = await play(fake(CONNECT + content), brief_in(tmp_path))

    assert played.events == (AgentEnded(crash),)


async def test_a_binary_that_closes_its_output_and_lives_on_is_ended(
    fake: Fake, tmp_path: Path
) -> None:
    played = await play(fake(CONNECT + "exec >&-; cat > /dev/null"), brief_in(tmp_path))

    assert played.events == (AgentEnded(Crashed("the agent process ended without a result", None)),)


NOISE = r"""
echo 'not JSON'; echo '[]'; printf '\377\376\n'; echo '{"type":'
echo '{"type":"control_response"}'
echo '{"type":"control_request","request_id":5}'
echo '{"type":"control_request","request_id":"x","request":{"subtype":"weather"}}'
echo '{"type":"control_request","request_id":"y","request":{"subtype":"hook_callback"}}'
echo '{"type":"control_cancel_request","request_id":"nobody"}'
echo '{"type":"system","subtype":"task_started","task_id":[],"task_type":{}}'
echo '{"type":"assistant"}'
echo '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"hi"}]}}'
"""


async def test_noise_of_every_kind_does_not_end_a_session(fake: Fake, tmp_path: Path) -> None:
    played = await play(fake(CONNECT + NOISE + RESULT + "; cat >/dev/null"), brief_in(tmp_path))

    assert played.without_heartbeats == [
        MessageSkipped("control_response"),
        MessageSkipped("control_request"),
        TextStreamed("hi"),
        TextClosed(),
        ENDED,
    ]


async def test_only_the_first_result_is_the_end(fake: Fake, tmp_path: Path) -> None:
    played = await play(fake(f"{CONNECT}{RESULT}; {RESULT}; cat >/dev/null"), brief_in(tmp_path))

    assert played.events == (ENDED,)


async def test_a_server_the_binary_leaves_behind_is_reported(fake: Fake, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready")
    # Before it has a session of its own, it would be ended with the binary's group.
    server = "setsid sh -c 'echo up > $PLACE/ready; exec tail -f /dev/null' >/dev/null 2>&1"
    left = f"({server} &); read up < $PLACE/ready"
    played = await play(fake(f"{CONNECT}{left}; {RESULT}; cat >/dev/null"), brief_in(tmp_path))

    assert [process.command for process in played.left] == ["tail -f /dev/null"]


async def test_a_child_that_holds_the_output_open_does_not_hold_up_the_end(
    fake: Fake, tmp_path: Path
) -> None:
    played = await play(fake(f"{CONNECT}tail -f /dev/null & {RESULT}; exit 0"), brief_in(tmp_path))

    assert played.events == (ENDED,)


async def test_an_opening_that_is_cancelled_leaves_no_process(fake: Fake, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready")
    agent, brief = fake('echo up > "$PLACE/ready"; cat >/dev/null'), brief_in(tmp_path)
    opening = asyncio.ensure_future(agent.open(brief))
    assert await asyncio.to_thread((tmp_path / "ready").read_text) == "up\n"
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening

    assert (marked_processes(brief.session), agent.open_sessions) == ([], {})


async def test_closing_ends_a_stream_that_somebody_still_reads(fake: Fake, tmp_path: Path) -> None:
    async with opened(fake(CONNECT + "cat >/dev/null"), brief_in(tmp_path)) as session:
        reading = asyncio.ensure_future(_all(session.events()))
        await session.close()

        assert await reading == [AgentEnded(Crashed("the agent process ended without a result", 0))]


async def test_two_closers_get_the_same_answer(fake: Fake, tmp_path: Path) -> None:
    async with opened(fake(CONNECT + RESULT), brief_in(tmp_path)) as session:
        first, second = await asyncio.gather(session.close(), session.close())

        assert first is second


PROMPT = "-x @file 'quotes' \\n 🧵 \ud800 \0 end"


@pytest.mark.parametrize(
    ("verbatim", "sent"),
    [
        (True, "\"-x @file 'quotes' \\\\n \\ud83e\\uddf5 \\ud800 \\u0000 end\""),
        (False, "\"-x \\\\@file 'quotes' \\\\n \\ud83e\\uddf5 \\ud800 \\u0000 end\\n\\n(Where"),
    ],
)
async def test_the_prompt_arrives_as_it_was_given_where_the_binary_takes_it_so(
    verbatim: bool, sent: str, fake: Fake, tmp_path: Path
) -> None:
    agent = fake(CONNECT + 'printf "%s" "$line" > "$PLACE/prompt"; ' + RESULT)
    await play(replace(agent, verbatim=verbatim), replace(brief_in(tmp_path), prompt=PROMPT))

    told = (tmp_path / "prompt").read_text()
    assert sent in told
    assert '"client_composed": true' in told


async def _all(events: AsyncIterator[AgentEvent]) -> list[AgentEvent]:
    return [event async for event in events]


# Says all it has to say, then tells of an end of its input, which it need not live to see.
ORDERLY = """while read -r line; do :; done; echo orderly > "$PLACE/end" """


async def test_an_agent_that_has_said_all_and_is_alone_is_not_waited_for(
    fake: Fake, tmp_path: Path
) -> None:
    played = await play(fake(f"{CONNECT}\n{RESULT}\n{ORDERLY}"), brief_in(tmp_path))

    assert (played.without_heartbeats, played.left) == ([ENDED], ())
    assert not (tmp_path / "end").exists()


@pytest.mark.parametrize("cat", ["cat", "env -i /bin/cat"], ids=["marked", "without a mark"])
async def test_an_agent_that_has_servers_is_left_to_end_them(
    cat: str, fake: Fake, tmp_path: Path
) -> None:
    server = f'{cat} > /dev/null < "$PLACE/pipe" & exec 3> "$PLACE/pipe"'
    content = f'{CONNECT}\nmkfifo "$PLACE/pipe"\n{server}\n{RESULT}\n{ORDERLY}'
    played = await play(fake(content), brief_in(tmp_path))

    assert (played.without_heartbeats, played.left) == ([ENDED], ())
    assert (tmp_path / "end").read_text() == "orderly\n"


async def test_a_process_whose_name_is_no_text_is_ended_like_any_other(
    fake: Fake, tmp_path: Path
) -> None:
    odd = 'name="$PLACE/$(printf "\\377x")"; cp /bin/sleep "$name"; "$name" 600 &'
    played = await play(fake(f"{CONNECT}\n{odd}\n{RESULT}\n{ORDERLY}"), brief_in(tmp_path))

    assert played.without_heartbeats == [ENDED]
    assert [process.command for process in played.left] == [f"{tmp_path}/\ufffdx 600"]
