"""One tool use, one decision: tools, places, roles, servers and rules, as tables."""

import os
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treadle.domain.agent import Allow, Decision, Deny, ToolUse
from treadle.domain.signal import Role
from treadle.policy.available_tools import merge_tools
from treadle.policy.decide import Context, decide
from treadle.policy.permission_rules import Rule

WORKSPACE = "/srv/clone"
OUTSIDE_READ = Deny("That path is outside the workspace; read inside your current directory only.")
OUTSIDE_WRITE = Deny(
    "That path is outside the workspace. Write inside your current directory only; "
    "relative paths are the safest."
)
BASELINE = "Bash, Edit, Glob, Grep, NotebookEdit, Read, TodoWrite, Write"

# Links as they would lie on the disk; everything else is where it says.
LINKS = {f"{WORKSPACE}/out": "/etc", f"{WORKSPACE}/alias": f"{WORKSPACE}/.treadle"}


def real_path(path: str) -> str:
    plain = os.path.normpath(path)
    for link, target in LINKS.items():
        if plain == link or plain.startswith(f"{link}/"):
            return target + plain.removeprefix(link)
    return plain


def decision_on(
    name: str,
    given: dict[str, Any],
    *rules: Rule,
    role: Role = "implementer",
    allowed: tuple[str, ...] = (),
    servers: tuple[str, ...] = (),
) -> Decision:
    toolset = merge_tools(allowed, rules, {name: {} for name in servers})
    use = ToolUse("1", name, given)
    return decide(use, Context(role, WORKSPACE, toolset), real_path=real_path)


@pytest.mark.parametrize(
    ("name", "given", "answer"),
    [
        ("Bash", {"command": "make test"}, Allow()),
        ("TodoWrite", {"todos": []}, Allow()),
        ("WebFetch", {"url": "https://example.com"}, "WebFetch"),
        ("Task", {"prompt": "x"}, "Task"),
        ("KillEverything", {}, "KillEverything"),
    ],
)
def test_a_tool_outside_the_toolset_is_refused_with_those_that_are_there(
    name: str, given: dict[str, Any], answer: Allow | str
) -> None:
    wanted = (
        Deny(f"The tool {answer} is not available here. Use one of: {BASELINE}.")
        if isinstance(answer, str)
        else answer
    )

    assert decision_on(name, given) == wanted


PLACES: list[tuple[str, Literal["inside", "outside"]]] = [
    ("src/a.py", "inside"),
    ("./src/a.py", "inside"),
    ("src/../b.py", "inside"),
    ("/srv/clone/src/a.py", "inside"),
    ("/srv/clone/src/../../clone/b.py", "inside"),
    ("..file", "inside"),
    (" src/a.py ", "inside"),
    ("/etc/passwd", "outside"),
    ("../clone-of-another/a.py", "outside"),
    ("/srv/clone-of-another/a.py", "outside"),
    ("src/../../a.py", "outside"),
    ("/srv/clone/../a.py", "outside"),
    ("out/passwd", "outside"),
    ("/srv/clone/out/passwd", "outside"),
    (" /etc/passwd", "outside"),
    ("~/.ssh/id_ed25519", "outside"),
    (" ~root/x", "outside"),
    ("src/a.py\0/../../x", "outside"),
]


@pytest.mark.parametrize(("path", "place"), PLACES)
@pytest.mark.parametrize(
    ("tool", "argument", "refusal"),
    [
        ("Read", "file_path", OUTSIDE_READ),
        ("Glob", "path", OUTSIDE_READ),
        ("Grep", "path", OUTSIDE_READ),
        ("Write", "file_path", OUTSIDE_WRITE),
        ("Edit", "file_path", OUTSIDE_WRITE),
        ("NotebookEdit", "notebook_path", OUTSIDE_WRITE),
    ],
)
def test_files_are_read_and_written_inside_the_workspace_only(
    tool: str, argument: str, refusal: Deny, path: str, place: Literal["inside", "outside"]
) -> None:
    assert decision_on(tool, {argument: path}) == (Allow() if place == "inside" else refusal)


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"pattern": "**/*.py"}, Allow()),
        ({"pattern": "src/{a,b}/*.py"}, Allow()),
        ({"pattern": "a..b/*"}, Allow()),
        ({"pattern": "/srv/clone/src/*"}, Allow()),
        ({"pattern": "*.py", "path": "src"}, Allow()),
        ({"pattern": "/etc/*"}, OUTSIDE_READ),
        ({"pattern": "/etc/*", "path": "src"}, OUTSIDE_READ),
        ({"pattern": "../*"}, OUTSIDE_READ),
        ({"pattern": "src/../../*"}, OUTSIDE_READ),
        ({"pattern": "{..,src}/*"}, OUTSIDE_READ),
        ({"pattern": "{src,../../etc}/*"}, OUTSIDE_READ),
        ({"pattern": "../*", "path": "/srv/clone/src"}, OUTSIDE_READ),
        ({"pattern": "~/*"}, OUTSIDE_READ),
        ({"pattern": "out/*"}, OUTSIDE_READ),
    ],
)
def test_a_pattern_of_file_names_leads_nowhere_that_a_path_may_not(
    given: dict[str, Any], answer: Decision
) -> None:
    assert decision_on("Glob", given) == answer


