"""The gateway stands where the agent would have asked, and takes the same way there."""

import ssl
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from tests.builders import NOON, RUN
from tests.unit.session.driver_harness import WatchedAgent, brief_for
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.agent import AgentEnded, ResponseUsed
from treadle.domain.errors import SettingsError
from treadle.domain.ids import RunId, SessionId
from treadle.domain.ledger import Bill, LedgerEntry
from treadle.domain.session import Completed
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.gateway.endpoint import Endpoint
from treadle.gateway.login import PASS_THROUGH_LOGIN, Login
from treadle.gateway.model_service import ModelService
from treadle.rehearsal.fixtures import Rehearse
from treadle.session.driver import no_bill
from treadle.session.price import Price
from treadle.session.price_list import VENDOR_PRICES, PriceList
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment, parse_environment
from treadle.wiring.agents.claude_model import (
    at_bridge,
    at_loopback,
    at_socket,
    keeps_its_login,
    login_held,
    model_service,
)
from treadle.wiring.gateway import (
    MeteredAgent,
    Metering,
    MeterRules,
    metered,
    others_today_usd,
    price_list,
    service_behind,
)

VENDOR = ModelService("https://api.anthropic.com")
SESSION = SessionId("session-1")
HEADER_ALONE = {"ANTHROPIC_CUSTOM_HEADERS": "x-team: 7"}
ENDPOINT = Endpoint(Path("/tmp/t/1.sock"), "http://127.0.0.1:5/t")


@pytest.mark.parametrize(
    ("raw", "service"),
    [
        ({}, VENDOR),
        (
            {"ANTHROPIC_BASE_URL": "https://proxy.example/v"},
            ModelService("https://proxy.example/v"),
        ),
        ({"ANTHROPIC_BASE_URL": " "}, VENDOR),
        (
            {"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://q:2"},
            ModelService(VENDOR.base_url, proxy="http://p:1"),
        ),
        ({"https_proxy": "http://p:1"}, ModelService(VENDOR.base_url, proxy="http://p:1")),
        ({"ALL_PROXY": "http://p:1"}, ModelService(VENDOR.base_url, proxy="http://p:1")),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "localhost,.anthropic.com"}, VENDOR),
        ({"HTTPS_PROXY": "http://p:1", "no_proxy": "*"}, VENDOR),
        (
            {"ANTHROPIC_BASE_URL": "http://x.example", "HTTPS_PROXY": "http://p:1"},
            ModelService("http://x.example"),
        ),
        (
            {"SSL_CERT_FILE": "/a.pem", "NODE_EXTRA_CA_CERTS": "/b.pem"},
            ModelService(VENDOR.base_url, authorities=("/a.pem", "/b.pem")),
        ),
        (
            {"CLAUDE_CODE_CLIENT_CERT": "/c.pem", "CLAUDE_CODE_CLIENT_KEY": "/k.pem"},
            ModelService(VENDOR.base_url, certificate=("/c.pem", "/k.pem", "")),
        ),
        ({"CLAUDE_CODE_USE_BEDROCK": "0"}, VENDOR),
    ],
)
def test_the_service_is_the_one_that_the_agent_would_ask(
    raw: dict[str, str], service: ModelService
) -> None:
    assert service_behind(raw, None) == (service, [])


@pytest.mark.parametrize(
    ("variable", "cloud"),
    [
        ("CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock"),
        ("CLAUDE_CODE_USE_VERTEX", "Google Vertex AI"),
        ("CLAUDE_CODE_USE_FOUNDRY", "Microsoft Foundry"),
    ],
)
def test_a_model_in_a_cloud_is_metered_by_what_the_agent_reports(variable: str, cloud: str) -> None:
    told = f"the model is on {cloud}: cost is metered by what the agent tells of it"

    assert service_behind({variable: "1"}, None) == (None, [told])


