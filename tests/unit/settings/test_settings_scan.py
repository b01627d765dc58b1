"""Every key of a TOML text is found where it stands, and nothing that only looks like one."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.settings.keys import toml_value
from treadle.settings.scan import Entry, Header, Places, scan

Paths = list[tuple[tuple[str, ...], int]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a = 1", [(("a",), 1)]),
        ("\n\na = 1\nb = 2\n", [(("a",), 3), (("b",), 4)]),
        ("a.b . c = 1", [(("a", "b", "c"), 1)]),
        ("[a.b]\nc = 1", [(("a", "b", "c"), 2)]),
        ("[ a . 'b' ]\nc = 1", [(("a", "b", "c"), 2)]),
        ("\"a b\".'c.d' = 1", [(("a b", "c.d"), 1)]),
        ('"\\u0061\\"" = 1', [(('a"',), 1)]),
        ("a = { b = 1, c.d = 2 }", [(("a",), 1), (("a", "b"), 1), (("a", "c", "d"), 1)]),
        ("a = [\n 1, # b = 2\n 2,\n]\nc = 1", [(("a",), 1), (("c",), 5)]),
        ("a = [ { b = 1 },\n { b = 2 } ]", [(("a",), 1), (("a", "b"), 1), (("a", "b"), 2)]),
        ("# a = 1\nb = 2 # c = 3", [(("b",), 2)]),
        ('a = """\nb = 1\n[c]\n"""\nd = 2', [(("a",), 1), (("d",), 5)]),
        ('a = """x\\""""\nb = 1', [(("a",), 1), (("b",), 2)]),
        ('a = """x"""""\nb = 1', [(("a",), 1), (("b",), 2)]),  # two quotes of its own at the end
        ("a = '''\nb = '1'\n'''''\nc = 2", [(("a",), 1), (("c",), 4)]),
        ("a = '# no comment'\nb = \"]\"", [(("a",), 1), (("b",), 2)]),
        ("a = 1979-05-27 07:32:00Z\nb = 1", [(("a",), 1), (("b",), 2)]),
        ("[[a]]\nb = 1\n[[a]]\nb = 2", [(("a", "b"), 2), (("a", "b"), 4)]),
        ("a = 1\r\n[b]\r\nc = 2\r\n", [(("a",), 1), (("b", "c"), 3)]),
        ("", []),
    ],
)
def test_keys_are_found_with_their_lines(text: str, found: Paths) -> None:
    tomllib.loads(text)

    assert [(entry.path, entry.line) for entry in scan(text).entries] == found


def test_a_value_is_found_from_its_first_to_its_last_character() -> None:
    text = 'a = "x" # why\n[b]\nc = { d = [1,\n2] }\n'

    found = [text[each.start : each.end] for each in scan(text).entries]

    assert found == ['"x"', "{ d = [1,\n2] }", "[1,\n2]"]


def test_headers_are_found_with_their_lines() -> None:
    places = scan("[a]\nb = '[c]'\n  [[d.e]]\n")

    assert places == Places(
        entries=[Entry(("a", "b"), 2, 8, 13, inline=False)],
        headers=[Header(("a",), 1, 0, 3), Header(("d", "e"), 3, 16, 23)],
    )


@pytest.mark.parametrize(
    "text", ["a", "a =", "= 1", "[a", "a = 1 ]", 'a = "x', "a = 'x", 'a = """x']
)
def test_a_text_that_is_not_toml_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not TOML at line 1"):
        scan(text)


names = st.text(max_size=6)
leaves = st.one_of(
    st.booleans(),
    st.integers(-9, 9**9),
    st.text(st.characters(codec="utf-8"), max_size=12),
    st.lists(st.text("ab#=[]{}\"'\n", max_size=5), max_size=3),
)
tables = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=6),
    st.recursive(leaves, lambda inner: st.dictionaries(names, inner, max_size=3), max_leaves=6),
    max_size=5,
)


@given(tables)
def test_any_table_is_found_whole(table: dict[str, Any]) -> None:
    text = "\n".join(f"{toml_value(name)} = {toml_value(value)}" for name, value in table.items())

    found = {entry.path: text[entry.start : entry.end] for entry in scan(text).entries}

    assert tomllib.loads(text) == table
    assert {path: tomllib.loads(f"v = {value}")["v"] for path, value in found.items()} == dict(
        walk(table, ())
    )


def walk(table: dict[str, Any], above: tuple[str, ...]) -> list[tuple[tuple[str, ...], Any]]:
    found: list[tuple[tuple[str, ...], Any]] = []
    for name, value in table.items():
        found.append(((*above, name), value))
        if isinstance(value, dict):
            found += walk(value, (*above, name))
    return found
