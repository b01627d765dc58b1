"""A subscription's token at the gateway: requests that wait, and one renewal at a time."""

import asyncio
import json
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from treadle.adapters.agents.claude.login_renewal import RenewalKind
from treadle.adapters.agents.claude.renewal_rules import ENDED, NOT_RENEWED, RenewalOutcome
from treadle.adapters.agents.claude.subscription_file import SubscriptionFile
from treadle.adapters.agents.claude.subscription_token import SubscriptionToken, TokenClocks

UNIX_TIME = 1_000_000.0


@dataclass
class RenewalByTest:
    """Takes the place of the user's Claude Code: writes what it is told when it is told."""

    path: Path
    # The access tokens of the next renewals; None: the service fails.
    tokens: list[str | None]
    kinds: list[RenewalKind] = field(default_factory=list)
    begun: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    written: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    allowed: threading.Event = field(default_factory=threading.Event)

    def __call__(self, file: SubscriptionFile, kind: RenewalKind) -> RenewalOutcome:
        self.kinds.append(kind)
        self.begun.release()
        assert self.allowed.wait(30)
        token = self.tokens.pop(0)
        if token is None:
            return "failed"
        store(self.path, token)
        self.written.release()
        return "renewed" if token else "ended"


def store(path: Path, token: str, left_s: float = 3600) -> None:
    login = {
        "accessToken": token,
        "refreshToken": f"refresh-{token}",
        "expiresAt": (UNIX_TIME + left_s) * 1000,
    }
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps({"claudeAiOauth": login}))
    beside.rename(path)


@dataclass
class TokenHarness:
    path: Path
    renewal: RenewalByTest
    learned: list[str]
    token: SubscriptionToken

    async def begun(self) -> None:
        await asyncio.to_thread(self.renewal.begun.acquire)


def harness_of(
    tmp_path: Path, *tokens: str | None, left_s: float, wait_s: float = 30
) -> TokenHarness:
    path = tmp_path / "file.json"
    store(path, "first", left_s)
    renewal, learned = RenewalByTest(path, list(tokens)), list[str]()
    token = SubscriptionToken(
        SubscriptionFile(path),
        renewal,
        learn_secret=learned.append,
        clocks=TokenClocks(unix_time=lambda: UNIX_TIME),
        wait_s=wait_s,
    )
    return TokenHarness(path, renewal, learned, token)


async def test_requests_with_an_expired_token_wait_for_one_renewal(tmp_path: Path) -> None:
    harness = harness_of(tmp_path, "second", left_s=-1)

    asking = [asyncio.create_task(harness.token.current()) for _ in range(3)]
    await harness.begun()
    assert [task.done() for task in asking] == [False] * 3
    harness.renewal.allowed.set()

    assert await asyncio.gather(*asking) == [b"second"] * 3
    assert harness.renewal.kinds == ["expiring"]
    assert set(harness.learned) == {"first", "refresh-first", "second", "refresh-second"}


async def test_a_request_with_an_expiring_token_does_not_wait(tmp_path: Path) -> None:
    harness = harness_of(tmp_path, "second", left_s=200)

    first = await harness.token.current()
    await harness.begun()
    during = await harness.token.current()
    harness.renewal.allowed.set()

    # A request that the renewal overtakes is refused, waits for its end and is sent again.
    assert await harness.token.replace_refused(b"first")
    assert (first, during, await harness.token.current()) == (b"first", b"first", b"second")
    assert harness.renewal.kinds == ["expiring"]


async def test_a_renewal_by_the_user_is_taken_up_at_once(tmp_path: Path) -> None:
    harness = harness_of(tmp_path, left_s=3600)
    before = await harness.token.current()

    store(harness.path, "of the user")

    assert await harness.token.replace_refused(b"first")
    assert (before, await harness.token.current()) == (b"first", b"of the user")
    assert harness.renewal.kinds == []


@pytest.mark.parametrize(("issued", "replaced"), [("second", True), (None, False)])
async def test_a_token_that_is_refused_before_its_time_is_renewed_by_force_once(
    tmp_path: Path, issued: str | None, *, replaced: bool
) -> None:
    harness = harness_of(tmp_path, issued, left_s=3600)
    harness.renewal.allowed.set()

    assert await harness.token.replace_refused(b"first") is replaced
    assert await harness.token.replace_refused(b"first") is replaced
    assert harness.renewal.kinds == ["refused"]


async def test_a_login_that_ends_is_said_to_have_ended(tmp_path: Path) -> None:
    harness = harness_of(tmp_path, "", left_s=-1)
    harness.renewal.allowed.set()

    assert await harness.token.current() == ENDED


async def test_a_service_that_does_not_renew_is_an_outage(tmp_path: Path) -> None:
    harness = harness_of(tmp_path, None, left_s=-1, wait_s=3)
    harness.renewal.allowed.set()

    # The next try is due after five seconds.
    assert await harness.token.current() == NOT_RENEWED


async def test_a_renewal_that_takes_longer_than_a_request_can_wait_goes_on(tmp_path: Path) -> None:
    harness = harness_of(tmp_path, "second", left_s=-1, wait_s=0)

    assert await harness.token.current() == NOT_RENEWED
    harness.renewal.allowed.set()
    await asyncio.to_thread(harness.renewal.written.acquire)

    assert await harness.token.current() == b"second"
    assert harness.renewal.kinds == ["expiring"]


def test_gateways_come_and_go_with_their_event_loops(tmp_path: Path) -> None:
    harness = harness_of(tmp_path, "second", "third", left_s=-1)
    harness.renewal.allowed.set()

    async def ask_and_leave() -> None:
        asking = asyncio.create_task(harness.token.current())
        await harness.begun()
        asking.cancel()

    harness.renewal.allowed.clear()
    asyncio.run(ask_and_leave())
    harness.renewal.allowed.set()

    assert asyncio.run(harness.token.current()) == b"second"
    assert harness.renewal.kinds == ["expiring"]
