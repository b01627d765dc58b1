"""The file that `init` writes is short, and later changes leave its author's text alone."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.errors import SettingsError
from treadle.settings.definitions import Settings
from treadle.settings.edit import commented, update
from treadle.settings.keys import known_keys
from treadle.settings.load import resolve_settings
from treadle.settings.template import render_template

CHANGES: dict[str, Any] = {
    "land": "ask",
    "commit": False,
    "project.test": 'say "hi" \\ # no comment',
    "agent.thinking": 5,
    "limits.max_cost_usd": 2.5,
    "session.max_cost_usd": 1.5,
    "permissions.allow": ("Bash(a)", "Read(./**)"),
}


def test_the_first_line_names_the_schema() -> None:
    assert render_template({}).splitlines()[0] == "#:schema .treadle/treadle.schema.json"


def test_a_file_without_changes_sets_only_its_version() -> None:
    assert tomllib.loads(render_template({})).pop("version") == 1
    assert resolve_settings(render_template({})).settings == Settings()


def test_the_file_is_short_and_explains_each_key_that_it_shows() -> None:
    lines = render_template(CHANGES).splitlines()
    sections = ("project", "limits", "verify", "agent")
    keys = [key for key in known_keys().values() if key.section in sections]
    shown = [key for key in keys if commented(key) in render_template({}).splitlines()]

    assert len(lines) <= 40
    assert len(shown) > 5
    assert [key.name for key in shown if f"# {key.help}" not in lines] == []


def test_given_keys_are_set() -> None:
    text = render_template(CHANGES)

    assert {name: resolve_settings(text).value(name) for name in CHANGES} == CHANGES
    assert commented(known_keys()["project.test"]) not in text.splitlines()


def test_a_file_with_every_comment_removed_from_its_keys_means_the_same() -> None:
    lines = render_template({}).splitlines()
    shown = {commented(key) for key in known_keys().values()}
    text = "\n".join(line[2:] if line in shown else line for line in lines)

    assert resolve_settings(text).settings == Settings()
    assert len(tomllib.loads(text)["limits"]) == 3


def test_no_line_is_too_long_to_read() -> None:
    assert max(len(line) for line in render_template({}).splitlines()) <= 100


@pytest.mark.parametrize(
    ("text", "values", "result"),
    [
        ('land = "ask" # mine\n', {"land": "ask"}, 'land = "ask" # mine\n'),
        ("land = 'ask'\n", {"land": "ask"}, "land = 'ask'\n"),  # as its author quotes it
        ('land  =  "ask"  # mine\n', {"land": "never"}, 'land  =  "never"  # mine\n'),
        ("limits . max_retries=1", {"limits.max_retries": 2}, "limits . max_retries=2"),
        ("limits={max_retries=1}", {"limits.max_retries": 2}, "limits={max_retries=2}"),
        (
            "[limits]\nmax_cost_usd = 20\n",  # the number is the same, written without a point
            {"limits.max_cost_usd": 20.0},
            "[limits]\nmax_cost_usd = 20\n",
        ),
        (
            'allowed_tools = [\n  "a", # why\n]\ncommit = true\n',
            {"allowed_tools": ("b",)},
            'allowed_tools = ["b"]\ncommit = true\n',
        ),
        (
            '[project]\ntest = """\na\n"""\n# end\n',
            {"project.test": "b"},
            '[project]\ntest = "b"\n# end\n',
        ),
        ("", {"land": "auto"}, ""),  # a default needs no line
        ("", {"land": "ask"}, 'land = "ask"\n'),
        ("", {"limits.max_retries": 1}, "[limits]\nmax_retries = 1\n"),
        (
            "commit = true",
            {"limits.max_retries": 1},
            "commit = true\n\n[limits]\nmax_retries = 1\n",
        ),
        ("[limits]", {"limits.max_retries": 1}, "[limits]\nmax_retries = 1\n"),
        (
            "[limits]\nmax_minutes = 1 # x\n\n[quota]\n",
            {"limits.max_retries": 1},
            "[limits]\nmax_minutes = 1 # x\nmax_retries = 1\n\n[quota]\n",
        ),
        (
            "# mine\n[limits]\nmax_minutes = 1\n",
            {"land": "ask"},
            'land = "ask"\n# mine\n[limits]\nmax_minutes = 1\n',
        ),
        (
            "#:schema x.json\n\n[limits]\n",
            {"land": "ask"},
            '#:schema x.json\nland = "ask"\n\n[limits]\n',
        ),
        (
            "limits.max_minutes = 1\ncommit = true\n",
            {"limits.max_retries": 1},
            "limits.max_minutes = 1\nlimits.max_retries = 1\ncommit = true\n",
        ),
        (
            "limits = { max_minutes = 1 }\n",
            {"limits.max_retries": 1},
            "limits = { max_minutes = 1, max_retries = 1 }\n",
        ),
        ("limits = {}\n", {"limits.max_retries": 1}, "limits = { max_retries = 1 }\n"),
        (
            "[session]\n# max_cost_usd = 10.0\n[limits]\n# max_cost_usd = 20.0\n",
            {"limits.max_cost_usd": 5.0},
            "[session]\n# max_cost_usd = 10.0\n[limits]\nmax_cost_usd = 5.0\n",
        ),
        (
            "[limits]\n# max_retries = 3 was too many\n",  # a remark, not our line
            {"limits.max_retries": 1},
            "[limits]\nmax_retries = 1\n# max_retries = 3 was too many\n",
        ),
        (
            "[project]\ntest = '''\n# check = \"\"\n'''\n",  # part of a command, not our line
            {"project.check": "c"},
            "[project]\ntest = '''\n# check = \"\"\n'''\ncheck = \"c\"\n",
        ),
        (
            "commit = true\r\n[limits]\r\n# max_retries = 3\r\n",
            {"limits.max_retries": 1, "land": "ask"},
            'commit = true\r\nland = "ask"\r\n[limits]\r\nmax_retries = 1\r\n',
        ),
        (
            "[limits]\nmax_minutes = 1\n[mcp_servers.limits]\nmax_retries = 7\n",
            {"limits.max_retries": 1},
            "[limits]\nmax_minutes = 1\nmax_retries = 1\n[mcp_servers.limits]\nmax_retries = 7\n",
        ),
    ],
)
def test_a_change_touches_only_its_own_line(
    text: str, values: dict[str, object], result: str
) -> None:
    assert update(text, values) == result


def test_a_wrong_file_is_not_changed() -> None:
    with pytest.raises(SettingsError, match=r"^treadle.toml:1: lnd: unknown key$"):
        update('lnd = "ask"', {"land": "never"})


def test_a_change_that_cannot_be_read_back_as_meant_is_refused() -> None:
    text = "[mcp_servers.browser]\nwait = nan\n"  # not equal to itself

    with pytest.raises(SettingsError, match=r"land could not be changed without breaking the file"):
        update(text, {"land": "never"})


def test_a_comment_that_shows_a_default_is_replaced_in_its_indentation() -> None:
    text = "[limits]\n  max_minutes = 1\n  # max_retries = 3\n"

    assert update(text, {"limits.max_retries": 1}) == (
        "[limits]\n  max_minutes = 1\n  max_retries = 1\n"
    )


def test_a_file_without_a_last_newline_gets_none() -> None:
    assert update("[limits]\n[quota]", {"limits.max_retries": 1}) == (
        "[limits]\nmax_retries = 1\n[quota]"
    )


changes = st.fixed_dictionaries(
    {},
    optional={
        "land": st.sampled_from(["auto", "ask", "never"]),
        "commit": st.booleans(),
        "project.test": st.text(st.characters(codec="utf-8"), max_size=20),
        "project.setup": st.text("\"'\\#\n[]={} a", max_size=8),
        "limits.max_cost_usd": st.floats(0.01, 1000),
        "limits.max_iterations": st.integers(1, 1000),
    },
)


@given(changes, changes)
def test_what_is_written_is_read_back_and_written_again_byte_for_byte(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    text = update(render_template(first), second)

    wanted = {**first, **second}
    assert {name: resolve_settings(text).value(name) for name in wanted} == wanted
    assert update(text, wanted) == text
