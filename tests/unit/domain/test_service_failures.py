"""What a failed call means: words for a person, and whether to try again."""

from datetime import timedelta

import pytest

from tests.builders import NOON
from treadle.domain.service_failures import (
    NoPermission,
    NotFound,
    RateLimited,
    Refused,
    ServiceFailure,
    Unreachable,
    failure_text,
    retry_at,
)

LATER = NOON + timedelta(minutes=5)


@pytest.mark.parametrize(
    ("failure", "text", "again"),
    [
        (NotFound("issue #3"), "issue #3 was not found, or the token may not see it", None),
        (NoPermission("the token is wrong"), "the token is wrong", None),
        (Refused("no"), "no", None),
        (RateLimited(LATER), "the rate limit is reached until 2026-05-04 12:05:00 UTC", LATER),
        (Unreachable("no answer"), "no answer", NOON),
        (Unreachable("left alone", LATER), "left alone", LATER),
    ],
)
def test_a_failure_has_words_and_says_when_to_try_again(
    failure: ServiceFailure, text: str, again: object
) -> None:
    assert (failure_text(failure), retry_at(failure, NOON)) == (text, again)
