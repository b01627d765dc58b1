"""Secrets that a run learns while it works are hidden like those that it began with."""

import base64

import pytest

from treadle.policy.known_secrets import MOST_LEARNED, KnownSecrets
from treadle.policy.redaction import make_redactor
from treadle.policy.secret_search import SecretSearch

EARLY, LATE = "an-early-token-of-theirs", "a-late-token-of-theirs"


@pytest.mark.parametrize("encode", [str, lambda text: base64.b64encode(text.encode()).decode()])
def test_what_is_learned_later_is_hidden_by_a_redactor_that_was_there_before(
    encode: object,
) -> None:
    assert callable(encode)
    known = KnownSecrets([EARLY])
    redact, search = make_redactor(known), SecretSearch(known)
    shown = f"{encode(EARLY)} {encode(LATE)}"
    before = redact(shown)

    known.learn(LATE)

    assert (EARLY in before, before.count("***"), redact((shown,))[0].count("***")) == (False, 1, 2)
    assert len(list(search.find_secrets(shown))) == 2


def test_the_oldest_of_very_many_are_no_longer_looked_for() -> None:
    known = KnownSecrets([EARLY])
    for number in range(MOST_LEARNED + 1):
        known.learn(f"token-number-{number:04d}")

    redact = make_redactor(known)
    assert redact(EARLY) == "***"
    assert redact("token-number-0001") == "***"
    assert redact("token-number-0000") == "token-number-0000"
