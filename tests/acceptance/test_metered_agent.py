"""The real Claude Code binary asks its model through the gateway, and the ledger has it all."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.builders import FAULTS, RUN, SESSION_LIMITS, VENDOR_PRICES, FakeClock
from tests.unit.adapters.agents.claude.real_sessions import BUNDLED, HEADERS, OLDER, brief_in
from tests.unit.gateway.recorded_heads import record_heads
from tests.unit.gateway.test_metered_agent import ledger_in
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.model_access import (
    at_loopback,
    at_socket,
    held_login,
)
from treadle.adapters.stores.database import open_database
from treadle.domain.agent import SessionBrief
from treadle.domain.events.all_events import Event
from treadle.domain.events.oversight import BillDiffered
from treadle.domain.events.run import RunWarned
from treadle.domain.model_access import (
    Endpoint,
    ModelService,
    SecretMissing,
    SecretSource,
    StaticSecret,
)
from treadle.domain.session import BudgetExceeded, Completed, ExecutionError, SessionResult
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.gateway.metered_agent import MeteredAgent, Metering, MeterRules
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi
from treadle.session.driver import SessionDriver

Reach = Callable[[ClaudeAgent, Endpoint], ClaudeAgent]
WORLD = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
KEY = {"ANTHROPIC_API_KEY": "rehearsal"}
SUBSCRIPTION = {"CLAUDE_CODE_OAUTH_TOKEN": "rehearsal"}
# Nobody listens there: what does not go through the gateway does not arrive.
NOWHERE = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9"}
BINARIES = pytest.mark.parametrize("binary", [BUNDLED, OLDER], ids=["newest", "oldest"])


def through_the_socket(agent: ClaudeAgent, endpoint: Endpoint) -> ClaudeAgent:
    return at_socket(agent, str(endpoint.socket))


DOORS = pytest.mark.parametrize("reach", [at_loopback, through_the_socket], ids=["tcp", "socket"])


@contextmanager
def scripted(turns: str, more: str = "") -> Iterator[ScriptedApi]:
    script = f"{{version: 1, sessions: [{{turns: [{turns}]{more}}}]}}"
    with ScriptedApi(parse_script(script, source="metered.yaml")) as api:
        yield api


async def drive(
    url: str,
    brief: SessionBrief,
    storage: Storage,
    *,
    login: Mapping[str, str | SecretSource],
    binary: Path,
    reach: Reach = at_loopback,
) -> tuple[SessionResult, list[Event]]:
    """A whole session behind a gateway that stands before the service at `url`."""
    given = {name: value for name, value in login.items() if isinstance(value, str)}
    sources = {name: value for name, value in login.items() if not isinstance(value, str)}
    environment = {**WORLD, **given, **NOWHERE}
    agent = ClaudeAgent(binary, environment, "", HEADERS, login_sources=sources)
    terms = MeterRules(RUN, 100.0, VENDOR_PRICES, rehearsal=True)
    metering = Metering(
        ModelService(url), ledger_in(storage.root), terms, held_login(environment, sources)
    )
    events: list[Event] = []
    driver = SessionDriver(
        MeteredAgent(agent, metering, reach),
        FakeClock(),
        events.append,
        asyncio.Event(),
        FAULTS,
        VENDOR_PRICES,
        bill=metering.bill,
    )
    result = await driver.run(brief, SESSION_LIMITS)
    await agent.gone()
    return result, events


def rows(storage: Storage, columns: str) -> list[tuple[object, ...]]:
    with closing(open_database(storage)) as database:
        return database.query(f"SELECT {columns} FROM ledger ORDER BY at")  # noqa: S608


@pytest.mark.parametrize(
    ("binary", "differing_usd"),
    # The oldest binary does not know this model, and takes it for a dearer one.
    [(BUNDLED, []), (OLDER, [0.6525])],
    ids=["newest", "oldest"],
)
async def test_the_ledger_agrees_with_an_agent_that_knows_the_price(
    binary: Path, differing_usd: list[float], tmp_path: Path
) -> None:
    used = "usage: {input: 1000, output: 20000, cache_write: 3000, cache_read: 40000}"
    turns = f"{{tool: Bash, input: {{command: 'true'}}, {used}}}, {{text: done, {used}}}"
    storage = Storage(tmp_path / "root")

    with scripted(turns) as api:
        brief = replace(brief_in(tmp_path), max_cost_usd=50.0)
        result, events = await drive(api.base_url, brief, storage, login=KEY, binary=binary)

    assert (result.outcome, api.problems()) == (Completed("done"), ())
    # 2, 10, 2.50 and 0.10 dollars per million, twice.
    assert (result.cost_usd, result.usage) == (0.427, Usage(2_000, 40_000, 6_000, 80_000))
    differed = [event for event in events if isinstance(event, BillDiffered)]
    assert differed == [BillDiffered(brief.session, 0.427, usd) for usd in differing_usd]
    assert rows(storage, "session, estimated, subscription") == [(brief.session, 0, 0)] * 2
    # Nothing that the binary sends is left out.
    assert [event for event in events if isinstance(event, RunWarned)] == []


async def test_what_sub_agents_ask_is_in_the_bill_under_their_name(tmp_path: Path) -> None:
    asked = "{description: look, prompt: Look, subagent_type: general-purpose}"
    turns = f"{{tool: Agent, input: {asked}}}, {{text: done}}"
    storage = Storage(tmp_path / "root")

    with scripted(turns, ", subagent: [{text: nothing to see}]") as api:
        brief = replace(brief_in(tmp_path), builtin_tools=("Agent", "Bash"))
        result, events = await drive(api.base_url, brief, storage, login=KEY, binary=BUNDLED)

    assert (result.outcome, result.usage) == (Completed("done"), Usage(300, 60))
    assert sorted(bool(agent) for (agent,) in rows(storage, "agent")) == [False, False, True]
    assert [event for event in events if isinstance(event, BillDiffered)] == []


@BINARIES
async def test_a_budget_that_is_spent_ends_the_session_at_its_next_request(
    binary: Path, tmp_path: Path
) -> None:
    # One dollar each, and the binary itself is told of no limit that it could reach first.
    used = "usage: {input: 0, output: 100000}"
    dear = f"{{tool: Bash, input: {{command: 'true'}}, {used}, repeat: forever}}"
    storage = Storage(tmp_path / "root")

    with scripted(dear) as api:
        agent = ClaudeAgent(binary, {**WORLD, **KEY, **NOWHERE}, "", HEADERS)
        terms = MeterRules(RUN, 1.5, VENDOR_PRICES, rehearsal=True)  # of the whole day
        metering = Metering(ModelService(api.base_url), ledger_in(storage.root), terms)
        driver = SessionDriver(
            MeteredAgent(agent, metering, at_loopback),
            FakeClock(),
            lambda event: None,
            asyncio.Event(),
            FAULTS,
            VENDOR_PRICES,
            bill=metering.bill,
        )
        result = await driver.run(brief_in(tmp_path), SESSION_LIMITS)
        await agent.gone()

        assert api.request_count == 2
    assert (result.outcome, result.cost_usd) == (BudgetExceeded(1.5), 2.0)


async def test_a_subscription_is_known_and_its_windows_are_kept(tmp_path: Path) -> None:
    turn = "{text: fine, quota_warning: {used: 0.92, window: seven_day}}"
    storage = Storage(tmp_path / "root")

    with scripted(turn) as api:
        brief = brief_in(tmp_path)
        result, _ = await drive(api.base_url, brief, storage, login=SUBSCRIPTION, binary=BUNDLED)

    assert result.outcome == Completed("fine")
    ((subscription, windows),) = rows(storage, "subscription, windows")
    assert (subscription, '["7d",0.92,' in str(windows)) == (1, True)


async def test_a_subscription_is_known_without_its_windows(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "root")

    with scripted("{text: fine}") as api:
        await drive(api.base_url, brief_in(tmp_path), storage, login=SUBSCRIPTION, binary=BUNDLED)

    assert rows(storage, "subscription, windows") == [(1, "[]")]


@pytest.mark.parametrize("fault", ["{drop: before}", "{drop: middle, text: never finished}"])
async def test_an_agent_gets_over_what_the_service_breaks_off(fault: str, tmp_path: Path) -> None:
    storage = Storage(tmp_path / "root")

    with scripted(f"{fault}, {{text: recovered}}") as api:
        brief = brief_in(tmp_path)
        result, _ = await drive(api.base_url, brief, storage, login=KEY, binary=BUNDLED)

    assert (result.outcome, api.problems()) == (Completed("recovered"), ())
    assert rows(storage, "estimated") == [(1,), (0,)]


@BINARIES
async def test_an_agent_finds_its_model_at_a_socket(binary: Path, tmp_path: Path) -> None:
    turns = "{tool: Bash, input: {command: 'true'}}, {text: done}"
    storage = Storage(tmp_path / "root")

    with scripted(turns) as api:
        brief, url = brief_in(tmp_path), api.base_url
        result, _ = await drive(
            url, brief, storage, login=KEY, binary=binary, reach=through_the_socket
        )

    assert (result.outcome, result.usage) == (Completed("done"), Usage(200, 40))
    assert api.problems() == ()


@BINARIES
@DOORS
@pytest.mark.parametrize(
    ("login", "received"),
    [
        ({"ANTHROPIC_API_KEY": "s3cret-1"}, {"x-api-key": "s3cret-1"}),
        ({"ANTHROPIC_AUTH_TOKEN": "s3cret-2"}, {"authorization": "Bearer s3cret-2"}),
        ({"CLAUDE_CODE_OAUTH_TOKEN": "s3cret-3"}, {"authorization": "Bearer s3cret-3"}),
    ],
    ids=["key", "token", "subscription"],
)
async def test_the_service_gets_a_login_that_the_agent_does_not_have(
    binary: Path, reach: Reach, login: dict[str, str], received: dict[str, str], tmp_path: Path
) -> None:
    storage = Storage(tmp_path / "root")

    async with record_heads() as service:
        result, _ = await drive(
            service.url, brief_in(tmp_path), storage, login=login, binary=binary, reach=reach
        )

    assert result.outcome == Completed("done")
    assert service.of_each("x-api-key", "authorization", "x-treadle-role") == [
        {**received, "x-treadle-role": "implementer"}
    ]


@DOORS
async def test_nothing_that_opens_the_service_is_in_reach_of_an_agent(
    reach: Reach, tmp_path: Path
) -> None:
    login = {
        "ANTHROPIC_API_KEY": "s3cret-1",
        "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE": "s3cret-2",
        "ANTHROPIC_CUSTOM_HEADERS": "x-team: s3cret-3",
    }
    look = "cat /proc/$PPID/environ > seen; env >> seen; grep -rs s3cret-[1-9] ~ >> seen; true"
    storage = Storage(tmp_path / "root")

    with scripted(f"{{tool: Bash, input: {{command: '{look}'}}}}, {{text: done}}") as api:
        brief = brief_in(tmp_path)
        result, _ = await drive(
            api.base_url, brief, storage, login=login, binary=BUNDLED, reach=reach
        )

    seen = (brief.workspace / "seen").read_text()
    assert result.outcome == Completed("done")
    assert "ANTHROPIC_API_KEY=held-by-treadle" in seen
    assert [secret for secret in ("s3cret-1", "s3cret-2", "s3cret-3") if secret in seen] == []


@dataclass(frozen=True)
class NoToken:
    """The source of a login that cannot be had."""

    missing: SecretMissing

    async def current(self) -> bytes | SecretMissing:
        return self.missing

    async def replace_refused(self, secret: bytes) -> bool:
        raise AssertionError(secret)


@BINARIES
@DOORS
async def test_a_token_from_a_source_is_sent_and_the_agent_has_a_word_for_it(
    binary: Path, reach: Reach, tmp_path: Path
) -> None:
    login = {"CLAUDE_CODE_OAUTH_TOKEN": StaticSecret(b"of-the-file")}
    storage = Storage(tmp_path / "root")

    async with record_heads() as service:
        result, _ = await drive(
            service.url, brief_in(tmp_path), storage, login=login, binary=binary, reach=reach
        )

    assert result.outcome == Completed("done")
    assert service.of_each("x-api-key", "authorization") == [
        {"authorization": "Bearer of-the-file"}
    ]
    assert rows(storage, "subscription") == [(1,)]


@BINARIES
@pytest.mark.parametrize(
    ("missing", "error_class", "of_service"),
    [
        (SecretMissing("service", "nobody renews it"), "retryable", True),
        (SecretMissing("login", "run `claude /login`"), "authentication", False),
    ],
    ids=["an outage", "a login that ended"],
)
async def test_a_login_that_cannot_be_renewed_is_an_outage_and_one_that_ended_is_not(
    missing: SecretMissing, error_class: str, *, of_service: bool, binary: Path, tmp_path: Path
) -> None:
    login: dict[str, str | SecretSource] = {
        "CLAUDE_CODE_OAUTH_TOKEN": NoToken(missing),
        "CLAUDE_CODE_MAX_RETRIES": "1",
    }

    async with record_heads() as service:
        result, _ = await drive(
            service.url, brief_in(tmp_path), Storage(tmp_path / "root"), login=login, binary=binary
        )

    outcome = result.outcome
    assert isinstance(outcome, ExecutionError)
    assert (outcome.error_class, outcome.of_service) == (error_class, of_service)
    assert missing.message in outcome.message
    assert service.lines == []
