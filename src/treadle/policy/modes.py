"""Chooses between the light and the strict policy. Pure."""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from treadle.domain.sandbox import Network
from treadle.policy.roles import ShellSet

# auto: light where the sandbox holds everything that light lets run, else strict.
PolicyMode: TypeAlias = Literal["auto", "light", "strict"]
MODES: tuple[PolicyMode, ...] = get_args(PolicyMode)
PolicyName: TypeAlias = Literal["light", "strict"]
# System: where the sandbox was tested; elsewhere the light policy is not chosen by itself.
System: TypeAlias = Literal["linux", "other"]

_CLOSED: tuple[Network, ...] = ("none", "gateway")


@dataclass(frozen=True, slots=True)
class ConfinementFacts:
    """What confines the commands of a run. Package indexes do not count as an opened network."""

    sandboxed: bool
    system: System
    network: Network
    # Paths besides the workspace that the agent may write.
    writable: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChosenPolicy:
    """The policy that judges, and why it was chosen."""

    name: PolicyName
    reason: str


def choose_policy(mode: PolicyMode, facts: ConfinementFacts, shell: ShellSet) -> ChosenPolicy:
    """The policy for a role with this set of commands.

    A role that only reads is judged lightly where its workspace is mounted read-only.
    """
    if mode == "strict":
        return ChosenPolicy("strict", 'policy.mode = "strict"')
    if mode == "light" and (shell == "run" or has_read_only_workspace(mode, facts)):
        return ChosenPolicy("light", 'policy.mode = "light"')
    if why := _why_strict(facts):
        return ChosenPolicy("strict", why)
    return ChosenPolicy("light", "in the sandbox, with the network closed")


def has_read_only_workspace(mode: PolicyMode, facts: ConfinementFacts) -> bool:
    """Whether roles that only read get their workspace mounted read-only.

    Under the strict policy they run builds and tests in it, which write there.
    """
    if mode == "strict" or not facts.sandboxed or facts.system != "linux":
        return False
    return mode == "light" or not _why_strict(facts)


def is_network_open(network: Network) -> bool:
    return network not in _CLOSED


def _why_strict(facts: ConfinementFacts) -> str:
    """Why the sandbox alone is not enough; empty if it is."""
    if not facts.sandboxed:
        return "there is no sandbox"
    if facts.system != "linux":
        return "the sandbox has not been tested on this system"
    if is_network_open(facts.network):
        return f'sandbox.network = "{facts.network}"'
    return "sandbox.writable allows more paths" if facts.writable else ""
