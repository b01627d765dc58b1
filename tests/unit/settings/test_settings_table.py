"""`config show` lists every setting with its origin, and shows no secret."""

from treadle.settings.keys import known_keys
from treadle.settings.load import resolve_settings
from treadle.settings.settings_table import SettingRow, format_row, format_table, setting_rows

TEXT = """
[mcp_servers.x]
type = "stdio"
command = "npx"
args = ["--token", "sk-secret"]
env = { TOKEN = "sk-secret", NESTED = { A = 1 } }
[mcp_servers.y]
url = "https://sk-secret@host"
headers = { Authorization = "sk-secret" }
"""


def test_every_key_has_a_row_in_the_order_of_the_file() -> None:
    assert [row.key for row in setting_rows(resolve_settings(None))] == list(known_keys())


def test_a_row_has_value_and_origin() -> None:
    resolved = resolve_settings(
        'land = "ask"',
        environment={"TREADLE_QUOTA__WAIT": "1"},
        flags={"limits.max_retries": 0},
    )

    assert {row for row in setting_rows(resolved) if row.origin != "default"} == {
        SettingRow("land", "ask", "treadle.toml:1"),
        SettingRow("quota.wait", value=True, origin="TREADLE_QUOTA__WAIT"),
        SettingRow("limits.max_retries", 0, "command line"),
    }


def test_a_limit_says_which_workflows_read_another_setting_in_its_place() -> None:
    rows = {row.key: row for row in setting_rows(resolve_settings(None))}
    row = rows["limits.max_minutes"]

    assert row.replaced == (("task", "execution.max_duration_minutes"),)
    assert format_table((row,)).endswith("  default; task: execution.max_duration_minutes")
    assert "`treadle task` takes execution.max_duration_minutes instead" in format_row(row)
    assert rows["limits.day_cost_usd"].replaced == ()


def test_of_a_tool_server_only_kind_and_command_are_shown() -> None:
    assert setting_rows(resolve_settings(TEXT))[-1] == SettingRow(
        "mcp_servers",
        {
            "x": {
                "type": "stdio",
                "command": "npx",
                "args": ["***", "***"],
                "env": {"TOKEN": "***", "NESTED": {"A": "***"}},
            },
            "y": {"url": "***", "headers": {"Authorization": "***"}},
        },
        "treadle.toml:2",
    )


def test_the_table_is_aligned() -> None:
    given = (SettingRow("a", "x", "default"), SettingRow("long.key", 1.5, "treadle.toml:3"))

    assert format_table(given) == 'a         "x"  default\nlong.key  1.5  treadle.toml:3'


def test_the_table_holds_no_secret() -> None:
    assert "sk-secret" not in format_table(setting_rows(resolve_settings(TEXT)))
