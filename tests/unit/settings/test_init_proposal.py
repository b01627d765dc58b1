"""`init` proposes what the file says, else what was detected, and writes only what changes."""

import pytest

from treadle.settings.init_proposal import (
    InitFiles,
    add_ignore_lines,
    changed_files,
    ignore_lines,
    propose_answers,
)
from treadle.settings.load import resolve_settings
from treadle.settings.template import render_template
from treadle.workspace.detect import DetectedCommands, DetectedProject

DETECTED = DetectedProject(specs="docs/specs")
COMMANDS = DetectedCommands(("go",), setup="get", check="vet", test="go test")
LINES = (".treadle/status.json", ".notes.md")
TITLE = "# Files that Treadle writes"


def test_a_new_project_gets_what_was_detected() -> None:
    assert propose_answers(resolve_settings(None), DETECTED, COMMANDS) == {
        "project.spec": "SPEC.md",
        "project.specs": "docs/specs",
        "project.setup": "get",
        "project.check": "vet",
        "project.test": "go test",
        "limits.max_cost_usd": 20.0,
        "limits.max_minutes": 480.0,
    }


def test_a_value_of_the_file_wins_over_detection() -> None:
    present = resolve_settings('commit = false\n[project]\ntest = "mine"\nsetup = ""')

    assert propose_answers(present, DETECTED, COMMANDS) == {
        "project.spec": "SPEC.md",
        "project.specs": "docs/specs",
        "project.setup": "",
        "project.check": "vet",
        "project.test": "mine",
        "limits.max_cost_usd": 20.0,
        "limits.max_minutes": 480.0,
    }


def test_a_new_project_gets_three_files() -> None:
    answers = {"project.test": "go test"}

    assert changed_files(
        InitFiles(None, None, None), answers, schema="{}", ignored=ignore_lines(".notes.md")
    ) == {
        "treadle.toml": render_template(answers),
        ".treadle/treadle.schema.json": "{}",
        ".gitignore": add_ignore_lines("", ignore_lines(".notes.md")),
    }


def test_the_same_answers_again_change_no_file() -> None:
    answers = {"project.test": "go test", "commit": False}
    first = changed_files(
        InitFiles(None, None, None), answers, schema="{}", ignored=ignore_lines(".notes.md")
    )
    found = InitFiles(
        first["treadle.toml"], first[".gitignore"], first[".treadle/treadle.schema.json"]
    )

    assert changed_files(found, answers, schema="{}", ignored=ignore_lines(".notes.md")) == {}


def test_another_answer_changes_the_settings_alone() -> None:
    found = InitFiles("# mine\ncommit = true\n", add_ignore_lines("", ignore_lines("n")), "{}")

    assert changed_files(found, {"commit": False}, schema="{}", ignored=ignore_lines("n")) == {
        "treadle.toml": "# mine\ncommit = false\n"
    }


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("", f"{TITLE}\n.treadle/status.json\n.notes.md\n"),
        ("a\n", f"a\n\n{TITLE}\n.treadle/status.json\n.notes.md\n"),
        ("a", f"a\n\n{TITLE}\n.treadle/status.json\n.notes.md\n"),
        ("a\r\n", f"a\r\n\r\n{TITLE}\r\n.treadle/status.json\r\n.notes.md\r\n"),
        (".notes.md\n", f".notes.md\n\n{TITLE}\n.treadle/status.json\n"),
        ("/.notes.md\n", f"/.notes.md\n\n{TITLE}\n.treadle/status.json\n"),
        ("#.notes.md\n.treadle/\n", f"#.notes.md\n.treadle/\n\n{TITLE}\n.notes.md\n"),
        (f"{TITLE}\n.notes.md\n", f"{TITLE}\n.notes.md\n\n.treadle/status.json\n"),
        ("**/.notes.md/\n", f"**/.notes.md/\n\n{TITLE}\n.treadle/status.json\n"),
        (" .notes.md \n.treadle/status.json", " .notes.md \n.treadle/status.json"),
    ],
)
def test_ignored_lines_are_added_once_behind_the_others(text: str, result: str) -> None:
    assert add_ignore_lines(text, LINES) == result
    assert add_ignore_lines(result, LINES) == result
