"""Secrets are hidden in every text of an event, at any depth and in any encoding."""

import base64
import json
import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.policy.secret_samples import (
    ANTHROPIC,
    BY_FORM,
    PASSWORD,
    PEM,
    PEM_TEXT,
    random_letters,
)
from treadle.domain.deliverable import Deliverable
from treadle.domain.events.agent import AgentSpoke, ToolCalled, UsageReported
from treadle.domain.events.all_events import Event
from treadle.domain.events.work import DeliverableCreated
from treadle.domain.usage import Usage
from treadle.policy.redaction import make_redactor
from treadle.policy.secret_search import SecretSearch
from treadle.policy.truncated_secrets import hide_truncated_shapes

KEY = "hidden-secret-value"


@pytest.mark.parametrize(
    ("event", "cleaned"),
    [
        (AgentSpoke(f"it is {KEY}."), AgentSpoke("it is ***.")),
        (
            ToolCalled("1", "Bash", {"command": ["echo", KEY], KEY: 1}),
            ToolCalled("1", "Bash", {"command": ["echo", "***"], "***": 1}),
        ),
        (
            DeliverableCreated(Deliverable("D", KEY, (KEY, "b"))),
            DeliverableCreated(Deliverable("D", "***", ("***", "b"))),
        ),
    ],
)
def test_a_secret_is_hidden_wherever_it_stands(event: Event, cleaned: Event) -> None:
    assert make_redactor([KEY])(event) == cleaned


def test_an_event_without_secrets_is_given_back_as_it_is() -> None:
    event = UsageReported("sonnet", Usage(1, 2), 0.5)

    assert make_redactor([KEY])(event) is event


def test_the_longer_of_two_secrets_is_hidden_first_and_short_ones_not_at_all() -> None:
    hide = make_redactor([KEY, KEY + "-and-more", "abc", ""])

    assert hide(AgentSpoke(f"abc {KEY}-and-more {KEY}")) == AgentSpoke("abc *** ***")


ODD = 'pass"word/with\\odd+signs&änd=more'


@pytest.mark.parametrize(
    "written",
    [
        ODD,
        quote(ODD),
        quote(ODD, safe=""),
        re.sub("%..", lambda found: found[0].lower(), quote(ODD, safe="")),
        json.dumps(ODD),
        json.dumps(ODD, ensure_ascii=False),
        json.dumps(json.dumps(ODD)),
        ODD.encode().hex(),
        ODD.encode().hex().upper(),
    ],
)
def test_an_encoded_secret_is_hidden_as_well(written: str) -> None:
    assert "***" in make_redactor([ODD])(f"<{written}>")
    assert ODD[10:] not in make_redactor([ODD])(written)


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_in_base64_a_secret_is_hidden_wherever_it_begins(
    before: str, encode: Callable[[bytes], bytes]
) -> None:
    written = encode(f"{before}{PASSWORD}:and more".encode()).decode()

    left = make_redactor([PASSWORD])(written).replace("***", "")

    # All but a letter at each side, which holds bits of what is around.
    assert len(written) - len(left) >= len(PASSWORD) * 8 // 6 - 2


@pytest.mark.parametrize(
    ("secrets", "said"),
    [
        (["Bearer " + PASSWORD], f"token {PASSWORD}"),
        (["X-Team: blue\nX-Key: " + PASSWORD], f"curl -H 'k: {PASSWORD}'"),
        ([PEM], PEM_TEXT.splitlines()[2]),
    ],
)
def test_a_part_that_is_a_secret_itself_is_hidden(secrets: list[str], said: str) -> None:
    assert PASSWORD not in make_redactor(secrets)(said)
    assert PEM_TEXT.splitlines()[2] not in make_redactor(secrets)(said)


@pytest.mark.parametrize("kept", range(12, len(ANTHROPIC)))
def test_what_a_cut_left_of_a_known_secret_is_hidden(kept: int) -> None:
    key = "ZZ" + ANTHROPIC[10:]  # of no known shape
    hide = make_redactor([key])

    assert hide(f"a {key[:kept]}… (3 more)") == "a ***… (3 more)"
    assert hide(f"a {key[:kept]}") == "a ***"
    assert hide(f"a\n… (7 more) …\n{key[-kept:]} b") == "a\n… (7 more) …\n*** b"


@given(st.text(min_size=20, max_size=60), st.text(max_size=30), st.integers(0, 90))
def test_no_cut_of_a_text_leaves_half_a_secret(secret: str, before: str, cut: int) -> None:
    secret = secret.strip()
    text = f"{before} {secret} and so on"
    shown = make_redactor([secret])(f"{text[:cut]}… ({max(0, len(text) - cut)} more)")

    if len(secret) >= 20 and secret[:12] not in f"{before} … (0123456789 more) and so on":
        assert secret[:12] not in shown


