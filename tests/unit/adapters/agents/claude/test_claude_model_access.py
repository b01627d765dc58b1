"""How Claude Code is told where its model is, without the login that the gateway holds."""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.model_access import (
    at_bridge,
    at_loopback,
    at_socket,
    held_login,
    keeps_its_login,
    reach_model,
)
from treadle.domain.agent_kind import SessionSandbox
from treadle.domain.errors import SettingsError
from treadle.domain.model_access import (
    PASS_THROUGH_LOGIN,
    Endpoint,
    HeldSecret,
    Login,
    StaticSecret,
)

HEADER_ALONE = {"ANTHROPIC_CUSTOM_HEADERS": "x-team: 7"}
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


@pytest.mark.parametrize(
    ("given", "keeps"), [({}, True), ({"ANTHROPIC_API_KEY": "k"}, False), (HEADER_ALONE, True)]
)
def test_an_agent_with_a_login_file_alone_keeps_it_and_asks_at_a_port(
    given: dict[str, str], *, keeps: bool
) -> None:
    agent = ClaudeAgent(Path("/claude"), given)

    assert keeps_its_login(agent) is keeps
    assert at_bridge(ClaudeAgent(Path("/claude"), HEADER_ALONE)).environment == {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:3129",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
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
            HeldSecret(
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
    bridge=("python", "bridge.py"),
)


@pytest.mark.parametrize(
    ("given", "socket", "entry"),
    [
        ({"ANTHROPIC_API_KEY": "k"}, "/run/treadle/model.sock", SESSIONS.entry),
        (
            {},
            None,
            (*SESSIONS.entry, "python", "bridge.py", "/run/treadle/model.sock", "3129", "--"),
        ),
    ],
    ids=["a key that the gateway holds", "a login file of its own"],
)
def test_a_confined_agent_asks_at_a_socket_or_behind_a_bridge_to_it(
    given: dict[str, str], socket: str | None, entry: tuple[str, ...]
) -> None:
    agent = reach_model(ClaudeAgent(Path("/claude"), given, sandbox=SESSIONS), ENDPOINT)

    assert agent.environment.get("ANTHROPIC_UNIX_SOCKET") == socket
    assert agent.sandbox == replace(
        SESSIONS,
        sockets={**SESSIONS.sockets, "/run/treadle/model.sock": ENDPOINT.socket},
        entry=entry,
    )
