"""Allows the shell commands that the user wrote in settings or specification. Pure."""

from collections.abc import Collection

from treadle.domain.agent import Allow, Deny, PolicyDecision
from treadle.policy.roles import ShellSet

RULE = "given-line"


def allow_user_commands(
    judged: PolicyDecision, line: str, given: Collection[str], allowed: ShellSet
) -> PolicyDecision:
    """A no becomes a yes for a line that is the user's own, to the letter, in a role that builds.

    Treadle runs the same line itself, confined in the same way. A question to a person stays one.
    """
    own = line.strip() in given and allowed == "run"
    if isinstance(judged, Deny) and own:
        return Allow("the user wrote this line", RULE)
    return judged