@pytest.mark.parametrize("token", BY_FORM.values(), ids=BY_FORM)
def test_text_that_looks_like_a_credential_is_hidden_even_if_it_is_unknown(token: str) -> None:
    assert make_redactor([])(f'say "{token}" again') == 'say "***" again'


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (f"Authorization: Bearer {PASSWORD}", "Authorization: Bearer ***"),
        (f'"authorization": "Basic {PASSWORD}"', '"authorization": "Basic ***"'),
        (f"x-api-key: {PASSWORD}", "x-api-key: ***"),
        ("https://ada:pass@example.com/x", "https://ada:***@example.com/x"),
        (f"DEPLOY_TOKEN={PASSWORD} make", "DEPLOY_TOKEN=*** make"),
        (f'{{"DB_PASSWORD": "{PASSWORD}"}}', '{"DB_PASSWORD": "***"}'),
        (f"-----BEGIN {'PRIVATE'} KEY-----\nabc", f"-----BEGIN {'PRIVATE'} KEY-----***"),
        (f"{PEM}\nend", "{}***{}\nend".format(*PEM.split(f"\n{PEM_TEXT}\n"))),
        (f"sk-ant-{random_letters(5)}… (80 more)", "***… (80 more)"),
    ],
)
def test_a_value_after_a_sensitive_name_is_hidden(said: str, shown: str) -> None:
    assert make_redactor([])(said) == shown


@pytest.mark.parametrize(
    "said",
    [
        "run task-force-ask-all with sk-learn and MAX_TOKENS=4096",
        "commit 3e7b0431a2f5c6d7e8f9a0b1c2d3e4f5a6b7c8d9",
        "http://127.0.0.1:8080/@scope/package ada@example.com",
        "const API_KEY = process.env.API_KEY",
        "the token is in $GITHUB_TOKEN; see TOKEN=${TOKEN}",
        "0190d5a0-7f3e-7c51-8a4b-1234567890ab",
    ],
)
def test_ordinary_text_stays_as_it_is(said: str) -> None:
    assert make_redactor([])(said) == said


@given(st.recursive(st.text() | st.integers(), lambda each: st.lists(each, max_size=4)))
def test_to_hide_twice_is_to_hide_once(value: object) -> None:
    hide = make_redactor([KEY])

    assert hide(hide(value)) == hide(value)


@pytest.mark.parametrize("cut", ["… (80 more)", "\n… 80 characters more", ""])
def test_a_credential_that_was_cut_short_is_hidden(cut: str) -> None:
    assert make_redactor([])(f"key {BY_FORM['a GitHub token'][:14]}{cut}") == f"key ***{cut}"


@pytest.mark.parametrize(
    "repeated",
    [
        *("-eyJaaaaaaaa", "sk-ant-", "_TOKEN_", "://a:", "authorization: ", "xoxb-", "more) …\n"),
        *(f"{KEY[:12]}… (1 more)", f"-----BEGIN {'PRIVATE'} KEY-----\na: b: ", "token" + " " * 40),
    ],
)
def test_no_text_takes_for_ever(repeated: str) -> None:
    text = repeated * (100_000 // len(repeated))

    assert make_redactor([KEY])(text) is not None
    assert list(SecretSearch([KEY]).find_secrets(text)) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "repeated",
    [
        *("eyJ.", "-eyJ", "xoxb-", "-ghp_", f"-----BEGIN {'PRIVATE'} KEY-----a: "),
        f"{PEM[:40]}… (1 more)",
    ],
)
def test_megabytes_of_what_looks_like_secrets_are_read_in_the_time_of_a_test(repeated: str) -> None:
    """The limit on each test's time is what would notice: a minute and more, and hours for one."""
    text = repeated * (8_000_000 // len(repeated))

    assert make_redactor([KEY, PEM])(text) is not None
    assert list(SecretSearch([KEY, PEM]).find_secrets(text)) is not None


def test_a_web_token_is_hidden_however_long_its_parts_are_and_whatever_they_hold() -> None:
    part = f"eyJ{random_letters(30)}-eyJ{'a1B2' * 2_000}"
    token = f"{part}.{part}.{part}"

    assert make_redactor([])(f"say {token}, {part} and .{part}.") == f"say ***, {part} and .{part}."
    assert [each.value for each in SecretSearch([]).find_secrets(f"{part} {token}")] == [token]


PIECES = st.sampled_from(
    [
        *("sk-", "sk-ant-", "ghp_", "github_pat_", "glabcd-", "xoxb-", "AKIA", "ya29.", "eyJ"),
        *("sk_live_", "a", "aB3_", "-", ".", "/", " ", "\n", "é", "… (80 more)"),
        *("\n… 80 characters more", "\n… (7 more) …\n", "b" * 780, "c" * 12),
    ]
)
# What may stay of a credential before a cut, and at the end of a text, in one pattern each.
BEFORE_A_CUT = (
    r"(?<![A-Za-z0-9_])(?:sk-|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|npm_|pypi-|xox[a-z]-|xapp-|AKIA"
    r"|ASIA|AIza|ya29\.|[sr]k_live_|lin_api_|hf_|eyJ)[A-Za-z0-9_.+/=-]{0,800}"
    r"(?=\n?… \(?\d+ (?:characters )?more)"
)
AT_THE_END = (
    r"(?<![A-Za-z0-9_])(?:sk-ant-|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|[sr]k_live_)"
    r"[A-Za-z0-9_-]{4,4000}\Z"
)


@given(st.lists(PIECES, max_size=12))
def test_looking_back_from_the_cuts_hides_what_one_pattern_would(pieces: list[str]) -> None:
    text = "".join(pieces)

    assert hide_truncated_shapes(text) == re.sub(f"{BEFORE_A_CUT}|{AT_THE_END}", "***", text)
