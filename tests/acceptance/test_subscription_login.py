"""Whole runs with the login of a subscription, which the user's own Claude Code keeps and renews.

The hosts of the subscription are fake ones behind the user's proxy; the command is not told so.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, Finished, script
from tests.identity.claude_process import renew_login
from tests.identity.service import IdentityService
from treadle.rehearsal.fixtures import Rehearse


class SubscriptionHarness(CommandHarness):
    """A project whose user is logged in at a fake service, which a scripted model stands behind."""

    def __init__(self, directory: Path, identity: IdentityService) -> None:
        super().__init__(directory)
        self.identity = identity
        self.settings({})

    @property
    def environment(self) -> dict[str, str]:
        return {**super().environment, **self.identity.environment}

    def run(self, *arguments: str) -> Finished:
        """No rehearsal: a run as the user starts it, its event log on stdout."""
        return self.treadle(*arguments, "--json")


@pytest.fixture
def subscribed(tmp_path: Path) -> Iterator[SubscriptionHarness]:
    with IdentityService(tmp_path / "identity") as identity:
        yield SubscriptionHarness(tmp_path, identity)


def test_a_run_and_the_users_own_agent_share_a_login(
    subscribed: SubscriptionHarness, rehearse: Rehearse
) -> None:
    identity = subscribed.identity
    identity.model_url = rehearse(script(ONE_DELIVERABLE, BUILD_IT)).base_url
    identity.write_login(subscribed.home, expires_in=60)
    renew_login(subscribed.home, identity.environment)

    finished = subscribed.run("deliver")

    assert finished.result["reason"] == "all_passed", finished.stderr
    assert (subscribed.project / "hello.txt").read_text() == "hello\n"
    assert (len(identity.renewals), identity.refused_tokens) == (1, ())
    assert identity.is_logged_in(subscribed.home)
