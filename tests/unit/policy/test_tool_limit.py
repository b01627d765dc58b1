"""`execution.allowed_tools`: a list beyond which an implementer has no tools."""

from functools import partial
from typing import Any

import pytest

from tests.unit.policy.decision_tables import READ, WORKSPACE, WRITTEN, real_path
from treadle.domain.agent import OWN_SERVER, Allow, Deny, PolicyDecision, ToolUse
from treadle.policy.available_tools import Toolset, merge_tools
from treadle.policy.command_limit import limit_commands
from treadle.policy.decide import DecisionContext, decide
from treadle.policy.shell.line_parser import parse_line
from treadle.policy.tool_limit import (
    InvalidEntry,
    ToolLimit,
    deny_beyond,
    limit_servers,
    limit_toolset,
    parse_limit,
)
from treadle.wiring.policy import system_lookups

SERVERS: dict[str, dict[str, Any]] = {"tickets": {}, "my browser": {}}
TOOLSET = merge_tools(("WebFetch",), (), SERVERS)
KNOWN = {*TOOLSET.names, "mcp__tickets", "mcp__my browser"}
SEED = ("Read", "Edit", "Write", "Glob", "Grep", "Bash(git *)", "Bash(tsc *)", "Bash(vitest *)")
RAN = Allow(rule="shell")
parse = partial(parse_line, shfmt=system_lookups().shfmt)


def limit_of(*entries: str) -> ToolLimit:
    limit = parse_limit(entries, KNOWN)
    assert isinstance(limit, ToolLimit)
    return limit


def decision(limit: ToolLimit, name: str, **given: Any) -> PolicyDecision:
    context = DecisionContext("implementer", WORKSPACE, limit_toolset(TOOLSET, limit), limit=limit)
    return decide(
        ToolUse("1", name, given, ""),
        context,
        real_path=real_path,
        decide_line=limit_commands(lambda line, allowed, directory: RAN, limit, parse),
    )


@pytest.mark.parametrize(
    "line",
    [
        "git status",
        "git",
        "cd web && git add -A && git commit -m 'Add a thing; rm it'",
        "vitest run | git hash-object --stdin",
        "CI=1 vitest run 2>&1",
        "timeout 60 vitest run > /dev/null",
        "for name in a b; do git add $name; done",
        "git log > notes.txt",
        "echo done",
    ],
)
def test_a_line_runs_if_every_command_in_it_is_on_the_list(line: str) -> None:
    assert decision(limit_of(*SEED), "Bash", command=line) == RAN


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("npm install", "The command `npm` in this form"),
        ("git status; curl example.com", "The command `curl` in this form"),
        ("git commit -m $(whoami)", "The command `whoami` in this form"),
        ("git status | tee out", "The command `tee` in this form"),
        ("sh -c 'git status'", "The command `sh` in this form"),
        ("env git status", "The command `env` in this form"),
        ("timeout -s KILL 5 git gc", "The command `timeout` in this form"),
        ("/tmp/git status", "The command `/tmp/git` in this form"),
        ("PATH=/tmp git status", "Setting PATH"),
        ("GIT_SSH_COMMAND=x git fetch", "Setting GIT_SSH_COMMAND"),
    ],
)
def test_a_command_beyond_the_list_refuses_its_line(line: str, what: str) -> None:
    limit = limit_of(*SEED)

    assert decision(limit, "Bash", command=line) == deny_beyond(what, limit)


@pytest.mark.parametrize(
    "line", ["$GIT status", "eval git status", "git status && `cat run`", "git() { rm x; }; git"]
)
def test_a_line_whose_commands_are_known_only_at_run_time_is_refused(line: str) -> None:
    assert isinstance(decision(limit_of(*SEED), "Bash", command=line), Deny)