def test_a_rehearsal_asks_its_script_and_nobody_else() -> None:
    raw = {"ANTHROPIC_BASE_URL": "https://x.example", "CLAUDE_CODE_USE_BEDROCK": "1"}

    assert service_behind(raw, "http://127.0.0.1:5") == (ModelService("http://127.0.0.1:5"), [])


def test_neither_a_proxys_password_nor_a_keys_is_shown() -> None:
    service = model_service(
        {
            "HTTPS_PROXY": "http://ada:s3cret@p:1",
            "CLAUDE_CODE_CLIENT_CERT": "/c.pem",
            "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE": "s3cret",
        }
    )

    assert "s3cret" not in repr(service)


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
    assert login_held(SECRET) == Login(
        tuple(
            (moved.environment[name].encode(), SECRET[name].strip().encode())
            for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
        ),
        ((b"x-team", b"s3cret-4"), (b"authorization", b"Bearer s3cret-5")),
    )


def test_an_agent_without_a_login_in_its_environment_keeps_its_own() -> None:
    assert login_held({"ANTHROPIC_API_KEY": "", "TERM": "vt100"}) == PASS_THROUGH_LOGIN


@pytest.mark.parametrize("line", ["two words: s3cret", ": s3cret", "x-a: s3cret\x07"])
def test_headers_that_cannot_be_sent_are_for_a_person_to_put_right(line: str) -> None:
    with pytest.raises(SettingsError) as caught:
        login_held({"ANTHROPIC_CUSTOM_HEADERS": line})

    assert (caught.value.message, caught.value.hint) == (
        "ANTHROPIC_CUSTOM_HEADERS has a line that cannot be a header",
        "write `Name: value`, one on each line",
    )


def test_prices_of_the_users_own_are_completed_from_the_price_of_input() -> None:
    own: dict[str, dict[str, float]] = {
        "GPT-9 ": {"input": 4, "output": 8},
        "x": {"input": 1, "output": 2, "cache_read": 0},
    }

    assert price_list(own) == PriceList(
        {"gpt-9": Price(4, 8, 5, 0.4, 8), "x": Price(1, 2, 1.25, 0, 2)}
    )


def metering(url: str, storage: Storage, day_cost_usd: float = 100.0) -> Metering:
    return Metering(
        ModelService(url), storage, MeterRules(RUN, day_cost_usd, VENDOR_PRICES, rehearsal=True)
    )


async def ask(address: str) -> int:
    trusting_nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    async with httpx2.AsyncClient(trust_env=False, verify=trusting_nobody) as client:
        body = {"model": "opus", "max_tokens": 5, "messages": []}
        return (await client.post(f"{address}/v1/messages", json=body)).status_code


async def test_a_session_is_billed_from_the_database(tmp_path: Path, rehearse: Rehearse) -> None:
    api = rehearse("{version: 1, sessions: [{turns: [{text: hello}]}]}")
    meter = metering(api.base_url, Storage(tmp_path))

    status = await ask(meter.endpoint(SESSION, 1.0).url)
    bill = await meter.bill(SESSION)
    meter.close()

    assert (status, bill) == (200, Bill(1, 0.0008, Usage(100, 20)))
    with closing(open_database(Storage(tmp_path))) as database:
        assert DatabaseLedger(database).bill(SESSION) == bill


async def test_a_session_that_never_began_has_no_bill(tmp_path: Path) -> None:
    assert await metering("http://127.0.0.1:9", Storage(tmp_path)).bill(SESSION) is None


async def test_what_is_spent_of_the_day_is_not_left_for_a_session(tmp_path: Path) -> None:
    entry = LedgerEntry(
        "1", RunId("other"), SESSION, datetime.now(UTC), "opus", Usage(1), 5.0, rehearsal=True
    )
    with closing(open_database(Storage(tmp_path))) as database:
        DatabaseLedger(database).put(entry)
    meter = metering("http://127.0.0.1:9", Storage(tmp_path), day_cost_usd=5.0)

    assert await ask(meter.endpoint(SessionId("another"), 1.0).url) == 402
    meter.close()


