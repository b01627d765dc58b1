"""The access token of a subscription as the gateway gets it: always from the user's own file, and
renewed by the user's own Claude Code before it expires."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from threading import Lock, Thread
from typing import assert_never

from treadle.adapters.agents.claude.login_renewal import RenewalKind
from treadle.adapters.agents.claude.renewal_rules import (
    NOT_RENEWED,
    AwaitRenewal,
    AwaitRetry,
    RenewalHistory,
    RenewalOutcome,
    SendAndRenew,
    SendToken,
    TokenDecision,
    after_renewal,
    decide_refusal,
    decide_token,
)
from treadle.adapters.agents.claude.subscription_file import (
    LoginEnded,
    StoredLogin,
    SubscriptionFile,
)
from treadle.domain.model_access import SecretMissing

# How long a request waits for a renewal: one that takes all its time, and some more. Agents give
# a request up later.
WAIT_S = 150.0


@dataclass(frozen=True, slots=True)
class TokenClocks:
    """Unix time, to which a token expires, and a monotonic clock, by which we wait."""

    unix_time: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic


class SubscriptionToken:
    """The `SecretSource` of a subscription's login. One renewal at a time; it runs in a thread of
    its own, because gateways come and go with their event loops."""

    def __init__(
        self,
        file: SubscriptionFile,
        renew: Callable[[SubscriptionFile, RenewalKind], RenewalOutcome],
        *,
        learn_secret: Callable[[str], None] = lambda secret: None,
        clocks: TokenClocks | None = None,
        wait_s: float = WAIT_S,
    ) -> None:
        self._file = file
        self._renew = renew
        self._learn_secret = learn_secret
        self._clocks = clocks or TokenClocks()
        self._wait_s = wait_s
        self._lock = Lock()
        self._history = RenewalHistory()
        self._renewal: Future[RenewalOutcome] | None = None
        self._read()

    async def current(self) -> bytes | SecretMissing:
        """The token; a request with an expired one waits for the next."""
        deadline = self._clocks.monotonic() + self._wait_s
        while True:
            decision = decide_token(
                self._read(),
                self._history,
                unix_time=self._clocks.unix_time(),
                now=self._clocks.monotonic(),
            )
            answer = await self._follow(decision, deadline - self._clocks.monotonic())
            if answer is not None:
                return answer

    async def _follow(self, decision: TokenDecision, left_s: float) -> bytes | SecretMissing | None:
        """The answer to a request that can wait as long; None to decide once more."""
        match decision:
            case SendToken(token):
                return token.encode()
            case SendAndRenew(token):
                self._begin("expiring")
                return token.encode()
            case AwaitRenewal():
                return await self._await_renewal(left_s)
            case AwaitRetry(delay_s, missing):
                if delay_s >= left_s:
                    return missing
                await asyncio.sleep(delay_s)
                return None
            case SecretMissing():
                return decision
            case never:
                assert_never(never)

    async def _await_renewal(self, left_s: float) -> bytes | SecretMissing | None:
        outcome = await _wait(self._begin("expiring"), left_s)
        if outcome is None:
            return NOT_RENEWED
        login = self._read()
        if outcome == "renewed" and isinstance(login, StoredLogin):
            # However short its time is: another renewal would bring no more.
            return login.access_token.encode()
        return None

    async def replace_refused(self, secret: bytes) -> bool:
        """Whether the file has another token than the refused one, or gets one by force."""
        refused = secret.decode()
        running = self._renewal
        if running is not None:
            # It may have spent the refused token's successor already.
            await _wait(running, self._wait_s)
        match decide_refusal(refused, self._read(), self._history):
            case "send again":
                return True
            case "give up":
                return False
            case "force renewal":
                await _wait(self._begin("refused"), self._wait_s)
            case never:
                assert_never(never)
        match decide_refusal(refused, self._read(), self._history):
            case "send again":
                return True
            case "give up" | "force renewal":
                with self._lock:
                    given_up = self._history.given_up | {refused}
                    self._history = replace(self._history, given_up=given_up)
                return False
            case never:
                assert_never(never)

    def _begin(self, kind: RenewalKind) -> Future[RenewalOutcome]:
        """The renewal that is under way, or a new one."""
        with self._lock:
            if self._renewal is None:
                self._renewal = Future()
                self._renewal.set_running_or_notify_cancel()
                thread = Thread(
                    target=self._run, args=(kind, self._renewal), name="treadle-login", daemon=True
                )
                thread.start()
            return self._renewal

    def _run(self, kind: RenewalKind, renewal: Future[RenewalOutcome]) -> None:
        outcome: RenewalOutcome = "failed"
        try:
            outcome = self._renew(self._file, kind)
        finally:
            self._read()
            with self._lock:
                self._history = after_renewal(self._history, outcome, self._clocks.monotonic())
                self._renewal = None
            renewal.set_result(outcome)

    def _read(self) -> StoredLogin | LoginEnded:
        login = self._file.read()
        if isinstance(login, StoredLogin):
            for secret in (login.access_token, login.refresh_token):
                self._learn_secret(secret)
        return login


async def _wait(renewal: Future[RenewalOutcome], wait_s: float) -> RenewalOutcome | None:
    """The outcome; None if it takes longer."""
    try:
        async with asyncio.timeout(max(0.0, wait_s)):
            # It is under way, so whoever leaves does not cancel it.
            return await asyncio.wrap_future(renewal)
    except TimeoutError:
        return None
