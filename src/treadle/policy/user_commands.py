"""Allows the shell commands that the user wrote in settings or specification. Pure."""

from collections.abc import Collection

from treadle.domain.agent import Allow, Deny, PolicyDecision
from treadle.policy.roles import ShellSet

RULE = "given-line"


def allow_user_commands(
    decision: PolicyDecision, line: str, user_lines: Collection[str], allowed: ShellSet
) -> PolicyDecision:
    """Turn a denial into permission if the line is exactly one of the user's, for building roles.

    Treadle itself runs the same line in the same sandbox. A question to a person stays.
    """
    is_users = line.strip() in user_lines and allowed == "run"
    if isinstance(decision, Deny) and is_users:
        return Allow("the user wrote this line", RULE)
    return decision
