"""Lines that the user wrote are an agent's to run, to the letter and in a role that builds."""

import pytest

from treadle.domain.agent import Allow, Ask, Deny, Judgement
from treadle.policy.given_lines import letting_given_lines
from treadle.policy.roles import ShellSet

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
    judged: Judgement, line: str, allowed: ShellSet, after: Judgement
) -> None:
    assert letting_given_lines(judged, line, GIVEN, allowed) == after