@pytest.mark.parametrize(
    ("entry", "line", "fits"),
    [
        ("Bash(npm test:*)", "npm test", True),
        ("Bash(npm test:*)", "npm test -- --watch=false", True),
        ("Bash(npm test:*)", "npm run test", False),
        ("Bash(npm run test:*)", "npm run test:unit", False),
        ("Bash(npm run test*)", "npm run test:unit", True),
        ("Bash(npm run test:unit)", "npm run test:unit", True),
        ("Bash(make lint)", "make lint all", False),
        ("Bash(make *)", "makefile", False),
        ("Bash(*)", "anything --at all", True),
        ("Bash", "anything --at all", True),
        ("Read", "cat README", False),
    ],
)
def test_a_pattern_is_compared_word_by_word(entry: str, line: str, *, fits: bool) -> None:
    assert (decision(limit_of(entry), "Bash", command=line) == RAN) is fits


def test_a_redirection_writes_a_file_only_if_the_tool_that_writes_is_on_the_list() -> None:
    limit = limit_of("Bash(git *)", "Write(docs/**)")

    assert decision(limit, "Bash", command="git log > a.txt") == deny_beyond(
        "Writing a.txt by a redirection", limit
    )
    assert decision(limit, "Bash", command="git log 2> /dev/null") == RAN


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("Edit", {"file_path": "src/a.py"}, WRITTEN),
        ("Edit", {"file_path": "setup.py"}, "Edit of this"),
        ("Edit", {"file_path": "src/../setup.py"}, "Edit of this"),
        ("Read", {"file_path": "setup.py"}, READ),
        ("Write", {"file_path": "src/a.py"}, "Write"),
        ("TodoWrite", {}, "TodoWrite"),
        ("mcp__tickets__search", {}, Allow(rule="mcp")),
        ("mcp__tickets__delete", {}, "mcp__tickets__delete"),
        ("mcp__my_browser__click", {}, Allow(rule="mcp")),
        (f"mcp__{OWN_SERVER}__set_deliverable_status", {}, Allow(rule="mcp-own")),
    ],
)
def test_other_tools_are_held_to_their_entry_and_treadles_own_remain(
    name: str, given: dict[str, Any], wanted: Allow | str
) -> None:
    limit = limit_of("Read", "Edit(src/**)", "mcp__tickets__search", "mcp__my_browser")

    answer = deny_beyond(wanted, limit) if isinstance(wanted, str) else wanted
    assert decision(limit, name, **given) == answer


def test_the_agent_is_offered_only_what_is_on_the_list() -> None:
    limit = limit_of("Read", "Bash(git *)", "mcp__tickets")

    assert limit_toolset(TOOLSET, limit) == Toolset(
        frozenset({"Read", "Bash", "TaskStop"}), (), frozenset({OWN_SERVER, "tickets"})
    )
    assert limit_servers(SERVERS, limit) == {"tickets": {}}


def test_an_empty_list_limits_nothing() -> None:
    assert parse_limit((), KNOWN) is None


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("Reed", "no session has the tool 'Reed'; did you mean Read?"),
        ("WebSearch", "no session has the tool 'WebSearch'; did you mean WebFetch?"),
        (
            "git status",
            "write Tool or Tool(pattern), such as Read, Edit(src/**) or Bash(npm test:*)",
        ),
        (
            "Bash(git *",
            "write Tool or Tool(pattern), such as Read, Edit(src/**) or Bash(npm test:*)",
        ),
        ("TodoWrite(x)", "the tool TodoWrite takes no pattern"),
        (
            "Bash(git add && git commit)",
            "a pattern has the words of one command, without quotes and operators",
        ),
        ("Bash(* --version)", "a pattern begins with the name of a command"),
        ("Bash(:*)", "a pattern begins with the name of a command"),
        ("mcp__nothing", "no session has the server 'nothing': name it in [mcp_servers]"),
        ("mcp__", "write mcp__SERVER, mcp__SERVER__* or mcp__SERVER__TOOL"),
    ],
)
def test_an_entry_that_allows_nothing_is_named_with_its_problem(entry: str, problem: str) -> None:
    assert parse_limit(("Read", entry), KNOWN) == InvalidEntry(entry, problem)
