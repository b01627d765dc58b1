"""One tool use, one decision: tools, commands, sub-agents and rules, as tables."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.policy.decision_tables import (
    BASELINE,
    BY_RULE,
    READ,
    decision_on,
)
from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.policy.file_tools import OUTSIDE_READ, OUTSIDE_WRITE
from treadle.policy.permission_rules import PermissionRule


@pytest.mark.parametrize(
    ("name", "given", "answer"),
    [
        ("Bash", {"command": "make test"}, Allow("make test in /srv/clone to run", "shell")),
        ("TodoWrite", {"todos": []}, Allow(rule="tool")),
        ("TaskStop", {"task_id": "b1"}, Allow(rule="tool")),
        ("KillShell", {"shell_id": "b1"}, Allow(rule="tool")),
        ("BashOutput", {"bash_id": "b1"}, Allow(rule="tool")),
        ("WebFetch", {"url": "https://example.com"}, "WebFetch"),
        ("Task", {"prompt": "x"}, "Task"),
        ("KillEverything", {}, "KillEverything"),
    ],
)
def test_a_tool_outside_the_toolset_is_refused_with_those_that_are_there(
    name: str, given: dict[str, Any], answer: Allow | str
) -> None:
    wanted = (
        Deny(f"The tool {answer} is not available here. Use one of: {BASELINE}.", "tool-unknown")
        if isinstance(answer, str)
        else answer
    )

    assert decision_on(name, given) == wanted


@pytest.mark.parametrize("name", ["Task", "Agent"])
@pytest.mark.parametrize("allowed", ["Task", "Agent"])
def test_a_sub_agent_is_the_same_by_both_its_names_and_works_where_its_parent_does(
    name: str, allowed: str
) -> None:
    given = {"prompt": "look", "subagent_type": "general-purpose"}
    elsewhere = Deny(
        "Sub-agents work in your own workspace. Start it without `isolation`.", "tool-isolation"
    )

    assert decision_on(name, given, allowed=(allowed,)) == Allow(rule="tool")
    isolated = {**given, "isolation": "worktree"}
    assert decision_on(name, isolated, allowed=(allowed,)) == elsewhere


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        (
            {"command": "ls", "dangerouslyDisableSandbox": True},
            Deny(
                "Nothing runs outside the sandbox. Run it again without that option.",
                "shell-unsandboxed",
            ),
        ),
        (
            {"command": "ls", "dangerouslyDisableSandbox": "yes"},
            Deny(
                "Nothing runs outside the sandbox. Run it again without that option.",
                "shell-unsandboxed",
            ),
        ),
        (
            {"command": "ls", "dangerouslyDisableSandbox": False},
            Allow("ls in /srv/clone/src to run", "shell"),
        ),
        ({}, Deny("There is no command in this use of Bash.", "shell-no-command")),
        ({"command": 5}, Deny("There is no command in this use of Bash.", "shell-no-command")),
        (
            {"command": "true; deploy"},
            Ask("true; deploy in /srv/clone/src to run", "true; deploy", "shell.asked"),
        ),
        (
            {"command": "deploy", "run_in_background": True},
            Ask("deploy in /srv/clone/src to run", "deploy &", "shell.asked"),
        ),
    ],
)
def test_a_command_is_judged_as_a_whole_where_the_shell_is(
    given: dict[str, Any], answer: PolicyDecision
) -> None:
    assert decision_on("Bash", given, directory="/srv/clone/src") == answer


@pytest.mark.parametrize(
    ("rule", "name", "given", "answer"),
    [
        (PermissionRule("Read", "/data/**"), "Read", {"file_path": "/data/a/b.csv"}, BY_RULE),
        (
            PermissionRule("Read", "/data/**"),
            "Read",
            {"file_path": "/data/../etc/passwd"},
            OUTSIDE_READ,
        ),
        (PermissionRule("Read", "/data/**"), "Read", {"file_path": "/database"}, OUTSIDE_READ),
        (PermissionRule("Read", "/data/**"), "Read", {"file_path": "src/a.py"}, READ),
        (PermissionRule("Read", "/data/**"), "Grep", {"path": "/data/a"}, OUTSIDE_READ),
        (PermissionRule("Read", "./**"), "Read", {"file_path": "out/passwd"}, OUTSIDE_READ),
        (
            PermissionRule("Glob", "/data/**"),
            "Glob",
            {"path": "/data", "pattern": "*.csv"},
            BY_RULE,
        ),
        (
            PermissionRule("Glob", "/data/**"),
            "Glob",
            {"path": "/data", "pattern": "../etc/*"},
            OUTSIDE_READ,
        ),
        (
            PermissionRule("WebFetch", "https://a.example/*"),
            "WebFetch",
            {"url": "https://a.example/x"},
            Allow(rule="tool"),
        ),
        (PermissionRule("WebSearch"), "WebSearch", {"query": "how to knit"}, Allow(rule="tool")),
        (PermissionRule("Write", "/data/**"), "Write", {"file_path": "/data/a"}, OUTSIDE_WRITE),
        (
            PermissionRule("Bash", "**"),
            "Bash",
            {"command": "make"},
            Allow("make in /srv/clone to run", "shell"),
        ),
    ],
)
def test_a_rule_adds_what_it_covers_and_never_a_place_to_write(
    rule: PermissionRule, name: str, given: dict[str, Any], answer: PolicyDecision
) -> None:
    assert decision_on(name, given, rule) == answer


def test_a_tool_allowed_in_part_is_not_there_for_the_rest() -> None:
    found = decision_on(
        "WebFetch",
        {"url": "https://b.example/x"},
        PermissionRule("WebFetch", "https://a.example/*"),
    )

    refusal = f"The tool WebFetch is not available here. Use one of: {BASELINE}."
    assert found == Deny(refusal, "tool-unknown")


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["file_path", "path", "pattern", "x"]), st.text() | st.integers()
    )
)
def test_arguments_of_any_shape_get_a_decision(given_input: dict[str, Any]) -> None:
    for tool in ("Read", "Glob", "Grep", "Write", "Bash", "mcp__x"):
        assert isinstance(decision_on(tool, given_input), Allow | Ask | Deny)
