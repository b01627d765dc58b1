"""Which policy judges: light where the sandbox holds what light lets run, else strict."""

from dataclasses import replace

import pytest

from treadle.policy.modes import (
    MODES,
    ChosenPolicy,
    ConfinementFacts,
    PolicyMode,
    PolicyName,
    choose_policy,
    has_read_only_workspace,
)

HELD = ConfinementFacts(sandboxed=True, system="linux", network="gateway")
OPENED = replace(HELD, network="allowlist")
WIDER = replace(HELD, writable=("/srv/shared",))
MAC = replace(HELD, system="other")
BARE = replace(HELD, sandboxed=False)


@pytest.mark.parametrize(
    ("mode", "facts", "builds", "reads"),
    [
        ("auto", HELD, "light", "light"),
        ("auto", OPENED, "strict", "strict"),
        ("auto", replace(HELD, network="open"), "strict", "strict"),
        ("auto", WIDER, "strict", "strict"),
        ("auto", MAC, "strict", "strict"),
        ("auto", BARE, "strict", "strict"),
        ("strict", HELD, "strict", "strict"),
        ("light", HELD, "light", "light"),
        ("light", OPENED, "light", "light"),
        ("light", MAC, "light", "strict"),
    ],
)
def test_the_policy_is_chosen_by_what_confines_the_commands(
    mode: PolicyMode, facts: ConfinementFacts, builds: PolicyName, reads: PolicyName
) -> None:
    chosen = [choose_policy(mode, facts, shell).name for shell in ("run", "read")]

    assert chosen == [builds, reads]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("facts", [HELD, OPENED, WIDER, MAC, BARE])
def test_a_role_that_reads_is_judged_lightly_only_in_a_read_only_workspace(
    mode: PolicyMode, facts: ConfinementFacts
) -> None:
    is_light = choose_policy(mode, facts, "read").name == "light"

    assert is_light == has_read_only_workspace(mode, facts)


def test_the_reason_names_what_opens_the_sandbox() -> None:
    assert [choose_policy("auto", facts, "run") for facts in (OPENED, BARE)] == [
        ChosenPolicy("strict", 'sandbox.network = "allowlist"'),
        ChosenPolicy("strict", "there is no sandbox"),
    ]
