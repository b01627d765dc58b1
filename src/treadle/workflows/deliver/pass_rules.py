"""When a claim of an agent makes a deliverable pass. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.domain.deliverable import Deliverable, RejectedChange
from treadle.verify.proof import claimed_criteria
from treadle.verify.spec_checks import SpecCheck

# after_round: the project has tests that a claim has to pass, whether it has checks or not.
Settling: TypeAlias = Literal["at_once", "after_round"]
Requirement: TypeAlias = Literal["optional", "required"]


def runs_any_line(line: str) -> str:
    """Nothing stands against a check, whatever it does."""
    return ""


@dataclass(frozen=True, slots=True)
class PassRules:
    """What the run asks of a pass, and of the checks that an agent gives."""

    settling: Settling = "at_once"
    # Whether something may pass of which a criterion has no check.
    require_checks: Requirement = "optional"
    # As they stand in the specification that the user sees.
    spec_checks: tuple[SpecCheck, ...] = ()
    # Why Treadle does not run a line for an agent; empty if it does.
    why_not_run: Callable[[str], str] = runs_any_line


# An agent's word is enough.
AT_ONCE = PassRules()


def decide_claim(deliverable: Deliverable, terms: PassRules) -> Settling | RejectedChange:
    """When a deliverable passes that an agent says is done, or why its word is not taken."""
    open_criteria = claimed_criteria(deliverable)
    if terms.require_checks == "required" and open_criteria:
        texts = ", ".join(repr(text) for text in open_criteria)
        return RejectedChange(
            f"{deliverable.id} cannot pass yet: this project wants a check for every criterion, "
            f"and there is none for {texts}. Add one with add_check."
        )
    return "after_round" if deliverable.checks else terms.settling


def claim_reply(deliverable: Deliverable, terms: PassRules) -> str:
    """What an agent is told whose word has to be shown first."""
    tests = ["the tests"] if terms.settling == "after_round" else []
    shown_by = " and ".join([*(["its checks"] if deliverable.checks else []), *tests])
    return (
        f"{deliverable.id} is claimed and stays pending until it is shown: after this session "
        f"Treadle runs {shown_by} on the commit. Commit everything that belongs to it."
    )
