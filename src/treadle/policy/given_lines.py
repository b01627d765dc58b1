"""Shell lines that the user wrote into settings or specification: an agent may run them as they
stand. Pure."""

from collections.abc import Collection

from treadle.domain.agent import Allow, Deny, Judgement
from treadle.policy.roles import ShellSet

RULE = "given-line"


def letting_given_lines(
    judged: Judgement, line: str, given: Collection[str], allowed: ShellSet
) -> Judgement:
    """A no becomes a yes for a line that is the user's own, to the letter, in a role that builds.

    Treadle runs the same line itself, confined in the same way. A question to a person stays one.
    """
    own = line.strip() in given and allowed == "run"
    if isinstance(judged, Deny) and own:
        return Allow("the user wrote this line", RULE)
    return judged
