"""A building role may run exactly the lines that the user wrote."""

import pytest

from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.policy.roles import ShellSet
from treadle.policy.user_commands import allow_user_commands

GIVEN = {"sh test.sh"}
NO = Deny("`sh` is not allowed", "unknown-command")
ASKED = Ask("a person decides", "sh test.sh")
YES = Allow("the user wrote this line", "given-line")


@pytest.mark.parametrize(
    ("judged", "line", "allowed", "after"),
    [
        (NO, "sh test.sh", "run", YES),
        (NO, " sh test.sh\n", "run", YES),
        (NO, "sh test.sh --all", "run", NO),
        (NO, "sh test.sh; rm -rf .", "run", NO),
        (NO, "sh test.sh", "read", NO),
        (ASKED, "sh test.sh", "run", ASKED),
        (Allow(), "sh test.sh", "run", Allow()),
    ],
)
def test_a_no_becomes_a_yes_for_the_users_own_line_alone(
    judged: PolicyDecision, line: str, allowed: ShellSet, after: PolicyDecision
) -> None:
    assert allow_user_commands(judged, line, GIVEN, allowed) == after
