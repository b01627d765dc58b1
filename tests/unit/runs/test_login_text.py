"""What people are told of a login: kind, source, expiry, and whether it lasts."""

from datetime import UTC, datetime, timedelta

import pytest

from treadle.domain.detected_login import DetectedLogin
from treadle.runs.login_text import LASTING, describe_login, lasting_warning, login_title

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
SOON = NOW + timedelta(hours=2)
LOCAL = f"{SOON.astimezone():%Y-%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("login", "title", "text"),
    [
        (
            DetectedLogin("api key", "ANTHROPIC_API_KEY", "by use"),
            "API key",
            "API key from ANTHROPIC_API_KEY; billed by use",
        ),
        (
            DetectedLogin("subscription", "/f", "subscription", SOON, renewed=True),
            "subscription",
            f"subscription from /f; covered by a subscription; expires {LOCAL}, renewed by your"
            " Claude Code",
        ),
        (
            DetectedLogin("cloud provider", "Amazon Bedrock by X", "cloud", SOON),
            "Amazon Bedrock by X",
            f"cloud from Amazon Bedrock by X; billed by the cloud; expires {LOCAL}",
        ),
        (
            DetectedLogin("auth token", "ANTHROPIC_AUTH_TOKEN"),
            "auth token",
            "auth token from ANTHROPIC_AUTH_TOKEN",
        ),
    ],
)
def test_a_login_is_described_without_itself(login: DetectedLogin, title: str, text: str) -> None:
    assert (login_title(login), describe_login(login, NOW)) == (title, text)


def test_without_a_login_there_is_nothing_to_name() -> None:
    assert (login_title(None), login_title(DetectedLogin("none"))) == ("", "")


@pytest.mark.parametrize(
    ("login", "minutes", "warning"),
    [
        (DetectedLogin("subscription", "/f", "subscription", SOON, renewed=True), 480, ""),
        (DetectedLogin("subscription", "/f", "subscription", SOON), 60, ""),
        (
            DetectedLogin("subscription", "/f", "subscription", SOON),
            480,
            f"the login from /f ends at {LOCAL}, before the run's time limit: {LASTING}",
        ),
        (DetectedLogin("api key", "K"), 480, ""),
        (
            DetectedLogin("token", "T", note="who knows"),
            480,
            "the login may end during the run: who knows",
        ),
    ],
)
def test_a_login_that_may_end_before_the_run_is_warned_of(
    login: DetectedLogin, minutes: int, warning: str
) -> None:
    assert lasting_warning(login, NOW, minutes) == warning
