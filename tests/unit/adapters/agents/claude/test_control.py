"""The control protocol, spoken with programs that play the agent."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.unit.adapters.agents.claude.real_sessions import allow
from treadle.adapters.agents.claude.control import CLOSED, Control
from treadle.adapters.agents.claude.transport import ProcessTransport
from treadle.domain.agent import Allow, Decide, Decision, Deny, Tool, ToolReply, ToolUse
from treadle.domain.sandbox import ConfinedCommand

# Keeps each line it is sent, and answers the first.
STARTED = r"""
keep() { IFS= read -r line || exit; printf '%s\n' "$line" >> "$PLACE/sent"; }
name() { printf '%s' "$line" | sed 's/.*"request_id": *"\([^"]*\)".*/\1/'; }
answer() {
  printf '{"type":"control_response","response":{"request_id":"%s","subtype":%s}}\n' \
    "$(name)" "$1"
}
keep; answer '"success"'
"""
# Goes on until its input ends.
LISTENS = "while keep; do :; done"

Message = dict[str, Any]


@asynccontextmanager
async def controlling(
    script: str, place: Path, *, decide: Decide = allow, tools: tuple[Tool, ...] = ()
) -> AsyncIterator[Control]:
    transport = ProcessTransport(
        ConfinedCommand(
            ("/bin/sh", "-c", script),
            environment={"PATH": "/usr/bin:/bin", "PLACE": str(place)},
        ),
        directory=place,
    )
    await transport.connect()
    control = Control(transport, decide=decide, tools=tools)
    try:
        yield control
    finally:
        await control.close()


async def initialized(script: str, place: Path, *, decide: Decide = allow) -> list[object]:
    """What a program printed besides the protocol, until it had printed all."""
    async with controlling(script, place, decide=decide) as control:
        await control.initialize()
        await control.ended.wait()
        return unread(control)


def unread(control: Control) -> list[object]:
    return [control.messages.get_nowait() for _ in range(control.messages.qsize())]


def sent(place: Path) -> list[Message]:
    """Each line that the program was sent."""
    return [json.loads(line) for line in (place / "sent").read_text().splitlines()]


def prints(*messages: object) -> str:
    return "".join(f"echo '{json.dumps(message)}'\n" for message in messages)


def asks(name: str, **request: object) -> Message:
    return {"type": "control_request", "request_id": name, "request": request}


def asks_hook(name: str, tool: str = "Bash") -> Message:
    given = {"tool_name": tool, "tool_input": {"command": "ls"}, "cwd": "/srv"}
    return asks(name, subtype="hook_callback", callback_id="hook_0", tool_use_id="t", input=given)


def asks_tool(request: str, method: str, **params: str) -> Message:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return asks(request, subtype="mcp_message", server_name="treadle", message=message)


def decided(name: str, permission: str, reason: str) -> Message:
    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": permission,
        "permissionDecisionReason": reason,
    }
    response = {
        "subtype": "success",
        "request_id": name,
        "response": {"hookSpecificOutput": output},
    }
    return {"type": "control_response", "response": response}


async def test_the_start_registers_one_hook_for_every_tool(tmp_path: Path) -> None:
    await initialized(STARTED, tmp_path)

    (request,) = sent(tmp_path)
    hook = {"matcher": None, "hookCallbackIds": ["hook_0"], "timeout": 1_209_600.0}
    assert request == {
        "type": "control_request",
        "request_id": request["request_id"],
        "request": {"subtype": "initialize", "hooks": {"PreToolUse": [hook]}},
    }


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"subtype": "error", "error": "no such hook"}, "no such hook"),
        ({"subtype": "error"}, "Unknown error"),
        ({"subtype": "error", "error": ["odd"]}, "['odd']"),
    ],
)
async def test_a_start_that_the_agent_refuses_fails(
    response: Message, reason: str, tmp_path: Path
) -> None:
    answer = json.dumps({"type": "control_response", "response": {"request_id": "@", **response}})
    script = f"""IFS= read -r line
    name=$(printf '%s' "$line" | sed 's/.*"request_id": *"\\([^"]*\\)".*/\\1/')
    echo '{answer}' | sed "s/@/$name/"; cat > /dev/null"""
    async with controlling(script, tmp_path) as control:
        with pytest.raises(ConnectionError, match=f"^{reason}$".replace("[", r"\[")):
            await control.initialize()


async def test_only_the_answer_to_the_very_request_counts(tmp_path: Path) -> None:
    other = {"type": "control_response", "response": {"request_id": "req_1", "subtype": "success"}}
    async with controlling(f"IFS= read -r line; {prints(other)}", tmp_path) as control:
        with pytest.raises(ConnectionError, match=CLOSED):
            await control.initialize()

        assert unread(control) == [None]


async def test_nothing_is_asked_of_an_agent_whose_output_has_ended(tmp_path: Path) -> None:
    async with controlling(f"{STARTED} exec >&-; {LISTENS}", tmp_path) as control:
        await control.initialize()
        await control.ended.wait()
        await control.interrupt()

    assert [message["request"]["subtype"] for message in sent(tmp_path)] == ["initialize"]


async def test_the_prompt_is_sent_to_be_taken_as_it_is_written(tmp_path: Path) -> None:
    async with controlling(f"{STARTED} {LISTENS}", tmp_path) as control:
        await control.initialize()
        await control.send_prompt("/begin 🧵")

    assert sent(tmp_path)[1:] == [
        {
            "type": "user",
            "message": {"role": "user", "content": "/begin 🧵"},
            "parent_tool_use_id": None,
            "session_id": "default",
            "client_composed": True,
        }
    ]


@pytest.mark.parametrize("answer", ["'\"success\"'", "'\"error\"'"])
async def test_an_interruption_waits_for_its_answer_whatever_it_is(
    answer: str, tmp_path: Path
) -> None:
    script = f'{STARTED} keep; echo seen > "$PLACE/interrupted"; answer {answer}; {LISTENS}'
    async with controlling(script, tmp_path) as control:
        await control.initialize()
        await control.interrupt()
        assert (tmp_path / "interrupted").exists()

    assert [message["request"] for message in sent(tmp_path)[1:]] == [{"subtype": "interrupt"}]


async def test_an_interruption_that_is_not_answered_is_given_up(tmp_path: Path) -> None:
    async with controlling(f"{STARTED} {LISTENS}", tmp_path) as control:
        await control.initialize()
        async with asyncio.timeout(30):
            await control.interrupt()


async def test_an_agent_that_was_never_started_is_not_interrupted(tmp_path: Path) -> None:
    async with controlling("cat > /dev/null", tmp_path) as control:
        async with asyncio.timeout(1):
            await control.interrupt()


@pytest.mark.parametrize(
    ("decision", "permission"), [(Allow("fine"), "allow"), (Deny("no"), "deny")]
)
async def test_a_hook_is_answered_as_the_policy_decides(
    decision: Decision, permission: str, tmp_path: Path
) -> None:
    async def decide(use: ToolUse) -> Decision:
        assert use == ToolUse("t", "Bash", {"command": "ls"}, "/srv")
        return decision

    await initialized(f"{STARTED} {prints(asks_hook('r'))} keep", tmp_path, decide=decide)

    assert sent(tmp_path)[1:] == [decided("r", permission, decision.reason)]


@pytest.mark.parametrize(
    "request_",
    [
        {"subtype": "hook_callback"},
        {"subtype": "hook_callback", "callback_id": "hook_1", "input": {"tool_name": "Read"}},
        {"subtype": "hook_callback", "callback_id": "hook_0", "input": {"tool_input": {}}},
        {"subtype": "hook_callback", "callback_id": "hook_0", "input": None},
    ],
)
async def test_a_malformed_hook_request_is_denied(request_: Message, tmp_path: Path) -> None:
    await initialized(f"{STARTED} {prints(asks('r', **request_))} keep", tmp_path)

    (answer,) = sent(tmp_path)[1:]
    output = answer["response"]["response"]["hookSpecificOutput"]
    assert (answer["response"]["subtype"], output["permissionDecision"]) == ("success", "deny")


async def test_a_policy_that_fails_denies(tmp_path: Path) -> None:
    async def decide(use: ToolUse) -> Decision:
        raise OSError("disk full")

    await initialized(f"{STARTED} {prints(asks_hook('r'))} keep", tmp_path, decide=decide)

    reason = "Treadle could not decide about this tool use (OSError('disk full')): refused."
    assert sent(tmp_path)[1:] == [decided("r", "deny", reason)]


async def test_a_hook_that_takes_its_time_holds_up_no_other(tmp_path: Path) -> None:
    quick = asyncio.Event()

    async def decide(use: ToolUse) -> Decision:
        if use.name == "Bash":
            await quick.wait()
        return Allow(use.name)

    both = prints(asks_hook("slow"), asks_hook("quick", "Read"))
    script = f"{STARTED} {both} keep; {prints({})} keep"
    async with controlling(script, tmp_path, decide=decide) as control:
        await control.initialize()
        assert await control.messages.get() == {}
        quick.set()
        await control.ended.wait()

    assert sent(tmp_path)[1:] == [
        decided("quick", "allow", "Read"),
        decided("slow", "allow", "Bash"),
    ]


async def test_a_hook_that_is_being_answered_is_not_begun_again(tmp_path: Path) -> None:
    """A program of the agent that can write to its output could name a harmless tool instead."""
    forged = asyncio.Event()

    async def decide(use: ToolUse) -> Decision:
        await forged.wait()
        return Allow(use.name)

    both = prints(asks_hook("r", "Bash"), asks_hook("r", "Read"), {})
    script = f"{STARTED} {both} keep; {prints(asks_hook('s', 'Grep'))} keep"
    async with controlling(script, tmp_path, decide=decide) as control:
        await control.initialize()
        assert await control.messages.get() == {}
        forged.set()
        await control.ended.wait()

    assert sent(tmp_path)[1:] == [decided("r", "allow", "Bash"), decided("s", "allow", "Grep")]


async def test_a_hook_the_agent_gives_up_is_cancelled_and_not_answered(tmp_path: Path) -> None:
    began, ends = asyncio.Event(), asyncio.Queue[str]()

    async def decide(use: ToolUse) -> Decision:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ends.put_nowait("cancelled")
        return Allow()

    cancel = prints({"type": "control_cancel_request", "request_id": "r"})
    script = f"{STARTED} {prints(asks_hook('r'))} keep; {cancel} {LISTENS}"
    async with controlling(script, tmp_path, decide=decide) as control:
        await control.initialize()
        await began.wait()
        await control.send_prompt("go on")
        assert await ends.get() == "cancelled"

    assert [message["type"] for message in sent(tmp_path)[1:]] == ["user"]


@pytest.mark.parametrize("subtype", ["can_use_tool", "weather"])
async def test_a_request_of_another_kind_is_answered_with_an_error(
    subtype: str, tmp_path: Path
) -> None:
    await initialized(f"{STARTED} {prints(asks('r', subtype=subtype))} keep", tmp_path)

    error = f"Unsupported control request subtype: {subtype}"
    response = {"subtype": "error", "request_id": "r", "error": error}
    assert sent(tmp_path)[1:] == [{"type": "control_response", "response": response}]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "weather"},
        {"type": "result"},
        {},
        {"type": ["control_request"]},
        {"type": "control_weather"},
        {"type": "control_request", "request_id": 5, "request": {"subtype": "hook_callback"}},
        {"type": "control_request", "request_id": "r", "request": "x"},
        {"type": "control_request", "request_id": "r", "request": {}},
        {"type": "control_response"},
        {"type": "control_response", "response": None},
        {"type": "control_response", "response": {"request_id": []}},
        {"type": "control_cancel_request"},
    ],
)
async def test_what_is_not_of_the_protocol_is_passed_on_as_it_came(
    message: Message, tmp_path: Path
) -> None:
    assert await initialized(STARTED + prints(message), tmp_path) == [message, None]
    assert len(sent(tmp_path)) == 1


async def test_a_request_for_our_tools_is_answered(tmp_path: Path) -> None:
    await initialized(f"{STARTED} {prints(asks_tool('r', 'ping'))} keep", tmp_path)

    reply = {"mcp_response": {"jsonrpc": "2.0", "id": 1, "result": {}}}
    response = {"subtype": "success", "request_id": "r", "response": reply}
    assert sent(tmp_path)[1:] == [{"type": "control_response", "response": response}]


async def test_nothing_is_at_work_once_the_session_is_closed(tmp_path: Path) -> None:
    began, ends = asyncio.Queue[None](), list[str]()

    async def wait(name: str) -> None:
        began.put_nowait(None)
        try:
            await asyncio.Event().wait()
        finally:
            ends.append(name)

    async def call(_: Mapping[str, Any]) -> ToolReply:
        await wait("tool")
        raise AssertionError

    async def decide(use: ToolUse) -> Decision:
        await wait("hook")
        raise AssertionError

    both = prints(asks_tool("r", "tools/call", name="wait"), asks_hook("s"))
    tool = Tool("wait", "Waits.", {"type": "object"}, call)
    async with controlling(
        f"{STARTED} {both} {LISTENS}", tmp_path, decide=decide, tools=(tool,)
    ) as control:
        await control.initialize()
        await began.get()
        await began.get()
        await control.close()

        assert (sorted(ends), unread(control)) == (["hook", "tool"], [None])
