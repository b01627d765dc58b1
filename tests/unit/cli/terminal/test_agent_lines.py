"""The result of a tool can be told from that of another tool, also if two run at once."""

import pytest

from tests.unit.cli.rendered_events import rendered_last
from treadle.cli.terminal.styled_lines import Verbosity
from treadle.domain.events.agent import ToolCalled, ToolDecided, ToolFinished
from treadle.domain.events.all_events import Event

TEST = ToolCalled("1", "Bash", {"command": "npm test"})
READ = ToolCalled("2", "Read", {"file_path": "tally.py"})
FAILED = ToolFinished("1", "Exit code 1\nFAILED", is_error=True)
NOT_FOUND = ToolFinished("2", "no such file", is_error=True)
DENIED = ToolDecided("1", "Bash", "deny", "not allowed here")


@pytest.mark.parametrize(
    ("events", "lines"),
    [
        ([TEST, FAILED], ["    ✘ Exit code 1", "    │ FAILED"]),
        ([TEST, READ, FAILED], ["    ✘ Bash npm test", "    │ Exit code 1", "    │ FAILED"]),
        ([TEST, READ, FAILED, NOT_FOUND], ["    ✘ no such file"]),
        ([TEST, READ, NOT_FOUND], ["    ✘ no such file"]),
        ([TEST, READ, NOT_FOUND, FAILED], ["    ✘ Bash npm test", "    │ Exit code 1",
                                           "    │ FAILED"]),
        ([TEST, READ, DENIED], ["    ✘ Bash npm test", "    │ denied: not allowed here"]),
        ([TEST, DENIED], ["    ✘ denied: not allowed here"]),
    ],
)  # fmt: skip
def test_a_result_names_its_tool_if_another_call_came_between(
    events: list[Event], lines: list[str]
) -> None:
    assert rendered_last(*events) == lines


def test_an_answer_names_its_tool_as_well_where_answers_are_shown() -> None:
    done = ToolFinished("1", "3 passed", is_error=False)

    assert rendered_last(TEST, done, level=Verbosity.VERBOSE) == ["    │ 3 passed"]
    assert rendered_last(TEST, READ, done, level=Verbosity.VERBOSE) == [
        "    Bash npm test",
        "    │ 3 passed",
    ]
