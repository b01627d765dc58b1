"""Every key of a TOML text is found on its line, and nothing that only looks like a key."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.settings.keys import toml_value
from treadle.settings.toml_lines import KeyLine, KeyPath, find_key_lines

PathLines = list[tuple[KeyPath, int]]


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
def test_keys_are_found_with_their_lines(text: str, found: PathLines) -> None:
    tomllib.loads(text)

    assert [(each.path, each.line) for each in find_key_lines(text) if each.has_value] == found


def test_headers_are_found_with_their_lines() -> None:
    assert find_key_lines("[a]\nb = '[c]'\n  [[d.e]]\n") == (
        KeyLine(("a",), 1, has_value=False),
        KeyLine(("a", "b"), 2, has_value=True),
        KeyLine(("d", "e"), 3, has_value=False),
    )


def test_a_key_behind_a_value_of_several_lines_has_its_own_line() -> None:
    assert find_key_lines("a = { b = [\n1,\n], c = 2 }\n") == (
        KeyLine(("a",), 1, has_value=True),
        KeyLine(("a", "b"), 1, has_value=True),
        KeyLine(("a", "c"), 3, has_value=True),
    )


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
def test_every_key_of_any_table_is_found_in_order(table: dict[str, Any]) -> None:
    lines = [f"{toml_value(name)} = {toml_value(value)}" for name, value in table.items()]
    text = "\n".join(lines)

    assert tomllib.loads(text) == table
    assert find_key_lines(text) == tuple(
        KeyLine(path, line, has_value=True)
        for line, name in enumerate(table, start=1)
        for path in walk({name: table[name]}, ())
    )


def walk(table: dict[str, Any], above: KeyPath) -> list[KeyPath]:
    found: list[KeyPath] = []
    for name, value in table.items():
        found.append((*above, name))
        if isinstance(value, dict):
            found += walk(value, (*above, name))
    return found
