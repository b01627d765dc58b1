"""Settings come from defaults, file, environment and flags, the later winning; wrong ones are
refused with their place and the way to put them right."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from treadle.domain.errors import SettingsError
from treadle.settings.definitions import Settings
from treadle.settings.limit_definitions import LimitSettings
from treadle.settings.load import ResolvedSettings, load_settings, resolve_settings
from treadle.settings.origin import DEFAULT, FLAG, ValueOrigin

INSIDE = "expected a path inside the project, written without .."


def changed(resolved: ResolvedSettings) -> dict[str, tuple[Any, str]]:
    """The keys that something other than the defaults has set."""
    return {
        name: (resolved.value(name), str(origin))
        for name, origin in resolved.origins.items()
        if origin != DEFAULT
    }


def complaint(
    text: str | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
) -> tuple[str, str]:
    with pytest.raises(SettingsError) as caught:
        resolve_settings(text, environment=environment, flags=flags)
    return caught.value.message, caught.value.hint


def test_a_project_without_a_file_has_the_defaults(tmp_path: Path) -> None:
    resolved = load_settings(tmp_path)

    assert resolved.settings == Settings()
    assert set(resolved.origins.values()) == {DEFAULT}


def test_an_empty_file_changes_nothing() -> None:
    assert resolve_settings("").settings == Settings()


@pytest.mark.parametrize(
    ("environment", "flags", "value", "origin"),
    [
        ({}, {}, 5.0, ValueOrigin("file", "treadle.toml:2")),
        (
            {"TREADLE_LIMITS__MAX_COST_USD": "6"},
            {},
            6.0,
            ValueOrigin("environment", "TREADLE_LIMITS__MAX_COST_USD"),
        ),
        ({"TREADLE_LIMITS__MAX_COST_USD": "6"}, {"limits.max_cost_usd": 7}, 7.0, FLAG),
        (
            {},
            {"limits.max_cost_usd": None},
            5.0,
            ValueOrigin("file", "treadle.toml:2"),
        ),  # not given
    ],
)
def test_the_later_source_wins(
    tmp_path: Path,
    environment: dict[str, str],
    flags: dict[str, object],
    value: float,
    origin: ValueOrigin,
) -> None:
    (tmp_path / "treadle.toml").write_text("[limits]\nmax_cost_usd = 5\n")

    resolved = load_settings(tmp_path, environment=environment, flags=flags)

    assert resolved.settings == Settings(limits=LimitSettings(max_cost_usd=value))
    assert resolved.origins["limits.max_cost_usd"] == origin


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('land = "never"', {"land": ("never", "treadle.toml:1")}),
        ("limits.max_retries = 0", {"limits.max_retries": (0, "treadle.toml:1")}),
        ("limits = { max_retries = 0 }", {"limits.max_retries": (0, "treadle.toml:1")}),
        ('["limits"]\n"max_retries" = 0', {"limits.max_retries": (0, "treadle.toml:2")}),
        ("[limits]\nmax_minutes = 1", {"limits.max_minutes": (1.0, "treadle.toml:2")}),
        (
            'allowed_tools = [\n  "a",\n  "b",\n]\n[quota]\nwait = true',
            {
                "allowed_tools": (("a", "b"), "treadle.toml:1"),
                "quota.wait": (True, "treadle.toml:6"),
            },
        ),
        ("[mcp_servers]", {"mcp_servers": ({}, "treadle.toml:1")}),
        ("mcp_servers = {}", {"mcp_servers": ({}, "treadle.toml:1")}),
        (
            '\n[mcp_servers.x]\ncommand = "y"',
            {"mcp_servers": ({"x": {"command": "y"}}, "treadle.toml:2")},
        ),
    ],
)
def test_a_file_may_be_written_in_every_way_that_toml_allows(
    text: str, found: dict[str, tuple[Any, str]]
) -> None:
    assert changed(resolve_settings(text)) == found


def test_absent_servers_are_not_the_same_as_none_at_all() -> None:
    assert resolve_settings("").settings.mcp_servers is None
    assert resolve_settings("[mcp_servers]").settings.mcp_servers == {}


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            '\n\n\n\n\n[limits]\nmax_cost_usd = "ten"',
            'treadle.toml:7: limits.max_cost_usd: expected a number, got "ten"',
            "Maximum cost of a run in US dollars. The default is 20.0.",
        ),
        (
            "[limits]\nmax_cost = 5",
            "treadle.toml:2: limits.max_cost: unknown key",
            "did you mean limits.max_cost_usd?",
        ),
        (
            "[triggers]\nheartbeat_enabled = true\n",
            "treadle.toml:1: triggers: reserved for a later version",
            "remove [triggers]: this version has no such settings",
        ),
        ("[limitsx]\n", "treadle.toml:1: limitsx: unknown section", "did you mean limits?"),
        (
            "allowedTools = []",
            "treadle.toml:1: allowedTools: unknown key",
            "did you mean allowed_tools?",
        ),
        (
            "idle_s = 5",
            "treadle.toml:1: idle_s: unknown key",
            "did you mean session.idle_s?",
        ),
        (
            "[quota]\nzzz = 1",
            "treadle.toml:2: quota.zzz: unknown key",
            "[quota] has the keys wait, margin_s",
        ),
        (
            '"limits.max_retries" = 1',
            'treadle.toml:1: "limits.max_retries": the quotes make this one name with a dot in it',
            "write limits.max_retries without quotes",
        ),
        (
            "limits = 5",
            "treadle.toml:1: limits: expected a table, got 5",
            "write [limits] on a line of its own and its keys below",
        ),
        (
            "# land = 1\nversion = 2\nsomething_new = 3",
            "treadle.toml:2: version: written by a newer Treadle (format 2, this one reads 1)",
            "update Treadle",
        ),
        (
            'land = "auto"\nland = "ask"',
            "treadle.toml:2: is not valid TOML: Cannot overwrite a value",
            'put texts in quotes and write each key once, as in: land = "auto"',
        ),
        (
            'mcp_servers.x = "sk-secret"',
            "treadle.toml:1: mcp_servers: expected a table for each, got something else",
            "MCP servers for the agent, one table each. An empty table: none. "
            "For example: [mcp_servers.browser]",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_line_and_the_way_out(
    text: str, message: str, hint: str
) -> None:
    assert complaint(text) == (message, hint)


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("land", '"yes"', 'expected "auto" or "ask" or "never" or "pull_request", got "yes"'),
        ("land", "true", 'expected "auto" or "ask" or "never" or "pull_request", got true'),
        ("commit", "1", "expected true or false, got 1"),
        ("allowed_tools", '"Bash"', 'expected a list of strings, got "Bash"'),
        ("allowed_tools", '["a", 1]', 'expected a list of strings, got ["a", 1]'),
        ("version", "0", "expected a whole number above 0, got 0"),
        ("project.test", "[]", "expected a string, got []"),
        ("project.spec", '""', f'{INSIDE}, got ""'),
        ("project.spec", '"/a"', f'{INSIDE}, got "/a"'),
        ("project.specs", '"a/../../b"', f'{INSIDE}, got "a/../../b"'),
        ("project.specs", '".git/x"', f'{INSIDE}, got ".git/x"'),
        ("agent.model", '" "', 'expected a string that is not empty, got " "'),
        ("agent.max_turns", "1.5", "expected a whole number, got 1.5"),
        ("agent.max_turns", "true", "expected a whole number, got true"),
        ("agent.max_turns", "0", "expected a whole number above 0, got 0"),
        ("agent.thinking", "-1", "expected a whole number of at least 0, got -1"),
        ("limits.max_cost_usd", "0", "expected a number above 0, got 0"),
        ("limits.max_cost_usd", "inf", "expected a number of at most 1000000, got inf"),
        ("limits.max_cost_usd", "nan", "expected a number, got nan"),
        ("limits.max_minutes", "1e300", "expected a number of at most 1000000, got 1e+300"),
        ("limits.max_iterations", "-5", "expected a whole number above 0, got -5"),
        ("limits.max_retries", "-1", "expected a whole number of at least 0, got -1"),
        ("deliver.delay_s", "-0.1", "expected a number of at least 0, got -0.1"),
        ("project.specs", "1979-05-27", "expected a string, got 1979-05-27"),
        ("session.idle_s", "{ a = 1 }", "expected a number, got a table"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(key: str, value: str, reason: str) -> None:
    assert complaint(f"{key} = {value}")[0] == f"treadle.toml:1: {key}: {reason}"


@pytest.mark.parametrize(
    "key",
    [
        "agent.max_turns",
        "limits.max_cost_usd",
        "limits.max_minutes",
        "limits.max_iterations",
        "limits.day_cost_usd",
        "limits.stuck_rounds",
        "limits.stuck_repeats",
        "session.max_cost_usd",
        "session.max_minutes",
        "session.first_byte_s",
        "session.idle_s",
        "session.tool_minutes",
    ],
)
@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan", "false", "9999999999"])
def test_no_value_switches_a_ceiling_off(key: str, value: str) -> None:
    assert complaint(f"{key} = {value}")[0].startswith(f"treadle.toml:1: {key}: expected ")


@pytest.mark.parametrize(
    "text", ["a = [\n1,\n", "a", "a = ", '[limits\nx = "', "x = " + "9" * 5000]
)
def test_broken_toml_is_refused_with_a_line(text: str) -> None:
    message, hint = complaint(text)

    assert message.startswith("treadle.toml:")
    assert ": is not valid TOML: " in message
    assert hint


def test_a_bottomless_file_is_refused() -> None:
    assert complaint("a = " + "[" * 20_000)[0] == "treadle.toml: is nested too deeply"


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "treadle.toml").write_bytes(b"\xef\xbb\xbfcommit = false\r\n")

    assert changed(load_settings(tmp_path)) == {"commit": (False, "treadle.toml:1")}


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "treadle.toml").write_bytes(b"a = '\xff'")

    with pytest.raises(SettingsError, match=r"^treadle.toml: is not UTF-8 text \(byte 5\)$"):
        load_settings(tmp_path)


def test_a_directory_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "treadle.toml").mkdir()

    with pytest.raises(SettingsError, match=r"^treadle.toml: cannot be read: Is a directory$"):
        load_settings(tmp_path)


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    # A link to itself: unreadable for everybody, root included.
    (tmp_path / "treadle.toml").symlink_to("treadle.toml")

    with pytest.raises(SettingsError, match=r"^treadle.toml: cannot be read: "):
        load_settings(tmp_path)


def test_a_wrong_flag_is_refused_by_its_key() -> None:
    assert complaint(flags={"limits.max_cost_usd": -1.0}) == (
        "limits.max_cost_usd on the command line: expected a number above 0, got -1.0",
        "Maximum cost of a run in US dollars. The default is 20.0.",
    )


def test_settings_do_not_show_the_secrets_of_servers() -> None:
    settings = resolve_settings('[mcp_servers.x.env]\nTOKEN = "sk-secret"').settings

    assert "sk-secret" not in repr(settings)