@pytest.mark.parametrize(
    ("session", "budget_usd", "counted_usd", "status"),
    [
        ("another", 9.0, None, 402),  # the run has spent its five dollars
        ("session-1", 2.0, 3.0, 402),  # the stream had seen three dollars of five
        ("session-1", 2.1, 3.0, 502),
    ],
)
async def test_what_the_ledger_has_is_not_left_for_a_session_or_its_run(
    tmp_path: Path, session: str, budget_usd: float, counted_usd: float | None, status: int
) -> None:
    entry = LedgerEntry("1", RUN, SESSION, datetime.now(UTC), "opus", Usage(1), 5.0, rehearsal=True)
    with closing(open_database(Storage(tmp_path))) as database:
        DatabaseLedger(database).put(entry)
    most = 5.0 if counted_usd is None else 50.0
    terms = MeterRules(RUN, 100.0, VENDOR_PRICES, rehearsal=True, max_cost_usd=most)
    meter = Metering(ModelService("http://127.0.0.1:9"), Storage(tmp_path), terms)

    endpoint = meter.endpoint(SessionId(session), budget_usd, counted_usd=counted_usd)

    assert await ask(endpoint.url) == status
    meter.close()


def test_what_others_spent_today_excludes_what_the_run_spent(tmp_path: Path) -> None:
    midnight = NOON.astimezone().replace(hour=0)
    rows = [
        ("own", RUN, NOON, 1.0),
        ("other", RunId("other"), NOON, 2.0),
        ("at midnight", RunId("other"), midnight, 4.0),
        ("yesterday", RunId("other"), midnight - timedelta(seconds=1), 8.0),
    ]
    with closing(open_database(Storage(tmp_path))) as database:
        ledger = DatabaseLedger(database)
        for name, run, at, cost in rows:
            ledger.put(LedgerEntry(name, run, SESSION, at, "opus", Usage(1), cost))

        assert others_today_usd(database, RUN, NOON, rehearsal=False) == 6.0
        assert others_today_usd(database, RUN, NOON, rehearsal=True) == 0.0


def given(tmp_path: Path, **raw: str) -> Environment:
    return parse_environment({"TREADLE_ROOT": str(tmp_path), "HOME": str(tmp_path), **raw})


async def test_an_agent_is_metered_for_as_long_as_its_run_is_executed(tmp_path: Path) -> None:
    agent, script = ClaudeAgent(Path("/claude"), {}), "http://127.0.0.1:9"

    with metered(agent, given(tmp_path), Settings(), run=RUN, rehearsal_url=script) as behind:
        assert isinstance(behind.agent, MeteredAgent)
        assert (await behind.bill(SESSION), behind.prices, behind.warnings) == (
            None,
            VENDOR_PRICES,
            [],
        )


class CloudAgent(WatchedAgent):
    def kill(self) -> None:
        raise AssertionError("nobody was in a hurry")

    async def gone(self) -> None:
        raise AssertionError("nobody waited")


async def test_what_an_agent_in_a_cloud_reports_as_its_cost_counts_against_the_day(
    tmp_path: Path,
) -> None:
    # One dollar by our count, and half a dollar more by the agent's own.
    used = ResponseUsed("claude-opus-5-5", Usage(250_000))
    agent = CloudAgent([used, AgentEnded(Completed("done"), cost_usd=1.5)])
    environment = given(tmp_path, CLAUDE_CODE_USE_VERTEX="1")

    with metered(agent, environment, Settings(), run=RUN, rehearsal_url=None) as behind:
        assert (behind.bill, len(behind.warnings)) == (no_bill, 1)
        session = await behind.agent.open(brief_for("implementer"))
        events = [event async for event in session.events()]

    assert len(events) == 2
    with closing(open_database(Storage(tmp_path))) as database:
        now, other = datetime.now(UTC), RunId("other")
        assert others_today_usd(database, other, now, rehearsal=False) == 1.5
        assert others_today_usd(database, RUN, now, rehearsal=False) == 0.0
