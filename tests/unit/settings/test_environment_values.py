"""Every setting has a variable, and a misspelled variable is an error."""

from typing import Any

import pytest

from treadle.domain.errors import SettingsError
from treadle.settings.load import ResolvedSettings, resolve_settings
from treadle.settings.origin import DEFAULT


def changed(resolved: ResolvedSettings) -> dict[str, tuple[Any, str]]:
    """The keys that something other than the defaults has set."""
    return {
        name: (resolved.value(name), str(origin))
        for name, origin in resolved.origins.items()
        if origin != DEFAULT
    }


@pytest.mark.parametrize(
    ("variable", "text", "key", "value"),
    [
        ("TREADLE_LAND", "never", "land", "never"),
        ("TREADLE_COMMIT", "off", "commit", False),
        ("TREADLE_QUOTA__WAIT", "1", "quota.wait", True),
        ("TREADLE_PROJECT__TEST", "make test", "project.test", "make test"),
        ("TREADLE_PROJECT__TEST", "", "project.test", ""),
        ("TREADLE_AGENT__THINKING", "1024", "agent.thinking", 1024),
        ("TREADLE_LIMITS__MAX_MINUTES", " 0.5 ", "limits.max_minutes", 0.5),
        ("TREADLE_PERMISSIONS__ALLOW", '["Bash(a, b)"]', "permissions.allow", ("Bash(a, b)",)),
        ("TREADLE_MCP_SERVERS", "{}", "mcp_servers", {}),
    ],
)
def test_every_key_has_a_variable(variable: str, text: str, key: str, value: object) -> None:
    resolved = resolve_settings(None, environment={variable: text})

    assert changed(resolved) == {key: (value, variable)}


@pytest.mark.parametrize(
    "environment",
    [
        {"TREADLE_ROOT": "/x", "TREADLE_VERSION": "9", "TREADLE_SOMETHING": "1"},
        {
            "TREADLE_LIMITS__MAX_MINUTES": "",
            "LAND": "never",
            "TREADLE_NO_SANDBOX": "1",
            "TREADLE_SESSION": "x",
        },
    ],
)
def test_variables_that_are_empty_or_of_others_change_nothing(environment: dict[str, str]) -> None:
    assert changed(resolve_settings(None, environment=environment)) == {}


@pytest.mark.parametrize(
    ("variable", "text", "message", "hint"),
    [
        (
            "TREADLE_LIMITS__MAX_COST_USD",
            "ten",
            'TREADLE_LIMITS__MAX_COST_USD: expected a number, got "ten"',
            "Maximum cost of a run in US dollars. The default is 20.0.",
        ),
        (
            "TREADLE_LIMITS__MAX_COST_USD",
            "0",
            'TREADLE_LIMITS__MAX_COST_USD: expected a number above 0, got "0"',
            "Maximum cost of a run in US dollars. The default is 20.0.",
        ),
        (
            "TREADLE_LIMITS_MAX_COST_USD",  # one underscore short
            "5",
            "TREADLE_LIMITS_MAX_COST_USD: unknown setting in the environment",
            "did you mean TREADLE_LIMITS__MAX_COST_USD?",
        ),
        (
            "TREADLE_FLEET__SIZE",
            "5",
            "TREADLE_FLEET__SIZE: unknown setting in the environment",
            "`treadle config show` lists all settings",
        ),
        (
            "TREADLE_QUOTA__WAIT",
            "maybe",
            'TREADLE_QUOTA__WAIT: expected true or false, got "maybe"',
            "Wait until the quota resets instead of ending the run. The default is false.",
        ),
        (
            "TREADLE_MCP_SERVERS",
            "sk-secret",
            "TREADLE_MCP_SERVERS: expected a table for each, got something else",
            "MCP servers for the agent, one table each. An empty table: none. "
            "For example: [mcp_servers.browser]",
        ),
    ],
)
def test_a_wrong_variable_is_refused_by_its_name(
    variable: str, text: str, message: str, hint: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        resolve_settings(None, environment={variable: text})

    assert (caught.value.message, caught.value.hint) == (message, hint)
