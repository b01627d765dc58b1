"""The published schema takes the files that Treadle takes, and refuses those that it refuses."""

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from treadle.domain.errors import SettingsError
from treadle.settings.json_schema import schema, schema_text
from treadle.settings.keys import EXAMPLES, known_keys
from treadle.settings.load import resolve_settings
from treadle.settings.template import render_template

GOOD = [
    "[verify]\nrequire = 'proven'",
    "[verify]\nrequire = 'self-tested'",
    "",
    render_template({"land": "ask", "project.test": "make test", "limits.max_cost_usd": 5.0}),
    "version = 1\ncommit = false\nallowed_tools = ['a']\n[permissions]\nallow = ['b']",
    "[limits]\nmax_cost_usd = 1\nmax_retries = 0\n[deliver]\ndelay_s = 0",
    "[project]\nspec = 'docs/SPEC.md'\nspecs = '.notes/a..b'",
    "[mcp_servers]",
    "[prices.gpt-9]\ninput = 1\noutput = 2.5",
    "[prices.gpt-9]\ninput = 1\noutput = 2\ncache_write = 0\ncache_read = 0\ncache_write_1h = 3",
    "[mcp_servers.x]\ncommand = 'y'\nargs = ['z']\nenv = { A = 'b' }",
]
BAD = [
    "[verify]\nrequire = 'claimed'",
    "[verify]\nrequire = true",
    "lnd = 'auto'",
    "land = 'maybe'",
    "version = 2",
    "version = '1'",
    "commit = 1",
    "commit = 'yes'",
    "allowed_tools = [1]",
    "[limits]\nmax_cost = 1",
    "[limits]\nmax_cost_usd = 0",
    "[limits]\nmax_cost_usd = 'ten'",
    "[limits]\nmax_iterations = 1.5",
    "[limits]\nmax_minutes = 1e9",
    "[limits]\nmax_retries = -1",
    "[agent]\nmodel = ''",
    "[project]\nspecs = '../x'",
    "[project]\nspecs = '/x'",
    "[project]\nspecs = 'a/..'",
    "[project]\nspecs = '.git/config'",
    "[project]\nspec = ''",
    "limits = 5",
    "mcp_servers = 5",
    "prices = 5",
    "[prices]\ngpt-9 = 5",
    "[prices.gpt-9]\ninput = 1",
    "[prices.gpt-9]\ninput = 1\noutput = -1",
    "[prices.gpt-9]\ninput = 1\noutput = 'much'",
    "[prices.gpt-9]\ninput = 1\noutput = 1\nthinking = 1",
    "[mcp_servers]\nx = 'y'",
    "[land]",
]


def check(text: str) -> None:
    jsonschema.validate(tomllib.loads(text), schema())


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert json.loads(schema_text()) == schema()


@pytest.mark.parametrize("text", GOOD)
def test_a_good_file_is_taken_by_schema_and_loader(text: str) -> None:
    resolve_settings(text)
    check(text)


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_refused_by_schema_and_loader(text: str) -> None:
    with pytest.raises(SettingsError):
        resolve_settings(text)
    with pytest.raises(jsonschema.ValidationError):
        check(text)


@pytest.mark.parametrize("name", known_keys())
def test_every_key_is_described_with_its_default(name: str) -> None:
    key = known_keys()[name]

    found = property_of(name)

    assert (found["title"], found["description"]) == (name, key.help)
    if key.kind not in EXAMPLES:  # tables for each of something are absent
        assert found["default"] == (list(key.default) if key.kind == "list" else key.default)


def test_the_schema_names_no_path_of_this_machine() -> None:
    assert str(Path.home()) not in schema_text()


def property_of(name: str) -> dict[str, Any]:
    node: dict[str, Any] = schema()
    definitions = node["$defs"]
    for part in name.split("."):
        node = node["properties"][part]
        if "$ref" in node:
            node = definitions[node["$ref"].rpartition("/")[2]]
    return node
