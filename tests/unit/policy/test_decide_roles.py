"""What each role may use: files, commands, tools, servers."""

import pytest

from tests.unit.policy.decision_tables import (
    LOOKING,
    READ,
    WRITTEN,
    decision_on,
)
from treadle.domain.agent import Allow, Deny, PolicyDecision
from treadle.domain.signal import Role
from treadle.policy.permission_rules import PermissionRule

ROLES_AND_RIGHTS: list[tuple[Role, bool, bool]] = [
    # changes files and runs what it likes · looks at pages
    ("implementer", True, True),
    ("initializer", True, True),
    ("planner", False, False),
    ("manager", False, False),
    ("reviewer", False, True),
    ("auditor", False, True),
    ("verifier", False, True),
]


@pytest.mark.parametrize(("role", "builds", "browses"), ROLES_AND_RIGHTS)
def test_reviewing_roles_change_nothing(role: Role, builds: bool, browses: bool) -> None:
    refusal = Deny(
        f"In the role {role} you read and report; you do not change files.", "role-writes"
    )

    for tool in ("Write", "Edit", "NotebookEdit"):
        found = decision_on(tool, {"file_path": "a.py"}, PermissionRule(tool), role=role)
        assert found == (WRITTEN if builds else refusal)
    assert decision_on("Read", {"file_path": "a.py"}, role=role) == READ


@pytest.mark.parametrize(("role", "builds", "browses"), ROLES_AND_RIGHTS)
def test_roles_have_their_own_commands(role: Role, builds: bool, browses: bool) -> None:
    shell = "run" if builds else "read"
    said = Allow(f"ls in /srv/clone to {shell}", "shell")
    left_running = Deny(
        "In this role nothing is left running. Run it in the foreground.", "role-background"
    )

    assert decision_on("Bash", {"command": "ls"}, role=role) == said
    background = {"command": "ls", "run_in_background": True}
    assert decision_on("Bash", background, role=role) == (said if builds else left_running)


@pytest.mark.parametrize(("role", "builds", "browses"), ROLES_AND_RIGHTS)
def test_roles_have_their_own_servers_and_tools(role: Role, builds: bool, browses: bool) -> None:
    servers = ("playwright", "files")
    allowed = ("Skill", "WebSearch", "mcp__files__look")

    def unknown(server: str) -> Deny:
        refusal = f"There is no MCP server named {server!r} for this role in this project."
        return Deny(refusal, "mcp-unknown")

    found = [
        decision_on(name, {}, role=role, servers=servers, allowed=allowed)
        for name in (
            "mcp__treadle__signal",
            "mcp__playwright__click",
            "mcp__files__look",
            "Skill",
            "WebSearch",
        )
    ]
    no_skill = Deny(
        f"The tool Skill is not available here. Use one of: {LOOKING}, WebSearch.", "tool-unknown"
    )
    assert found == [
        Allow(rule="mcp-own"),
        Allow(rule="mcp") if browses else unknown("playwright"),
        Allow(rule="mcp") if builds else unknown("files"),
        Allow(rule="tool") if builds else no_skill,
        Allow(rule="tool"),
    ]


def test_a_server_may_get_any_text_that_is_not_a_path() -> None:
    given = {
        "url": "http://localhost:3000/.git/config",
        "text": "See .git/config\nfor more",
        "n": 5,
        "none": None,
    }

    assert decision_on("mcp__files__say", given, servers=("files",)) == Allow(rule="mcp")


def test_a_server_is_not_handed_more_than_can_be_looked_at() -> None:
    refusal = Deny("That is too much at once. Use the tool in several steps.", "mcp-too-much")

    def found(number: int) -> PolicyDecision:
        return decision_on("mcp__files__say", {"all": ["x"] * number}, servers=("files",))

    assert (found(2000), found(2001)) == (Allow(rule="mcp"), refusal)


def test_our_own_tools_take_any_text() -> None:
    given = {"text": ".treadle/status.json"}

    assert decision_on("mcp__treadle__signal", given) == Allow(rule="mcp-own")


@pytest.mark.parametrize(
    ("name", "server"),
    [
        ("mcp__treadle__create_deliverable", None),
        ("mcp__custom__look", None),
        ("mcp__my_server_io__look", None),
        ("mcp__two__parts__look", None),
        ("mcp__listed__exactly", None),
        ("mcp__listed__other", "listed"),
        ("mcp__stranger__look", "stranger"),
        ("mcp__customs__look", "customs"),
        ("mcp__custom", ""),
        ("mcp__", ""),
        ("mcp____look", ""),
    ],
)
def test_a_server_is_used_when_the_project_names_it_or_one_tool_of_it(
    name: str, server: str | None
) -> None:
    found = decision_on(
        name,
        {},
        allowed=("mcp__listed__exactly",),
        servers=("custom", "my server.io", "two__parts"),
    )

    refusal = Deny(
        f"There is no MCP server named {server!r} for this role in this project.", "mcp-unknown"
    )
    own = name.startswith("mcp__treadle__")
    leave = Allow(rule="mcp-own" if own else "mcp")
    assert found == (leave if server is None else refusal)
