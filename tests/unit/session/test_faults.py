"""A fault has one class: what the agent typed counts before what it worded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import FAULTS
from treadle.domain.agent import Fault
from treadle.domain.diagnosis import Diagnosis
from treadle.domain.session import Crashed, ErrorClass, ExecutionError, Outcome, TimedOut
from treadle.session.faults import backoff, diagnose, pause_after


def api(status: int | None, error: str, reason: str = "api_error", message: str = "") -> Fault:
    return Fault(message, status, error, reason, subtype="success")


@pytest.mark.parametrize(
    ("fault", "error_class"),
    [
        (api(429, "rate_limit"), "rate_limited"),
        (api(529, "server_error"), "retryable"),
        (api(529, "overloaded"), "retryable"),
        (api(500, "server_error"), "retryable"),
        (api(401, "authentication_failed"), "authentication"),
        (api(403, "authentication_failed"), "authentication"),
        (api(404, "model_not_found"), "fatal"),
        (api(400, "invalid_request", "prompt_too_long", "Prompt is too long"), "retryable"),
        (api(400, "billing_error", message="Credit balance is too low"), "fatal"),
        (api(402, "billing_error", message="API Error: 402 the budget is spent"), "fatal"),
        (api(400, "unknown"), "retryable"),
        (api(413, "invalid_request", "image_error"), "retryable"),
        (api(None, "unknown", message="Connection error."), "retryable"),
        (api(None, "authentication_failed", message="Not logged in"), "authentication"),
    ],
)
def test_every_failure_of_the_model_service_has_a_class(
    fault: Fault, error_class: ErrorClass
) -> None:
    assert diagnose(fault, FAULTS).error_class == error_class


@pytest.mark.parametrize(
    ("error", "error_class"),
    [
        ("authentication_failed", "authentication"),
        ("cloud_credential_error", "authentication"),
        ("oauth_org_not_allowed", "authentication"),
        ("account_on_hold", "authentication"),
        ("verification_required", "authentication"),
        ("billing_error", "fatal"),
        ("model_not_found", "fatal"),
        ("rate_limit", "rate_limited"),
        ("overloaded", "retryable"),
        ("server_error", "retryable"),
        ("max_output_tokens", "retryable"),
        ("invalid_request", "retryable"),
        ("unknown", "retryable"),
        ("never_heard_of", "retryable"),
    ],
)
def test_every_error_name_of_the_agent_has_a_class(error: str, error_class: ErrorClass) -> None:
    assert diagnose(Fault("", error=error), FAULTS).error_class == error_class


@pytest.mark.parametrize(
    ("status", "error_class"),
    [
        (400, "retryable"),
        (401, "authentication"),
        (402, "fatal"),
        (403, "authentication"),
        (404, "fatal"),
        (408, "retryable"),
        (409, "retryable"),
        (413, "retryable"),
        (418, "fatal"),
        (422, "retryable"),
        (425, "retryable"),
        (429, "rate_limited"),
        (451, "fatal"),
        (500, "retryable"),
        (503, "retryable"),
        (529, "retryable"),
    ],
)
def test_every_http_status_has_a_class(status: int, error_class: ErrorClass) -> None:
    typed = Fault("", api_status=status, terminal_reason="api_error")
    worded = Fault(f"API Error: {status} something happened")

    assert [diagnose(typed, FAULTS).error_class, diagnose(worded, FAULTS).error_class] == [
        error_class,
        error_class,
    ]


@pytest.mark.parametrize(
    ("reason", "error_class"),
    [
        ("prompt_too_long", "retryable"),
        ("blocking_limit", "retryable"),
        ("rapid_refill_breaker", "retryable"),
        ("image_error", "retryable"),
        ("malformed_tool_use_exhausted", "retryable"),
        ("structured_output_retry_exhausted", "retryable"),
        ("model_error", "retryable"),
        ("api_error", "retryable"),
        ("turn_setup_failed", "retryable"),
        ("aborted_streaming", "retryable"),
        ("aborted_tools", "retryable"),
        ("hook_stopped", "retryable"),
        ("stop_hook_prevented", "retryable"),
        ("tool_deferred", "retryable"),
        ("tool_deferred_unavailable", "retryable"),
        ("background_requested", "retryable"),
        ("max_turns", "retryable"),
        ("budget_exhausted", "fatal"),
        ("completed", "retryable"),
    ],
)
def test_every_reason_the_agent_stops_for_has_a_class(reason: str, error_class: ErrorClass) -> None:
    assert diagnose(Fault("", terminal_reason=reason), FAULTS).error_class == error_class


@pytest.mark.parametrize(
    ("fault", "error_class"),
    [
        (Fault("", subtype="error_max_turns"), "retryable"),
        (Fault("", subtype="error_max_budget_usd"), "fatal"),
        (Fault("", subtype="error_max_structured_output_retries"), "retryable"),
        (Fault("", subtype="error_during_execution"), "retryable"),
        (Fault("No conversation found with session ID: x"), "retryable"),
        (Fault("Not logged in · Please run /login"), "authentication"),
        (Fault("Invalid API key · Fix external API key"), "authentication"),
        (Fault("OAuth token has expired"), "authentication"),
        (Fault("Credit balance is too low"), "fatal"),
        (Fault("API Error: 400 credit balance too low"), "fatal"),
        (Fault("There's an issue with the selected model (x)."), "fatal"),
        (Fault("write failed: No space left on device"), "fatal"),
        (Fault("--dangerously-skip-permissions cannot be used with root"), "fatal"),
        (Fault("the agent did not start: error: unknown option '--x'", subtype="start"), "fatal"),
        (Fault("the agent did not start: No such file", subtype="start"), "fatal"),
        (Fault("the agent did not start: it hung up", subtype="start"), "retryable"),
        (Fault("claude: not found", exit_code=127), "fatal"),
        (Fault("claude: cannot run", exit_code=126), "fatal"),
        (Fault("terminated", exit_code=143), "retryable"),
        (Fault("killed", exit_code=137), "retryable"),
        (Fault("cat: x: No such file or directory"), "retryable"),  # a tool's words, not ours
        (Fault("socket hang up"), "retryable"),
        (Fault("fetch failed: ECONNRESET"), "retryable"),
        (Fault(""), "retryable"),
        (Fault("x" * 400 + "Credit balance is too low"), "retryable"),  # deep in a long text
    ],
)
def test_faults_without_a_typed_cause_are_read_by_their_words(
    fault: Fault, error_class: ErrorClass
) -> None:
    assert diagnose(fault, FAULTS).error_class == error_class


@pytest.mark.parametrize(
    "fault",
    [
        api(400, "invalid_request", "prompt_too_long"),
        api(413, "invalid_request", "image_error"),
        Fault("Prompt is too long"),
        Fault("No conversation found with session ID: x", subtype="error_during_execution"),
        Fault("Error: Session ID 12 is already in use."),
        Fault("", subtype="error_max_turns"),
    ],
)
def test_a_conversation_that_cannot_go_on_may_be_begun_anew(fault: Fault) -> None:
    assert diagnose(fault, FAULTS) == Diagnosis("retryable")


@pytest.mark.parametrize(
    ("fault", "of_service"),
    [
        (api(500, "server_error"), True),
        (api(503, ""), True),
        (api(529, "overloaded"), True),
        (api(429, "rate_limit"), True),
        (api(408, ""), True),
        (api(None, "overloaded"), True),
        (api(None, "unknown", message="Connection error."), True),
        (api(None, "unknown", message="API Error: Request timed out."), True),
        (Fault("fetch failed"), True),
        (Fault("socket hang up"), True),
        (Fault("connect ECONNREFUSED 127.0.0.1:9"), True),
        (Fault("getaddrinfo EAI_AGAIN api.example"), True),
        (Fault("API Error: 502 bad gateway"), True),
        (api(400, "invalid_request"), False),
        (api(400, "invalid_request", "prompt_too_long"), False),
        (api(401, "authentication_failed"), False),
        (api(402, "billing_error"), False),
        (api(404, "model_not_found"), False),
        (api(409, ""), False),
        (Fault("the tool said: connection error"), False),
        (Fault("segfault", exit_code=139), False),
        (Fault("what?"), False),
    ],
)
def test_a_failure_of_the_service_itself_is_told_apart(fault: Fault, of_service: bool) -> None:
    assert diagnose(fault, FAULTS).of_service == of_service


TEXTS = st.sampled_from(["", "api_error", "server_error", "billing_error", "start", "unknown"])


@given(
    st.builds(
        Fault,
        message=st.text(),
        api_status=st.none() | st.integers(),
        error=TEXTS | st.text(),
        terminal_reason=TEXTS | st.text(),
        subtype=TEXTS | st.text(),
        exit_code=st.none() | st.integers(),
    )
)
def test_a_person_is_told_what_to_do_exactly_when_a_retry_is_pointless(fault: Fault) -> None:
    diagnosis = diagnose(fault, FAULTS)

    assert bool(diagnosis.hint) == (diagnosis.error_class in ("fatal", "authentication"))


@pytest.mark.parametrize(
    ("attempt", "jitter", "seconds"),
    [
        (1, 1.0, 2.0),
        (2, 1.0, 4.0),
        (3, 1.0, 8.0),
        (3, 0.5, 4.0),
        (3, 0.0, 0.0),
        (6, 1.0, 60.0),
        (10**6, 1.0, 60.0),
        (0, 1.0, 2.0),
    ],
)
def test_pauses_double_up_to_their_cap(attempt: int, jitter: float, seconds: float) -> None:
    assert backoff(attempt, base_s=2.0, cap_s=60.0, jitter=jitter) == seconds


BROKEN = ExecutionError("broken", "retryable")
DOWN = ExecutionError("overloaded", "retryable", of_service=True)
SLOWER = ExecutionError("429", "rate_limited", of_service=True)


@pytest.mark.parametrize(
    ("outcome", "attempt", "jitter", "retry_after_s", "seconds"),
    [
        (BROKEN, 1, 0.0, None, 2.5),
        (BROKEN, 1, 1.0, None, 5.0),
        (BROKEN, 3, 1.0, None, 20.0),
        (DOWN, 3, 1.0, None, 20.0),
        (Crashed("segfault", 139), 2, 1.0, None, 10.0),
        (TimedOut("idle", 600), 2, 1.0, None, 10.0),
        (BROKEN, 100, 1.0, None, 300.0),
        (SLOWER, 1, 0.0, None, 15.0),
        (SLOWER, 1, 1.0, None, 30.0),
        (SLOWER, 100, 1.0, None, 900.0),
        (SLOWER, 1, 0.0, 120.0, 120.0),  # what the service asks for is waited in full
        (SLOWER, 1, 0.5, 120.0, 126.0),
        (SLOWER, 1, 1.0, 2.0, 30.0),
        (DOWN, 1, 0.0, 60.0, 60.0),
        (DOWN, 1, 0.0, -60.0, 2.5),
        (DOWN, 1, 0.0, 1e12, 86_400.0),
    ],
)
def test_the_pause_after_a_failure_depends_on_its_class(
    outcome: Outcome, attempt: int, jitter: float, retry_after_s: float | None, seconds: float
) -> None:
    waited = pause_after(outcome, attempt, base_s=5, jitter=jitter, retry_after_s=retry_after_s)

    assert waited == pytest.approx(seconds)
