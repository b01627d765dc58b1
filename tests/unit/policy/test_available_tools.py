"""The user's settings widen the baseline; of servers they may also take away."""

from collections.abc import Mapping
from typing import Any

import pytest

from treadle.policy.available_tools import BASELINE_TOOLS, Toolset, merge_servers, merge_tools
from treadle.policy.permission_rules import PermissionRule

BROWSER: dict[str, Any] = {"command": "playwright"}
OWN_BROWSER: dict[str, Any] = {"command": "my-playwright"}
CUSTOM: dict[str, Any] = {"command": "npx", "args": ["custom-mcp-server"]}
BUILT_IN = {"playwright": BROWSER}


@pytest.mark.parametrize(
    ("user", "merged"),
    [
        (None, {"playwright": BROWSER}),
        ({}, {}),
        ({"playwright": OWN_BROWSER}, {"playwright": OWN_BROWSER}),
        ({"custom": CUSTOM}, {"playwright": BROWSER, "custom": CUSTOM}),
        (
            {"custom": CUSTOM, "playwright": OWN_BROWSER},
            {"playwright": OWN_BROWSER, "custom": CUSTOM},
        ),
    ],
)
def test_servers_follow_the_users_priority(
    user: Mapping[str, Mapping[str, Any]] | None, merged: dict[str, Any]
) -> None:
    assert merge_servers(BUILT_IN, user) == merged
    assert BUILT_IN == {"playwright": BROWSER}


RULE = PermissionRule("WebFetch", "https://api.example.com/*")


@pytest.mark.parametrize(
    ("allowed", "rules", "servers", "merged"),
    [
        ([], [], {}, Toolset(frozenset(BASELINE_TOOLS))),
        (
            ["Task", "WebSearch"],
            [],
            {},
            Toolset(frozenset({*BASELINE_TOOLS, "Task", "WebSearch"})),
        ),
        (["Bash"], [], {}, Toolset(frozenset(BASELINE_TOOLS))),
        ([], [RULE], {}, Toolset(frozenset(BASELINE_TOOLS), (RULE,))),
        (
            [],
            [],
            {"custom": CUSTOM},
            Toolset(frozenset(BASELINE_TOOLS), (), frozenset({"treadle", "custom"})),
        ),
    ],
)
def test_tools_and_rules_are_added_to_the_baseline_and_never_taken_away(
    allowed: list[str], rules: list[PermissionRule], servers: dict[str, Any], merged: Toolset
) -> None:
    assert merge_tools(allowed, rules, servers) == merged


def test_the_list_has_every_tool_that_the_agent_may_use_at_least_in_part() -> None:
    toolset = merge_tools(
        ["Task", "mcp__custom__look"], [RULE, PermissionRule("Bash", "npm *")], {}
    )

    assert toolset.builtin == (
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "NotebookEdit",
        "Read",
        "Task",
        "TaskStop",
        "TodoWrite",
        "WebFetch",
        "Write",
    )
