"""Decides when an agent's claim makes a deliverable pass. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.domain.deliverable import Deliverable, RejectedChange
from treadle.verify.checks.spec_checks import SpecCheck
from treadle.verify.grades.grade import claimed_criteria

# after_round: the project has tests, which a claim must pass with or without checks.
PassTiming: TypeAlias = Literal["at_once", "after_round"]
Requirement: TypeAlias = Literal["optional", "required"]


def accept_any_line(line: str) -> str:
    """Accept every line as a check."""
    return ""


@dataclass(frozen=True, slots=True)
class PassRules:
    """What the run requires of a pass, and of an agent's checks."""

    timing: PassTiming = "at_once"
    # Whether every criterion needs a check.
    require_checks: Requirement = "optional"
    # From the specification in the user's checkout.
    spec_checks: tuple[SpecCheck, ...] = ()
    # Why Treadle does not run a line as an agent's check; empty if it does.
    why_not_run: Callable[[str], str] = accept_any_line


PASS_AT_ONCE = PassRules()


def decide_claim(deliverable: Deliverable, rules: PassRules) -> PassTiming | RejectedChange:
    """When a claimed deliverable passes, or why the claim is refused."""
    open_criteria = claimed_criteria(deliverable)
    if rules.require_checks == "required" and open_criteria:
        texts = ", ".join(repr(text) for text in open_criteria)
        return RejectedChange(
            f"{deliverable.id} cannot pass yet: this project wants a check for every criterion, "
            f"and there is none for {texts}. Add one with add_check."
        )
    return "after_round" if deliverable.checks else rules.timing


def claim_reply(deliverable: Deliverable, rules: PassRules) -> str:
    """The reply to an agent whose claim must be verified first."""
    tests = ["the tests"] if rules.timing == "after_round" else []
    verified_by = " and ".join([*(["its checks"] if deliverable.checks else []), *tests])
    return (
        f"{deliverable.id} is claimed and stays pending until it is shown: after this session "
        f"Treadle runs {verified_by} on the commit. Commit everything that belongs to it."
    )