@pytest.mark.parametrize("tool", ["Glob", "Grep"])
def test_a_search_without_a_path_is_a_search_in_the_workspace(tool: str) -> None:
    assert decision_on(tool, {"pattern": "x", "path": None}) == Allow()


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        (".treadle/status.json", ".treadle"),
        (".treadle", ".treadle"),
        ("src/../.treadle/instructions/coding.md", ".treadle"),
        ("alias/status.json", ".treadle"),
        ("treadle.toml", "treadle.toml"),
        (".git/config", ".git"),
        (".git/hooks/pre-commit", ".git"),
        (".GIT/hooks/pre-commit", ".GIT"),
        ("Treadle.toml", "Treadle.toml"),
        (".treadle-notes.md", None),
        ("docs/treadle.toml", None),
        (".gitignore", None),
    ],
)
def test_what_belongs_to_treadle_is_never_written_by_an_agent(path: str, owner: str | None) -> None:
    refusal = Deny(
        f"{owner} belongs to Treadle and cannot be written by an agent. "
        "Use the mcp__treadle__* tools to report on the work."
    )

    assert decision_on("Write", {"file_path": path}) == (refusal if owner else Allow())
    assert decision_on("Read", {"file_path": path}) == Allow()


@pytest.mark.parametrize(
    ("role", "writes"),
    [
        ("planner", False),
        ("reviewer", False),
        ("auditor", False),
        ("verifier", False),
        ("implementer", True),
        ("initializer", True),
        ("manager", True),
    ],
)
def test_roles_that_judge_do_not_change_what_they_look_at(role: Role, writes: bool) -> None:
    refusal = Deny(f"In the role {role} you read and report; you do not change files.")

    for tool in ("Write", "Edit"):
        found = decision_on(tool, {"file_path": "a.py"}, Rule(tool), role=role)
        assert found == (Allow() if writes else refusal)
    assert decision_on("Read", {"file_path": "a.py"}, role=role) == Allow()


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

    refusal = Deny(f"There is no MCP server named {server!r} in this project's settings.")
    assert found == (Allow() if server is None else refusal)


@pytest.mark.parametrize(
    ("rule", "name", "given", "answer"),
    [
        (Rule("Read", "/data/**"), "Read", {"file_path": "/data/a/b.csv"}, Allow()),
        (Rule("Read", "/data/**"), "Read", {"file_path": "/data/../etc/passwd"}, OUTSIDE_READ),
        (Rule("Read", "/data/**"), "Read", {"file_path": "/database"}, OUTSIDE_READ),
        (Rule("Read", "/data/**"), "Read", {"file_path": "src/a.py"}, Allow()),
        (Rule("Read", "/data/**"), "Grep", {"path": "/data/a"}, OUTSIDE_READ),
        (Rule("Read", "./**"), "Read", {"file_path": "out/passwd"}, OUTSIDE_READ),
        (Rule("Glob", "/data/**"), "Glob", {"path": "/data", "pattern": "*.csv"}, Allow()),
        (
            Rule("Glob", "/data/**"),
            "Glob",
            {"path": "/data", "pattern": "../etc/*"},
            OUTSIDE_READ,
        ),
        (
            Rule("WebFetch", "https://a.example/*"),
            "WebFetch",
            {"url": "https://a.example/x"},
            Allow(),
        ),
        (Rule("WebSearch"), "WebSearch", {"query": "how to knit"}, Allow()),
        (Rule("Write", "/data/**"), "Write", {"file_path": "/data/a"}, OUTSIDE_WRITE),
        (Rule("Bash", "npm *"), "Bash", {"command": "make"}, Allow()),
    ],
)
def test_a_rule_adds_what_it_covers_and_never_a_place_to_write(
    rule: Rule, name: str, given: dict[str, Any], answer: Decision
) -> None:
    assert decision_on(name, given, rule) == answer


def test_a_tool_allowed_in_part_is_not_there_for_the_rest() -> None:
    found = decision_on(
        "WebFetch", {"url": "https://b.example/x"}, Rule("WebFetch", "https://a.example/*")
    )

    assert found == Deny(f"The tool WebFetch is not available here. Use one of: {BASELINE}.")


def test_links_on_a_real_disk_are_followed(tmp_path: Path) -> None:
    workspace, secret = tmp_path / "clone", tmp_path / "secret"
    workspace.mkdir()
    secret.mkdir()
    (workspace / "out").symlink_to(secret)
    (tmp_path / "door").symlink_to(workspace)

    def decided(path: str) -> Decision:
        # The workspace itself may be reached through a link, as /tmp is on some systems.
        context = Context("implementer", str(tmp_path / "door"), merge_tools((), (), {}))
        use = ToolUse("1", "Write", {"file_path": path})
        return decide(use, context, real_path=os.path.realpath)

    assert decided("new/file.py") == Allow()
    assert decided(str(workspace / "file.py")) == Allow()
    assert decided("out/file.py") == OUTSIDE_WRITE
    assert decided("new/../out/file.py") == OUTSIDE_WRITE


PARTS = st.lists(
    st.sampled_from(["..", ".", "src", "out", "alias", ".git", "~", " ", "", "*", "/etc"]),
    min_size=1,
    max_size=6,
).map("/".join)


@settings(deadline=None)
@given(PARTS, st.sampled_from(["Write", "Edit"]))
def test_whatever_is_allowed_to_be_written_lies_inside_and_belongs_to_the_work(
    path: str, tool: str
) -> None:
    if decision_on(tool, {"file_path": path}) == Allow():
        place = PurePosixPath(real_path(str(PurePosixPath(WORKSPACE) / path.strip())))

        assert place.is_relative_to(WORKSPACE)
        assert place.relative_to(WORKSPACE).parts[:1] not in [(".git",), (".treadle",)]


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["file_path", "path", "pattern", "x"]), st.text() | st.integers()
    )
)
def test_arguments_of_any_shape_get_a_decision(given_input: dict[str, Any]) -> None:
    for tool in ("Read", "Glob", "Grep", "Write", "Bash", "mcp__x"):
        assert isinstance(decision_on(tool, given_input), Allow | Deny)
