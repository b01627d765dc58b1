"""The gateway stands where the agent would have asked, and takes the same way there."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from tests.builders import RUN, VENDOR_PRICES
from tests.unit.session.driver_harness import WatchedAgent, brief_for
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.adapters.agents.claude.model_access import (
    MODEL,
    model_service,
)
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.agent import AgentEnded, ResponseUsed
from treadle.domain.ids import RunId, SessionId
from treadle.domain.model_access import CloudModel, Endpoint, ModelService
from treadle.domain.price import Price
from treadle.domain.session import Completed
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage
from treadle.gateway.metered_agent import MeteredAgent, others_today_usd
from treadle.session.driver import no_bill
from treadle.session.price_list import PriceList
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment, agent_environment, parse_environment
from treadle.wiring.gateway import metered, price_list, service_behind

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
    variables = agent_environment(raw, CLAUDE.variables.passed)

    assert service_behind(MODEL, variables, None) == service


@pytest.mark.parametrize(
    ("variable", "cloud"),
    [
        ("CLAUDE_CODE_USE_BEDROCK", "Amazon Bedrock"),
        ("CLAUDE_CODE_USE_VERTEX", "Google Vertex AI"),
        ("CLAUDE_CODE_USE_FOUNDRY", "Microsoft Foundry"),
    ],
)
def test_no_gateway_stands_before_a_model_in_a_cloud(variable: str, cloud: str) -> None:
    assert service_behind(MODEL, {variable: "1"}, None) == CloudModel(cloud)


def test_a_rehearsal_asks_its_script_and_nobody_else() -> None:
    raw = {"ANTHROPIC_BASE_URL": "https://x.example", "CLAUDE_CODE_USE_BEDROCK": "1"}

    assert service_behind(MODEL, raw, "http://127.0.0.1:5") == ModelService("http://127.0.0.1:5")


def test_neither_a_proxys_password_nor_a_keys_is_shown() -> None:
    service = model_service(
        {
            "HTTPS_PROXY": "http://ada:s3cret@p:1",
            "CLAUDE_CODE_CLIENT_CERT": "/c.pem",
            "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE": "s3cret",
        }
    )

    assert "s3cret" not in repr(service)


def test_prices_of_the_users_own_are_completed_from_the_price_of_input() -> None:
    own: dict[str, dict[str, float]] = {
        "GPT-9 ": {"input": 4, "output": 8},
        "x": {"input": 1, "output": 2, "cache_read": 0},
    }

    assert price_list(CLAUDE.prices, own) == PriceList(
        CLAUDE.prices, {"gpt-9": Price(4, 8, 5, 0.4, 8), "x": Price(1, 2, 1.25, 0, 2)}
    )


def given(tmp_path: Path, **raw: str) -> Environment:
    return parse_environment({"TREADLE_ROOT": str(tmp_path), "HOME": str(tmp_path), **raw})


async def test_an_agent_is_metered_for_as_long_as_its_run_is_executed(tmp_path: Path) -> None:
    agent, script = ClaudeAgent(Path("/claude"), {}), "http://127.0.0.1:9"

    with metered(
        agent, CLAUDE, given(tmp_path), Settings(), run=RUN, rehearsal_url=script
    ) as behind:
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

    with metered(
        agent, cast(Any, CLAUDE), environment, Settings(), run=RUN, rehearsal_url=None
    ) as behind:
        assert (behind.bill, len(behind.warnings)) == (no_bill, 1)
        session = await behind.agent.open(brief_for("implementer"))
        events = [event async for event in session.events()]

    assert len(events) == 2
    with closing(open_database(Storage(tmp_path))) as database:
        ledger, now, other = DatabaseLedger(database), datetime.now(UTC), RunId("other")
        assert others_today_usd(ledger, other, now, rehearsal=False) == 1.5
        assert others_today_usd(ledger, RUN, now, rehearsal=False) == 0.0
