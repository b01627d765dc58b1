"""Uses that a person decides about: by the user's own rules, and by what is written."""

from typing import Any

import pytest

from tests.unit.policy.decision_tables import (
    decision_on,
)
from treadle.domain.agent import Allow, Ask
from treadle.policy.file_tools import OUTSIDE_WRITE
from treadle.policy.permission_rules import split_ask_before


@pytest.mark.parametrize(
    ("name", "given", "asked"),
    [
        ("Write", {"file_path": "db/1.sql", "content": "x"}, "Write"),
        ("Edit", {"file_path": "src/../db/1.sql", "new_string": "x"}, "Write"),
        ("Write", {"file_path": "dbs/1.sql", "content": "x"}, None),
        ("Read", {"file_path": "db/1.sql"}, None),
        ("mcp__shop__buy", {"what": "it"}, "mcp__shop__*"),
        ("mcp__files__buy", {"what": "it"}, None),
        ("WebFetch", {"url": "https://a.example/pay"}, "WebFetch"),
        ("WebFetch", {"url": "https://a.example/"}, None),
        ("mcp__treadle__signal", {}, None),
    ],
)
def test_the_user_can_have_a_person_asked_before_any_tool(
    name: str, given: dict[str, Any], asked: str | None
) -> None:
    texts = ("Write(db/**)", "mcp__shop__*", "WebFetch(*pay*)", "mcp__treadle__*", "make ship")
    commands, rules = split_ask_before(texts)
    assert commands == ("make ship",)

    found = decision_on(
        name, given, allowed=("WebFetch",), servers=("shop", "files"), ask_before=rules
    )

    if asked is None:
        assert isinstance(found, Allow)
    else:
        told = "\n".join([name, *(f"{key}: {value}" for key, value in sorted(given.items()))])
        reason = f"Your settings require approval for this use of {asked}."
        assert found == Ask(reason, told, "gate-by-settings")


def test_what_is_denied_is_not_asked_about() -> None:
    _, rules = split_ask_before(("Write(**)",))

    assert decision_on("Write", {"file_path": "/etc/x"}, ask_before=rules) == OUTSIDE_WRITE


@pytest.mark.parametrize(
    ("name", "text"), [("Write", "content"), ("Edit", "new_string"), ("NotebookEdit", "new_source")]
)
def test_a_text_that_other_machines_execute_needs_approval(name: str, text: str) -> None:
    path = "notebook_path" if name == "NotebookEdit" else "file_path"
    given = {path: ".github/workflows/x.yml", text: "- run: npm publish"}

    assert decision_on(name, given) == Ask(
        "This file makes other machines deploy, publish or delete something.",
        f"{name} .github/workflows/x.yml\n- run: npm publish",
        "gate-pipeline",
    )
