"""Treadle's renewal of a login with the real Claude Code, at a service with its moods."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.identity.claude_process import (
    ClaudeProcess,
    claude_environment,
    wait_until,
)
from tests.identity.service import PROFILE_PATH, TOKEN_PATH, IdentityService
from tests.identity.token_issuer import stored_login
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.login_renewal import (
    LoginRenewer,
    RenewalKind,
    RenewalTimes,
    renewal_environment,
)
from treadle.adapters.agents.claude.renewal_rules import RenewalOutcome
from treadle.adapters.agents.claude.subscription_file import SubscriptionFile, credentials_file

pytestmark = pytest.mark.slow

EXPIRING = 60
# The binary asks no second time while its session is idle.
SOON = RenewalTimes(settled_s=0.5)


def renew(
    identity: IdentityService, home: Path, kind: RenewalKind = "expiring", **variables: str
) -> RenewalOutcome:
    given = {**claude_environment(home, identity.environment), **variables}
    renewer = LoginRenewer(bundled_binary, home, given, SOON)
    return renewer.renew(SubscriptionFile(credentials_file(given, home)), kind)


@contextmanager
def renewing(identity: IdentityService, home: Path) -> Iterator[Future[RenewalOutcome]]:
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(renew, identity, home)


def test_an_expiring_login_is_renewed_and_nothing_else_is_asked(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home, expires_in=EXPIRING)

    assert renew(identity, home) == "renewed"

    assert (len(identity.renewals), identity.refused_tokens) == (1, ())
    assert identity.is_logged_in(home)
    assert {each.path for each in identity.requests} == {TOKEN_PATH, PROFILE_PATH}
    assert identity.refused_hosts == ()


def test_variables_of_other_logins_do_not_keep_it_from_renewing(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home, expires_in=EXPIRING)

    outcome = renew(
        identity,
        home,
        CLAUDE_CODE_OAUTH_TOKEN="another",
        CLAUDE_CODE_SIMPLE="1",
        CLAUDE_CODE_USE_BEDROCK="1",
        ANTHROPIC_API_KEY="a key",
    )

    assert (outcome, identity.is_logged_in(home)) == ("renewed", True)


def test_a_login_is_renewed_where_a_variable_has_moved_it(
    identity: IdentityService, home: Path, tmp_path: Path
) -> None:
    file = SubscriptionFile(identity.write_login(home, expires_in=EXPIRING))
    (tmp_path / "elsewhere").mkdir()
    given = claude_environment(home, identity.environment) | {
        "CLAUDE_CONFIG_DIR": str(file.path.parent)
    }
    renewer = LoginRenewer(bundled_binary, tmp_path / "elsewhere", given)

    assert (renewer.renew(file, "expiring"), identity.is_logged_in(home)) == ("renewed", True)


def test_a_slow_service_is_waited_for(identity: IdentityService, home: Path) -> None:
    identity.write_login(home, expires_in=EXPIRING)
    identity.delay_s = 12.0

    assert (renew(identity, home), identity.is_logged_in(home)) == ("renewed", True)


def test_a_login_that_ended_is_told_from_an_outage(identity: IdentityService, home: Path) -> None:
    identity.write_login(home, expires_in=EXPIRING)

    identity.answer_with("unavailable")
    first = renew(identity, home)
    identity.answer_with("invalid_grant")
    second = renew(identity, home)

    assert (first, second, renew(identity, home)) == ("failed", "ended", "ended")
    assert stored_login(home)["accessToken"] == ""


def test_a_login_that_the_user_makes_meanwhile_stays(identity: IdentityService, home: Path) -> None:
    identity.write_login(home, expires_in=EXPIRING)
    identity.hold_answers()

    with renewing(identity, home) as outcome:
        identity.wait_for_token_requests(1)
        identity.write_login(home)
        theirs = stored_login(home)
        identity.release_answers()

    assert outcome.result() == "renewed"
    assert (stored_login(home), identity.is_logged_in(home)) == (theirs, True)


def test_two_at_once_make_one_renewal(identity: IdentityService, home: Path) -> None:
    identity.write_login(home, expires_in=EXPIRING)

    with renewing(identity, home) as first, renewing(identity, home) as second:
        pass

    assert (first.result(), second.result()) == ("renewed", "renewed")
    assert (len(identity.renewals), identity.refused_tokens) == (1, ())
    assert identity.is_logged_in(home)


def test_it_takes_over_from_a_process_of_the_users_that_was_killed(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home, expires_in=EXPIRING)
    identity.answer_with("hang")
    with ClaudeProcess(home, identity.environment) as theirs:
        identity.wait_for_token_requests(1)
        theirs.kill()
    identity.answer_with("renew")
    given = claude_environment(home, identity.environment)

    # With its own patience: the lock of the dead is waited for.
    renewer = LoginRenewer(bundled_binary, home, given)
    outcome = renewer.renew(SubscriptionFile(credentials_file({}, home)), "expiring")

    assert (outcome, identity.is_logged_in(home)) == ("renewed", True)


def test_a_kill_of_the_renewing_process_loses_no_token(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home, expires_in=EXPIRING)
    identity.hold_answers()

    treadle = subprocess.Popen(
        [sys.executable, "-m", "tests.identity.renewing_process", str(home)],
        env=claude_environment(home, identity.environment),
        cwd=Path(__file__).parents[2],
    )
    identity.wait_for_token_requests(1)
    treadle.kill()
    treadle.wait()
    assert not identity.is_logged_in(home)
    identity.release_answers()
    wait_until(lambda: identity.is_logged_in(home))

    assert (len(identity.renewals), identity.refused_tokens) == (1, ())


def test_a_token_that_is_refused_before_its_time_is_renewed(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home)
    identity.revoke_access()

    assert (renew(identity, home, "refused"), identity.is_logged_in(home)) == ("renewed", True)


def test_a_token_that_only_the_model_refuses_is_not_renewed(
    identity: IdentityService, home: Path
) -> None:
    identity.write_login(home)

    assert (renew(identity, home, "refused"), identity.renewals) == ("failed", ())


def no_program(folder: Path) -> Path | None:
    return None


def absent_program(folder: Path) -> Path | None:
    return folder / "claude"


def failing_program(folder: Path) -> Path | None:
    path = folder / "claude"
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("program", "outcome"),
    [(no_program, "missing"), (absent_program, "missing"), (failing_program, "unusable")],
)
def test_a_program_that_cannot_renew_is_not_an_outage(
    program: Callable[[Path], Path | None],
    outcome: RenewalOutcome,
    tmp_path: Path,
    identity: IdentityService,
    home: Path,
) -> None:
    file = SubscriptionFile(identity.write_login(home, expires_in=EXPIRING))

    assert LoginRenewer(lambda: program(tmp_path), home, {}).renew(file, "expiring") == outcome


def test_the_binary_gets_the_variables_of_the_user_but_those_of_other_logins() -> None:
    given = {
        "HTTPS_PROXY": "http://p",
        "CLAUDE_CONFIG_DIR": "/c",
        "CLAUDE_CODE_USE_VERTEX": "1",
        "ANTHROPIC_BASE_URL": "https://x",
        "TREADLE_ROOT": "/t",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "HOME": "/elsewhere",
    }
    quiet = {
        "ENABLE_CLAUDEAI_MCP_SERVERS": "false",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
    }
    kept = {"HTTPS_PROXY": "http://p", "CLAUDE_CONFIG_DIR": "/c", "HOME": "/home/ada", **quiet}

    assert renewal_environment(given, Path("/home/ada"), "refused") == kept
    assert renewal_environment(given, Path("/home/ada"), "expiring") == {
        **kept,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
