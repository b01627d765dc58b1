"""When a subscription's login is renewed, and what a request gets meanwhile."""

import pytest

from treadle.adapters.agents.claude.renewal_rules import (
    ENDED,
    NO_PROGRAM,
    NOT_RENEWED,
    UNUSABLE_PROGRAM,
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
    judge_renewal,
)
from treadle.adapters.agents.claude.subscription_file import LoginEnded, LoginState, StoredLogin

UNIX_TIME = 1_000_000.0
NOW = 5_000.0
NEVER_TRIED = RenewalHistory()


def login(left_s: float, refresh: str = "r") -> StoredLogin:
    return StoredLogin("a", refresh, UNIX_TIME + left_s)


def failed(times: int, ago_s: float, outcome: RenewalOutcome = "failed") -> RenewalHistory:
    return RenewalHistory(outcome, NOW - ago_s, times)


def renewed(ago_s: float) -> RenewalHistory:
    return RenewalHistory("renewed", NOW - ago_s)


@pytest.mark.parametrize(
    ("found", "history", "decision"),
    [
        (LoginEnded(), NEVER_TRIED, ENDED),
        (login(3600), NEVER_TRIED, SendToken("a")),
        (login(271), NEVER_TRIED, SendToken("a")),
        (login(270), NEVER_TRIED, SendAndRenew("a")),
        (login(3), NEVER_TRIED, SendAndRenew("a")),
        (login(2), NEVER_TRIED, AwaitRenewal()),
        (login(-86400), NEVER_TRIED, AwaitRenewal()),
        # Nothing to renew it with.
        (login(200, refresh=""), NEVER_TRIED, SendToken("a")),
        (login(-1, refresh=""), NEVER_TRIED, ENDED),
        # The old token lives: the next try is due after 5, 15 and 60 s.
        (login(200), failed(1, ago_s=4), SendToken("a")),
        (login(200), failed(1, ago_s=5), SendAndRenew("a")),
        (login(200), failed(2, ago_s=14), SendToken("a")),
        (login(200), failed(2, ago_s=15), SendAndRenew("a")),
        (login(200), failed(3, ago_s=59), SendToken("a")),
        (login(200), failed(9, ago_s=60), SendAndRenew("a")),
        (login(200), failed(1, 1, "missing"), SendToken("a")),
        # It does not: the request waits for the next try.
        (login(-1), failed(1, ago_s=4), AwaitRetry(1.0, NOT_RENEWED)),
        (login(-1), failed(3, ago_s=10), AwaitRetry(50.0, NOT_RENEWED)),
        (login(-1), failed(3, ago_s=60), AwaitRenewal()),
        (login(-1), failed(1, 1, "missing"), NO_PROGRAM),
        (login(-1), failed(1, 1, "unusable"), UNUSABLE_PROGRAM),
        (login(-1), failed(1, 5, "missing"), AwaitRenewal()),
        # Tokens that are short from the start are not renewed at every request.
        (login(60), renewed(ago_s=29), SendToken("a")),
        (login(60), renewed(ago_s=30), SendAndRenew("a")),
        (login(-1), renewed(ago_s=1), AwaitRenewal()),
    ],
)
def test_what_a_request_gets(
    found: LoginState, history: RenewalHistory, decision: TokenDecision
) -> None:
    assert decide_token(found, history, unix_time=UNIX_TIME, now=NOW) == decision


@pytest.mark.parametrize(
    ("history", "outcome", "after"),
    [
        (NEVER_TRIED, "failed", RenewalHistory("failed", NOW, 1)),
        (failed(1, 9), "unusable", RenewalHistory("unusable", NOW, 2)),
        (failed(4, 9), "renewed", RenewalHistory("renewed", NOW, 0)),
        (failed(4, 9), "ended", RenewalHistory("ended", NOW, 0)),
    ],
)
def test_failures_in_a_row_are_counted(
    history: RenewalHistory, outcome: RenewalOutcome, after: RenewalHistory
) -> None:
    assert after_renewal(history, outcome, NOW) == after


@pytest.mark.parametrize(
    ("before", "after", "outcome"),
    [
        ("a", LoginEnded(), "ended"),
        ("a", login(9), "failed"),
        ("b", login(9), "renewed"),
    ],
)
def test_the_file_alone_says_how_a_renewal_ended(
    before: str, after: LoginState, outcome: RenewalOutcome
) -> None:
    assert judge_renewal(before, after) == outcome


@pytest.mark.parametrize(
    ("refused", "found", "history", "decision"),
    [
        ("b", login(900), NEVER_TRIED, "send again"),
        ("a", LoginEnded(), NEVER_TRIED, "send again"),
        ("a", login(900), NEVER_TRIED, "force renewal"),
        ("a", login(900), RenewalHistory(given_up=frozenset("b")), "force renewal"),
        ("a", login(900), RenewalHistory(given_up=frozenset("a")), "give up"),
        ("a", login(900, refresh=""), NEVER_TRIED, "give up"),
    ],
)
def test_what_follows_a_refusal_before_its_time(
    refused: str, found: LoginState, history: RenewalHistory, decision: str
) -> None:
    assert decide_refusal(refused, found, history) == decision


@pytest.mark.parametrize(
    ("missing", "advice"),
    [
        (ENDED, "`claude /login`"),
        (NO_PROGRAM, "`claude setup-token`"),
        (UNUSABLE_PROGRAM, "`claude setup-token`"),
    ],
)
def test_what_a_person_must_do_is_said(missing: object, advice: str) -> None:
    assert advice in str(missing)
