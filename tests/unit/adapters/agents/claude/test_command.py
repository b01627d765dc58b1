"""The command line and the environment of a session: a function of what it is given."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.command import (
    MAX_CONTEXT_BYTES,
    SessionFiles,
    child_environment,
    command_line,
    servers_of,
    shorten_context,
)
from treadle.domain.agent import Allow, CommitIdentity, Decision, SessionBrief, ToolUse
from treadle.domain.ids import SessionId

CLAUDE = Path("/opt/claude")


async def allow(use: ToolUse) -> Decision:
    return Allow()


BRIEF = SessionBrief(
    session=SessionId("11111111-2222-4333-8444-555555555555"),
    role="implementer",
    prompt="-p is how this prompt begins",
    context="",
    workspace=Path("/home/ada/pro ject"),
    home=Path("/private"),
    model="claude-sonnet-5-5",
    max_turns=7,
    max_cost_usd=1.5,
    decide=allow,
    identity=CommitIdentity("Ada", "ada@example.com"),
)
SETTINGS = {
    "attribution": {"commit": "", "pr": ""},
    "includeCoAuthoredBy": False,
    "includeGitInstructions": False,
    "autoMemoryEnabled": False,
}
OURS = {"treadle": {"type": "sdk", "name": "treadle"}}
GIVEN = SessionFiles(Path("/private/given-servers"))
PLAIN = [
    *("/opt/claude", "--output-format", "stream-json", "--input-format", "stream-json"),
    *("--verbose", "--include-partial-messages", "--setting-sources="),
    *("--permission-mode", "default", "--disable-slash-commands"),
    *("--strict-mcp-config", "--mcp-config=/private/given-servers"),
    *("--settings", json.dumps(SETTINGS), "--model=claude-sonnet-5-5"),
    *("--max-turns", "7", "--max-budget-usd", "1.5000"),
    "--session-id=11111111-2222-4333-8444-555555555555",
]


def line(brief: SessionBrief, given: SessionFiles = GIVEN, attribution: str = "") -> list[str]:
    return command_line(CLAUDE, brief, given, attribution=attribution)


def test_a_plain_session_is_started_with_these_flags() -> None:
    assert line(BRIEF) == PLAIN


@pytest.mark.parametrize(
    ("brief", "more"),
    [
        (replace(BRIEF, builtin_tools=("Bash", "Read")), ["--tools=Bash,Read"]),
        (replace(BRIEF, thinking_tokens=4000), ["--max-thinking-tokens", "4000"]),
    ],
)
def test_what_a_brief_asks_for_is_added(brief: SessionBrief, more: list[str]) -> None:
    assert line(brief) == [*PLAIN, *more]


def test_the_context_is_named_by_its_file() -> None:
    given = replace(GIVEN, context=Path("/private/given-context"))

    assert line(replace(BRIEF, context="Be brief."), given) == [
        *PLAIN,
        "--append-system-prompt-file=/private/given-context",
    ]


def test_a_resumed_session_names_the_conversation_it_goes_on_with() -> None:
    assert line(replace(BRIEF, resume=True)) == [
        *PLAIN[:-1],
        "--resume=11111111-2222-4333-8444-555555555555",
    ]


BROWSER = {"command": "b", "args": ["-x"], "env": {"TOKEN": "s-e-c-r-e-t"}}


def test_further_servers_stand_beside_ours() -> None:
    brief = replace(BRIEF, mcp_servers={"browser": BROWSER})

    assert servers_of(brief) == {**OURS, "browser": BROWSER}


def test_no_other_server_stands_in_the_place_of_ours() -> None:
    assert servers_of(replace(BRIEF, mcp_servers={"treadle": BROWSER})) == OURS


def test_no_secret_and_no_context_is_on_the_command_line() -> None:
    brief = replace(BRIEF, mcp_servers={"browser": BROWSER}, context="s-e-c-r-e-t")

    assert not [argument for argument in line(brief) if "s-e-c-r-e-t" in argument]


def test_attribution_is_off_unless_it_is_given() -> None:
    command = line(BRIEF, attribution="Co-Authored-By: A <a@b>")

    assert json.loads(command[command.index("--settings") + 1]) == {
        "attribution": {"commit": "Co-Authored-By: A <a@b>", "pr": "Co-Authored-By: A <a@b>"},
        "includeCoAuthoredBy": True,
        "includeGitInstructions": True,
        "autoMemoryEnabled": False,
    }


@given(st.text(min_size=1), st.text(min_size=1))
def test_no_given_text_is_ever_an_argument_of_its_own(model: str, tool: str) -> None:
    brief = replace(BRIEF, model=model, builtin_tools=(tool,))
    names = [argument.partition("=")[0] for argument in line(brief)]

    assert names == [
        *(argument.partition("=")[0] for argument in PLAIN),
        "--tools",
    ]


def test_the_prompt_is_not_on_the_command_line() -> None:
    assert not [argument for argument in line(BRIEF) if BRIEF.prompt in argument]


def test_even_the_smallest_budget_is_one_that_the_agent_takes() -> None:
    command = line(replace(BRIEF, max_cost_usd=0.00001))

    assert float(command[command.index("--max-budget-usd") + 1]) > 0


@pytest.mark.parametrize("letter", ["a", "é", "🧵"])
@pytest.mark.parametrize("past", [-1, 0, 1, 5, 100_000])
def test_a_context_without_end_is_cut(letter: str, past: int) -> None:
    size = len(letter.encode())
    context = letter * ((MAX_CONTEXT_BYTES + past) // size)
    cut = shorten_context(context)

    assert len(cut.encode()) < MAX_CONTEXT_BYTES + 200
    if len(context.encode()) <= MAX_CONTEXT_BYTES:
        assert cut == context
    else:
        kept, _, rest = cut.partition("\n")
        assert (set(kept), rest) == ({letter}, "[the rest was left out: too long]")


def test_the_child_gets_what_is_allowed_and_what_is_its_own_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_TEST", "1")

    assert child_environment({"PATH": "/bin", "ANTHROPIC_API_KEY": "k"}, BRIEF) == {
        "PATH": "/bin",
        "ANTHROPIC_API_KEY": "k",
        "HOME": "/private",
        "TMPDIR": "/private/tmp",
        "TREADLE_SESSION": "11111111-2222-4333-8444-555555555555",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "Ada",
        "GIT_AUTHOR_EMAIL": "ada@example.com",
        "GIT_COMMITTER_NAME": "Ada",
        "GIT_COMMITTER_EMAIL": "ada@example.com",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "ENABLE_TOOL_SEARCH": "false",
        "CLAUDE_CODE_SDK_READS_SESSION_STATE": "1",
        "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
    }


@pytest.mark.parametrize(
    "name", ["HOME", "TMPDIR", "TREADLE_SESSION", "GIT_AUTHOR_NAME", "DISABLE_TELEMETRY"]
)
def test_what_is_the_sessions_own_cannot_be_overridden(name: str) -> None:
    assert child_environment({name: "other"}, BRIEF) == child_environment({}, BRIEF)


GATEWAY = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_API_KEY": "held"}
CODING = replace(BRIEF, builtin_tools=("Bash", "Read"), mcp_servers={"browser": BROWSER})
REMOTE = {"type": "http", "url": "https://tools.example"}


@pytest.mark.parametrize(
    ("allowed", "brief", "store"),
    [
        (GATEWAY, CODING, "bundled"),
        ({**GATEWAY, "CLAUDE_CODE_CERT_STORE": "system"}, CODING, "system"),
        ({**GATEWAY, "ANTHROPIC_BASE_URL": "https://gateway.example"}, CODING, None),
        ({"ANTHROPIC_API_KEY": "k"}, CODING, None),
        # a login of its own is renewed at its maker's
        ({"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}, CODING, None),
        ({**GATEWAY, "CLAUDE_CODE_USE_BEDROCK": "1"}, CODING, None),
        (GATEWAY, replace(CODING, builtin_tools=("Bash", "WebFetch")), None),
        (GATEWAY, replace(CODING, builtin_tools=()), None),
        (GATEWAY, replace(CODING, mcp_servers={"tools": REMOTE}), None),
    ],
)
def test_the_machines_certificates_are_left_out_where_nobody_is_reached_by_tls(
    allowed: dict[str, str], brief: SessionBrief, store: str | None
) -> None:
    assert child_environment(allowed, brief).get("CLAUDE_CODE_CERT_STORE") == store


def test_a_rehearsal_is_told_who_asks_and_a_real_model_is_not() -> None:
    told = ("x-treadle-role: {role}", "x-treadle-workspace: {workspace}")
    rehearsed = ClaudeAgent(CLAUDE, {}, headers=told).child_environment(BRIEF)
    real = ClaudeAgent(CLAUDE, {}).child_environment(BRIEF)

    assert rehearsed == {
        **real,
        "ANTHROPIC_CUSTOM_HEADERS": "x-treadle-role: implementer\n"
        "x-treadle-workspace: /home/ada/pro%20ject",
    }


def test_an_agent_does_not_show_its_environment() -> None:
    assert "k-e-y" not in repr(ClaudeAgent(CLAUDE, {"ANTHROPIC_API_KEY": "k-e-y"}))
