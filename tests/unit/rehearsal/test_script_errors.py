"""A script that cannot be played is refused, with the line to correct and what is wrong there."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.domain.errors import UsageError
from treadle.rehearsal.script import Script, load_script, parse_script


def refusal(read: Callable[[], Script]) -> str:
    with pytest.raises(UsageError) as caught:
        read()
    assert caught.value.hint
    return caught.value.message


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("", "1: the script is empty"),
        ("# only a comment\n", "1: the script is empty"),
        ("- 1", "1: the script must be a mapping of keys to values"),
        ("version: 1\nsessions: [\n", "3: not valid YAML: expected the node content, but found "),
        ("version: 1\n---\nversion: 1\n", "2: not valid YAML: but found another document"),
        ("version: 1\n\x07", "2: there is a character here that YAML does not allow"),
        ("[" * 5000, ": nested too deeply"),
        ("version: 1\n[a]: 2", "2: a key of the script must be plain text"),
        ("version: 1\nversion: 1", "2: key 'version' appears twice in the script"),
        ("sessions: []", "1: the script needs a version: write 'version: 1' first"),
        ("version: 2", "1: 'version' must be 1"),
        ("version: 1", "1: the script needs 'sessions'"),
        ("version: 1\nsesions: 1", "2: unknown key 'sesions' in the script; did you mean 'sess"),
        ("version: 1\nsessions: []", "2: 'sessions' must be a list with at least one entry"),
        ("version: 1\nsessions: a", "2: 'sessions' must be a list with at least one entry"),
        (
            "version: 1\nauth: key\nsessions: [1]",
            "2: 'auth' must be one of api_key, subscription; did you mean 'api_key'?",
        ),
    ],
)
def test_a_file_that_is_no_script_is_refused_with_its_line(script: str, message: str) -> None:
    said = refusal(lambda: parse_script(script, source="s.yaml"))

    separator = "" if message.startswith(":") else ":"
    assert said.startswith(f"s.yaml{separator}{message}")


@pytest.mark.parametrize(
    ("session", "message"),
    [
        ("text", "a session must be a mapping of keys to values"),
        ("{name: a}", "a session needs 'turns'"),
        ("{turns: []}", "'turns' must be a list with at least one entry"),
        (
            "{role: implementing, turns: [{text: a}]}",
            "'role' must be one of planner, implementer, ",
        ),
        ("{name: '', turns: [{text: a}]}", "'name' must not be empty"),
        ("{repeat: 0, turns: [{text: a}]}", "'repeat' must be a whole number, 1 or more"),
        ("{repeat: often, turns: [{text: a}]}", "'repeat' must be a whole number, 1 or more, or "),
        ("{turn: [{text: a}]}", "unknown key 'turn' in a session; did you mean 'turns'?"),
        ("{optional: 1, turns: [{text: a}]}", "'optional' must be true or false"),
        (
            "{turns: [{text: a, repeat: forever}, {text: b}]}",
            "this turn is never reached: the one before it repeats forever",
        ),
        (
            "{turns: [{text: a, optional: true}, {text: b}]}",
            "a turn after an optional one must be optional too",
        ),
        (
            "{repeat: forever, turns: [{text: a}]}\n- {role: planner, turns: [{text: b}]}",
            "this session is never reached: one before it repeats forever",
        ),
    ],
)
def test_a_session_that_cannot_be_played_is_refused(session: str, message: str) -> None:
    script = f"version: 1\nsessions:\n- {session}"
    line = script.count("\n") + 1

    assert refusal(lambda: parse_script(script, source="s.yaml")).startswith(
        f"s.yaml:{line}: {message}"
    )


NEEDS = "a turn needs an answer: text, tool, tools, content, thinking, text_of, event, or a fault:"


@pytest.mark.parametrize(
    ("turn", "message"),
    [
        ("Hello", "a turn must be a mapping, like {text: Hello}"),
        ("{}", NEEDS),
        ("{delay: 1}", NEEDS),
        ("{drop: middle}", NEEDS),
        ("{txet: a}", "unknown key 'txet' in a turn; did you mean 'text'?"),
        ("{weather: a}", "unknown key 'weather' in a turn"),
        ("{text: [a]}", "'text' must be text"),
        ("{text: null}", "'text' must be text"),
        ("{text: !!binary aGk=}", "'text' has the tag 'binary', which does not fit it"),
        ("{text: a, chunk: !!int x}", "'chunk' has the tag 'int', which does not fit it"),
        ("{text: a, chunk: 0}", "'chunk' must be a whole number, 1 or more"),
        ("{text: a, chunk: true}", "'chunk' must be a whole number, 1 or more"),
        ("{text: a, chunk: 1.5}", "'chunk' must be a whole number, 1 or more"),
        ("{text: a, delay: -1}", "'delay' must be a number of seconds, 0 or more"),
        ("{text: a, delay: soon}", "'delay' must be a number of seconds, 0 or more"),
        ("{text: a, delay_between: x}", "'delay_between' must be a number of seconds, 0 or more"),
        ("{text: a, model: ''}", "'model' must not be empty"),
        ("{text: a, stop_reason: end}", "'stop_reason' must be one of end_turn, tool_use, "),
        ("{text: a, expect: ''}", "'expect' must not be empty"),
        ("{text: a, expect: []}", "'expect' must be a list with at least one entry"),
        ("{text: a, repeat: true}", "'repeat' must be a whole number, 1 or more"),
        ("{text: a, usage: {in: 1}}", "unknown key 'in' in 'usage'; did you mean 'input'?"),
        ("{text: a, usage: {input: -1}}", "'input' must be a whole number, 0 or more"),
        ("{text: a, headers: {a b: c}}", "'a b' is not a header that HTTP can carry"),
        ("{text: a, headers: {a: 'b\\u2028c'}}".replace("'", '"'), "'a' is not a header that HTTP"),
        ("{text: a, headers: {Connection: c}}", "header 'Connection' is set by the server itself"),
        ("{text: a, quota_warning: {used: 2}}", "'used' must be a number from 0 to 1"),
        ("{text: a, quota_warning: {window: day}}", "'window' must be one of five_hour, seven_day"),
        ("{input: {}}", NEEDS),
        ("{text: a, input: {}}", "'input' needs a 'tool' beside it in a turn"),
        ("{tool: ''}", "'tool' must not be empty"),
        ("{tool: Bash, input: ls}", "a tool's input must be a mapping of keys to values"),
        ("{tool: {input: {}}}", "a tool needs a 'name'"),
        ("{tool: {name: a}, input: {}}", "this tool has its input already: write 'input' inside"),
        ("{tool: {naem: a}}", "unknown key 'naem' in a tool; did you mean 'name'?"),
        ("{tools: []}", "'tools' must be a list with at least one entry"),
        ("{tools: [{a: {}, b: {}}]}", "a tool is one name with its input, like {Write: "),
        ("{tools: [{a: 1}]}", "a tool's input must be a mapping of keys to values"),
        ("{tool: a, input: &x {y: *x}}", "a tool's input contains itself"),
        ("{tool: a, input: {b: 1, b: 2}}", "key 'b' appears twice in a tool's input"),
        ("{content: [{text: a}], text: b}", "'content' and 'text' cannot be in the same turn"),
        ("{content: []}", "'content' must be a list with at least one entry"),
        ("{content: [{}]}", "a content block needs exactly one of text, text_of, thinking, "),
        ("{content: [{text: a, thinking: b}]}", "a content block needs exactly one of text, "),
        ("{content: [{txt: a}]}", "unknown key 'txt' in a content block; did you mean 'text'?"),
        ("{event: {a: b}}", "an event needs a 'type'"),
        ("{event: a}", "'event' must be a mapping of keys to values"),
        ("{text_of: {line: 3}}", "'text_of' needs a 'size'"),
        ("{text_of: {size: 0}}", "'size' must be a whole number, from 1 to 50000000"),
        ("{error: 200}", "'error' must be a whole number, from 400 to 599"),
        ("{error: {type: a}}", "'error' needs a 'status'"),
        ("{error: 500, text: a}", "'error' and 'text' cannot be in the same turn"),
        ("{error: 500, headers: {a: b}}", "'error' and 'headers' cannot be in the same turn"),
        ("{error: 500, drop: before}", "'error' and 'drop' cannot be in the same turn"),
        ("{quota: {window: five_hour}}", "'quota' needs 'resets_in', the seconds until it is "),
        ("{quota: {resets_in: 1}, chunk: 1}", "'quota' and 'chunk' cannot be in the same turn"),
        ("{body: a, text: b}", "'body' and 'text' cannot be in the same turn"),
        ("{drop: after}", "'drop' must be one of before, middle"),
        ("{drop: before, text: a}", "'drop' and 'text' cannot be in the same turn"),
        ("{hang: true, text: a}", "'hang' and 'text' cannot be in the same turn"),
    ],
)
def test_a_turn_that_cannot_be_played_is_refused_with_its_line(turn: str, message: str) -> None:
    script = f"version: 1\nsessions:\n- turns:\n  - text: fine\n  - {turn}"

    assert refusal(lambda: parse_script(script, source="s.yaml")).startswith(f"s.yaml:5: {message}")


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    garbled = tmp_path / "garbled.yaml"
    garbled.write_bytes(b"version: \xff")

    assert refusal(lambda: load_script(tmp_path / "none.yaml")).endswith(
        "none.yaml: No such file or directory"
    )
    assert refusal(lambda: load_script(garbled)).endswith("garbled.yaml is not UTF-8 text")


def test_a_file_is_named_in_its_errors(tmp_path: Path) -> None:
    path = tmp_path / "tour.yaml"
    path.write_text("version: 3\n")

    assert refusal(lambda: load_script(path)) == "tour.yaml:1: 'version' must be 1"


@given(st.text())
def test_any_text_that_is_no_script_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(UsageError, match=r"^s\.yaml:"):
        parse_script(text, source="s.yaml")
