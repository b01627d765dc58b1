"""How Claude Code is told where its model is, without the login that the gateway holds."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.model_access import (
    at_loopback,
    at_socket,
    held_login,
    reach_model,
)
from treadle.domain.agent_kind import SessionSandbox
from treadle.domain.errors import SettingsError
from treadle.domain.model_access import (
    PASS_THROUGH_LOGIN,
    Endpoint,
    Login,
    PlaceholderSecret,
    StaticSecret,
)

ENDPOINT = Endpoint(Path("/tmp/t/1.sock"), "http://127.0.0.1:5/t")


@pytest.mark.parametrize(
    ("given", "unproxied"), [({}, "127.0.0.1"), ({"NO_PROXY": ".example"}, ".example,127.0.0.1")]
)
def test_an_agent_is_told_another_address_that_no_proxy_stands_before(
    given: dict[str, str], unproxied: str
) -> None:
    agent = ClaudeAgent(Path("/claude"), {"TERM": "vt100", **given}, "by us")

    moved = at_loopback(agent, ENDPOINT)

    assert moved.environment == {
        "TERM": "vt100",
        "ANTHROPIC_BASE_URL": ENDPOINT.url,
        "NO_PROXY": unproxied,
        "no_proxy": "127.0.0.1",
    }
    # A kill of the one is a kill of all.
    assert (moved.attribution, moved.open_sessions is agent.open_sessions) == ("by us", True)


def test_an_agent_in_a_sandbox_is_told_a_socket() -> None:
    agent = ClaudeAgent(Path("/claude"), {"ANTHROPIC_BASE_URL": "https://x.example"})

    assert at_socket(agent, "/run/g.sock").environment == {
        "ANTHROPIC_BASE_URL": "http://gateway",
        "ANTHROPIC_UNIX_SOCKET": "/run/g.sock",
        "NO_PROXY": "127.0.0.1,gateway",
        "no_proxy": "127.0.0.1,gateway",
    }


SECRET = {
    "ANTHROPIC_API_KEY": "s3cret-1",
    "ANTHROPIC_AUTH_TOKEN": " s3cret-2\n",
    "CLAUDE_CODE_OAUTH_TOKEN": "s3cret-3",
    "ANTHROPIC_CUSTOM_HEADERS": "X-Team: s3cret-4\n\nno header\nAuthorization:Bearer s3cret-5",
    "CLAUDE_CODE_CLIENT_CERT": "/s3cret-6",
    "CLAUDE_CODE_CLIENT_KEY": "/s3cret-7",
    "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE": "s3cret-8",
}


@pytest.mark.parametrize(
    "moved",
    [
        at_loopback(ClaudeAgent(Path("/claude"), SECRET), ENDPOINT),
        at_socket(ClaudeAgent(Path("/claude"), SECRET), "/run/g.sock"),
    ],
)
def test_an_agent_behind_the_gateway_has_words_in_the_place_of_its_login(
    moved: ClaudeAgent,
) -> None:
    assert "s3cret" not in str(moved.environment)
    assert {name for name in moved.environment if name in SECRET} == {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN",
    }
    assert held_login(SECRET) == Login(
        tuple(
            PlaceholderSecret(
                moved.environment[name].encode(), StaticSecret(SECRET[name].strip().encode())
            )
            for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
        ),
        ((b"x-team", b"s3cret-4"), (b"authorization", b"Bearer s3cret-5")),
        subscriptions=frozenset({moved.environment["CLAUDE_CODE_OAUTH_TOKEN"].encode()}),
        paid_by_use=frozenset({moved.environment["ANTHROPIC_API_KEY"].encode()}),
    )


def test_an_agent_without_a_login_in_its_environment_keeps_its_own() -> None:
    assert held_login({"ANTHROPIC_API_KEY": "", "TERM": "vt100"}) == PASS_THROUGH_LOGIN


@pytest.mark.parametrize("line", ["two words: s3cret", ": s3cret", "x-a: s3cret\x07"])
def test_headers_that_cannot_be_sent_are_for_a_person_to_put_right(line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        held_login({"ANTHROPIC_CUSTOM_HEADERS": line})

    assert (caught.value.message, caught.value.hint) == (
        "ANTHROPIC_CUSTOM_HEADERS has a line that cannot be a header",
        "write `Name: value`, one on each line",
    )


SESSIONS = SessionSandbox(
    sandbox=cast(Any, None),
    confinement_for=lambda brief: pytest.fail("nothing is started here"),
    sockets={"/run/treadle/proxy.sock": Path("/tmp/proxy.sock")},
    entry=("python", "bridge.py", "/run/treadle/proxy.sock", "3128", "--"),
)
OF_FILE = StaticSecret(b"s3cret-9")


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN"])
@pytest.mark.parametrize("source", ["a variable", "a source"])
def test_a_confined_agent_asks_at_a_socket_with_a_word_for_its_login(
    name: str, source: str
) -> None:
    given = {name: "s3cret-9"} if source == "a variable" else {}
    sources = {} if source == "a variable" else {name: OF_FILE}
    bare = ClaudeAgent(Path("/claude"), given, login_sources=sources, sandbox=SESSIONS)
    agent = reach_model(bare, ENDPOINT)

    word = agent.environment[name]
    assert "s3cret" not in str(agent.environment)
    assert agent.environment["ANTHROPIC_UNIX_SOCKET"] == "/run/treadle/model.sock"
    assert agent.sandbox == replace(
        SESSIONS, sockets={**SESSIONS.sockets, "/run/treadle/model.sock": ENDPOINT.socket}
    )
    assert held_login(given, sources).secrets == (PlaceholderSecret(word.encode(), OF_FILE),)


def test_an_agent_without_a_sandbox_has_a_word_for_the_login_in_a_file_as_well() -> None:
    agent = ClaudeAgent(Path("/claude"), {}, login_sources={"CLAUDE_CODE_OAUTH_TOKEN": OF_FILE})

    moved = at_loopback(agent, ENDPOINT).environment

    assert moved["CLAUDE_CODE_OAUTH_TOKEN"] == "held-by-treadle-claude-code-oauth-token"
    assert moved["ANTHROPIC_BASE_URL"] == ENDPOINT.url
    login = held_login({}, agent.login_sources)
    assert (login.subscriptions, login.paid_by_use) == (
        frozenset({b"held-by-treadle-claude-code-oauth-token"}),
        frozenset(),
    )
