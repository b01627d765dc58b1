"""Settings that no run can use, or that would change nothing, are refused with one line."""

import pytest

from treadle.domain.errors import SettingsError
from treadle.settings.definitions import PolicySettings
from treadle.wiring.validate_settings import require_effect, require_sandbox_for


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        (
            PolicySettings(allow_commands=("sh",)),
            "policy.allow_commands: 'sh' has no effect: it runs commands that the policy cannot "
            "read",
        ),
        (
            PolicySettings(allow_commands=("docker compose",)),
            "policy.allow_commands: 'docker compose' is not one name, so nothing matches it",
        ),
        (
            PolicySettings(mode="light", allow_commands=("docker",)),
            'policy.allow_commands has no effect with policy.mode = "light"',
        ),
        (
            PolicySettings(mode="light", allow_pkill_targets=("postgres",)),
            'policy.allow_pkill_targets has no effect with policy.mode = "light"',
        ),
        (PolicySettings(profiles=("cobol",)), "policy.profiles: there is no profile 'cobol'"),
        (PolicySettings(ask_before=("",)), "policy.ask_before: an empty pattern matches nothing"),
    ],
)
def test_a_value_without_effect_is_an_error(policy: PolicySettings, said: str) -> None:
    with pytest.raises(SettingsError) as raised:
        require_effect(policy)

    assert raised.value.message == said
    assert raised.value.hint


@pytest.mark.parametrize(
    "policy",
    [
        PolicySettings(),
        PolicySettings(mode="light", ask_before=("make ship",), profiles=("node",)),
        PolicySettings(mode="strict", allow_commands=("docker", "./tools/check.sh")),
    ],
)
def test_a_value_with_an_effect_is_none(policy: PolicySettings) -> None:
    require_effect(policy)


def test_the_light_policy_is_not_for_a_run_without_a_sandbox() -> None:
    require_sandbox_for(PolicySettings(mode="auto"))
    with pytest.raises(SettingsError, match='"light" relies on the sandbox'):
        require_sandbox_for(PolicySettings(mode="light"))
