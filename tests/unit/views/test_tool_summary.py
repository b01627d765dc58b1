"""A tool call is shown with its most useful argument."""

from typing import Any

import pytest

from treadle.views.tool_summary import main_argument, tool_title

AT = "/runs/one/clone"


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        ("Bash", {"description": "Run the tests", "command": "make test"}, "make test"),
        ("Bash", {"command": "cat <<EOF > a\nhello\nEOF"}, "cat <<EOF > a …"),
        ("Read", {"file_path": f"{AT}/src/calc.py", "limit": 10}, "src/calc.py"),
        ("Write", {"content": "x", "file_path": f"{AT}/a b.txt"}, "a b.txt"),
        ("Edit", {"file_path": "/etc/passwd", "old_string": "a"}, "/etc/passwd"),
        ("Read", {"file_path": f"{AT}-other/x"}, f"{AT}-other/x"),  # a neighbour, not inside
        ("Read", {"file_path": AT}, "."),
        ("NotebookEdit", {"notebook_path": f"{AT}/n.ipynb"}, "n.ipynb"),
        ("Grep", {"path": AT, "pattern": "def .*add"}, "def .*add"),
        ("Glob", {"pattern": "**/*.py"}, "**/*.py"),
        ("WebFetch", {"prompt": "read", "url": "https://example.com"}, "https://example.com"),
        ("Task", {"subagent_type": "x", "description": "Look around"}, "Look around"),
        ("TodoWrite", {"todos": [{"content": "A", "status": "in_progress"}]}, "A"),
        ("TodoWrite", {"todos": [{"content": "A", "status": "completed"}]}, "1 of 1 done"),
        ("TodoWrite", {"todos": "nonsense"}, "0 of 0 done"),
        ("mcp__treadle__create_deliverable", {"deliverables": [{"id": "A"}, {"id": "B"}]}, "A, B"),
        ("mcp__treadle__set_deliverable_status", {"id": "A", "status": "passed"}, "A passed"),
        ("mcp__browser__click", {"depth": 3, "where": {"element": "button"}}, "button"),
        ("Unheard", {"numbers": [1, 2], "text": "first text"}, "first text"),
        ("Unheard", {}, ""),
        ("Bash", {"command": 7}, ""),  # what a model sends need not fit the tool
        ("Bash", {"command": ""}, ""),
    ],
)
def test_the_most_useful_argument_is_chosen(
    name: str, arguments: dict[str, Any], shown: str
) -> None:
    assert main_argument(name, arguments, workspace=AT) == shown


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Bash", "Bash"),
        ("mcp__treadle__list_deliverables", "list_deliverables"),
        ("mcp__browser__click", "browser/click"),
        ("mcp__odd", "odd"),
    ],
)
def test_tools_of_servers_have_short_names(name: str, title: str) -> None:
    assert tool_title(name) == title
