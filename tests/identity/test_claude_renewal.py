"""How the real Claude Code renews its login: Treadle relies on it, the fake service copies it."""

from pathlib import Path

import pytest

from tests.identity.claude_process import ClaudeProcess, renew_login
from tests.identity.service import PROFILE_PATH, TOKEN_PATH, IdentityService
from tests.identity.token_issuer import stored_login

pytestmark = pytest.mark.slow

# Claude Code renews a token that has five minutes or less.
EXPIRING = 60


def test_a_prepared_session_renews_an_expiring_login_and_asks_no_model(
    identity: IdentityService, home: Path
) -> None:
    file = identity.write_login(home, expires_in=EXPIRING)
    before = stored_login(home)

    assert renew_login(home, identity.environment) == 0

    assert [renewal.spent for renewal in identity.renewals] == [before["refreshToken"]]
    assert identity.is_logged_in(home)
    assert stored_login(home)["expiresAt"] > before["expiresAt"]
    assert file.stat().st_mode & 0o777 == 0o600
    assert {each.path for each in identity.requests} == {TOKEN_PATH, PROFILE_PATH}
    assert identity.refused_hosts == ()


def test_a_prepared_session_waits_for_a_slow_service(identity: IdentityService, home: Path) -> None:
    file = identity.write_login(home, expires_in=EXPIRING)
    before = file.read_bytes()
    identity.hold_answers()

    with ClaudeProcess(home, identity.environment) as claude:
        identity.wait_for_token_requests(1)
        assert (file.read_bytes(), identity.is_logged_in(home)) == (before, False)
        identity.release_answers()
        claude.wait_for_login()

    assert identity.is_logged_in(home)


def test_a_spent_refresh_token_is_refused_and_the_file_emptied(
    identity: IdentityService, home: Path
) -> None:
    file = identity.write_login(home, expires_in=EXPIRING)
    earlier = file.read_bytes()
    renew_login(home, identity.environment)
    file.write_bytes(earlier)

    renew_login(home, identity.environment)

    assert (len(identity.renewals), len(identity.refused_tokens)) == (1, 1)
    emptied = stored_login(home)
    assert (emptied["accessToken"], emptied["refreshToken"], emptied["expiresAt"]) == ("", "", 0)


def test_an_unavailable_service_leaves_the_file_as_it_was(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home, expires_in=EXPIRING)
    before = stored_login(home)
    identity.answer_with("unavailable")

    with ClaudeProcess(home, identity.environment) as claude:
        identity.wait_for_token_answers(1)
        assert claude.close() == 0

    assert (stored_login(home), identity.is_logged_in(home)) == (before, True)


def test_two_sessions_at_once_make_one_renewal(identity: IdentityService, home: Path) -> None:
    identity.write_login(home, expires_in=EXPIRING)

    with (
        ClaudeProcess(home, identity.environment) as first,
        ClaudeProcess(home, identity.environment) as second,
    ):
        first.wait_for_login()
        second.wait_for_login()
        assert (first.close(), second.close()) == (0, 0)

    assert (len(identity.renewals), identity.refused_tokens) == (1, ())
    assert identity.is_logged_in(home)


def test_a_session_takes_over_from_one_that_was_killed_as_it_asked(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home, expires_in=EXPIRING)
    identity.answer_with("hang")
    with ClaudeProcess(home, identity.environment) as first:
        identity.wait_for_token_requests(1)
        first.kill()
    identity.answer_with("renew")

    renew_login(home, identity.environment)

    assert (len(identity.token_requests), len(identity.renewals)) == (2, 1)
    assert identity.is_logged_in(home)


def test_a_session_that_is_killed_before_the_answer_loses_the_login(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home, expires_in=EXPIRING)
    identity.hold_answers()

    with ClaudeProcess(home, identity.environment) as claude:
        identity.wait_for_token_requests(1)
        claude.kill()

    assert (len(identity.renewals), identity.is_logged_in(home)) == (1, False)


def test_a_session_whose_input_ends_before_the_answer_loses_the_login(
    identity: IdentityService, home: Path
) -> None:
    """Whoever starts it for a renewal must hold its input beyond his own death."""
    identity.write_login(home, expires_in=EXPIRING)
    identity.hold_answers()

    with ClaudeProcess(home, identity.environment) as claude:
        identity.wait_for_token_requests(1)
        assert claude.close() == 0

    assert (len(identity.renewals), identity.is_logged_in(home)) == (1, False)
