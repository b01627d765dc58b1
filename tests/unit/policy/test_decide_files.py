"""Where an agent's file tools lead: inside, outside, through links, to what is protected."""

import json
import os
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.policy.decision_tables import (
    BY_RULE,
    READ,
    WORKSPACE,
    WRITTEN,
    decision_on,
    judge_line,
    kept,
    obeyed,
    owned,
    real_path,
)
from treadle.domain.agent import Allow, Deny, PolicyDecision, ToolUse
from treadle.policy.available_tools import merge_tools
from treadle.policy.decide import DecisionContext, decide
from treadle.policy.file_tools import OUTSIDE_READ, OUTSIDE_WRITE, SECRET_READ
from treadle.policy.permission_rules import PermissionRule

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
    ("tool", "argument", "leave", "refusal"),
    [
        ("Read", "file_path", READ, OUTSIDE_READ),
        ("Glob", "path", READ, OUTSIDE_READ),
        ("Grep", "path", READ, OUTSIDE_READ),
        ("Write", "file_path", WRITTEN, OUTSIDE_WRITE),
        ("Edit", "file_path", WRITTEN, OUTSIDE_WRITE),
        ("NotebookEdit", "notebook_path", WRITTEN, OUTSIDE_WRITE),
    ],
)
def test_files_are_read_and_written_inside_the_workspace_only(
    tool: str,
    argument: str,
    leave: Allow,
    refusal: Deny,
    path: str,
    place: Literal["inside", "outside"],
) -> None:
    assert decision_on(tool, {argument: path}) == (leave if place == "inside" else refusal)


@pytest.mark.parametrize(
    ("directory", "path", "answer"),
    [
        ("/srv/clone/src", "a.py", WRITTEN),
        ("/srv/clone/src", "../a.py", WRITTEN),
        ("/srv/clone/src", "../../a.py", OUTSIDE_WRITE),
        ("/tmp", "a.py", OUTSIDE_WRITE),
        ("/tmp", "/srv/clone/a.py", WRITTEN),
        ("/srv/clone/.git", "config", ".git"),
        ("/srv/clone/out", "passwd", OUTSIDE_WRITE),
    ],
)
def test_a_relative_path_begins_where_the_agents_shell_is(
    directory: str, path: str, answer: PolicyDecision | str
) -> None:
    found = decision_on("Write", {"file_path": path}, directory=directory)

    assert found == (obeyed(answer) if isinstance(answer, str) else answer)


@pytest.mark.parametrize(
    ("tool", "path", "answer"),
    [
        ("Read", "/usr/lib/python/x.py", READ),
        ("Grep", "/data/x", READ),
        ("Read", "/usr/share/x", OUTSIDE_READ),
        ("Write", "/usr/lib/python/x.py", OUTSIDE_WRITE),
        ("Write", "/data/x", WRITTEN),
        ("Write", "/data/repo/.git/config", ".git"),
        ("Write", "/database", OUTSIDE_WRITE),
    ],
)
def test_settings_may_add_places_to_read_and_to_write(
    tool: str, path: str, answer: PolicyDecision | str
) -> None:
    given = {"path": path} if tool == "Grep" else {"file_path": path}

    found = decision_on(tool, given, readable=("/usr/lib/python",), writable=("/data",))

    assert found == (obeyed(answer) if isinstance(answer, str) else answer)


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"pattern": "**/*.py"}, READ),
        ({"pattern": "src/{a,b}/*.py"}, READ),
        ({"pattern": "a..b/*"}, READ),
        ({"pattern": "/srv/clone/src/*"}, READ),
        ({"pattern": "*.py", "path": "src"}, READ),
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
    given: dict[str, Any], answer: PolicyDecision
) -> None:
    assert decision_on("Glob", given) == answer


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        (".env", SECRET_READ),
        ("web/.env.local", SECRET_READ),
        (".envrc", SECRET_READ),
        ("deploy/id_ed25519", SECRET_READ),
        (".ssh/config", SECRET_READ),
        (".env.example", READ),
        ("environment.py", READ),
    ],
)
def test_files_named_like_secrets_are_not_read_by_tools_as_they_are_not_by_commands(
    path: str, answer: PolicyDecision
) -> None:
    assert decision_on("Read", {"file_path": path}) == answer
    assert decision_on("Grep", {"pattern": "x", "path": path}) == answer
    assert decision_on("Glob", {"pattern": path}) == READ


def test_a_setting_may_allow_to_read_one_all_the_same() -> None:
    assert decision_on("Read", {"file_path": ".env"}, PermissionRule("Read", "./.env")) == BY_RULE


@pytest.mark.parametrize("tool", ["Glob", "Grep"])
def test_a_search_without_a_path_is_a_search_in_the_workspace(tool: str) -> None:
    assert decision_on(tool, {"pattern": "x", "path": None}) == READ


KEPT = ("tools/guard.py", "tests/contract", "*.snap")
PROTECTED_PATHS = [
    (".treadle/status.json", owned(".treadle")),
    (".treadle", owned(".treadle")),
    ("src/../.treadle/instructions/coding.md", owned(".treadle")),
    ("alias/status.json", owned(".treadle")),
    ("treadle.toml", owned("treadle.toml")),
    ("Treadle.toml", owned("Treadle.toml")),
    (".git/config", obeyed(".git")),
    (".git/hooks/pre-commit", obeyed(".git")),
    (".GIT/hooks/pre-commit", obeyed(".GIT")),
    (".g\u200cit/config", obeyed(".g\u200cit")),
    (".\uff47it/config", obeyed(".\uff47it")),
    ("vendor/lib/.git/hooks/post-checkout", obeyed(".git")),
    (".git", obeyed(".git")),
    (".claude/settings.json", obeyed(".claude")),
    (".claude/settings.local.json", obeyed(".claude")),
    (".Claude/agents/helper.md", obeyed(".Claude")),
    ("web/.claude/settings.json", obeyed(".claude")),
    (".mcp.json", obeyed(".mcp.json")),
    (".vscode/tasks.json", obeyed(".vscode")),
    ("web/.idea/workspace.xml", obeyed(".idea")),
    (".gitmodules", obeyed(".gitmodules")),
    (".bashrc", obeyed(".bashrc")),
    ("tools/guard.py", kept("tools/guard.py")),
    ("tools/Guard.py", kept("tools/guard.py")),
    ("tests/contract/test_cart.py", kept("tests/contract")),
    ("tests/contract", kept("tests/contract")),
    ("web/cart.snap", kept("*.snap")),
    ("tests/test_cart.py", WRITTEN),
    (".treadle-notes.md", WRITTEN),
    ("docs/treadle.toml", WRITTEN),
    ("tools/guard.pyc", WRITTEN),
    (".gitignore", WRITTEN),
]


@pytest.mark.parametrize(("path", "answer"), PROTECTED_PATHS)
def test_what_treadle_and_the_users_tools_obey_is_never_written_by_an_agent(
    path: str, answer: PolicyDecision
) -> None:
    protected = KEPT

    for tool, argument in (("Write", "file_path"), ("NotebookEdit", "notebook_path")):
        assert decision_on(tool, {argument: path}, protected=protected) == answer
    assert decision_on("Read", {"file_path": path}, protected=protected) == READ


@pytest.mark.parametrize(("path", "answer"), PROTECTED_PATHS)
@pytest.mark.parametrize(
    "shape", [{"path": "{}"}, {"edits": [{"to": {"file": "{}"}}]}, {"uri": "file:///srv/clone/{}"}]
)
def test_nor_is_it_handed_to_the_tools_of_a_server(
    path: str, answer: PolicyDecision, shape: dict[str, Any]
) -> None:
    given = json.loads(json.dumps(shape).replace("{}", path))

    found = decision_on("mcp__files__write", given, servers=("files",), protected=KEPT)

    assert found == (Allow(rule="mcp") if answer == WRITTEN else answer)


def test_links_on_a_real_disk_are_followed(tmp_path: Path) -> None:
    workspace, secret = tmp_path / "clone", tmp_path / "secret"
    workspace.mkdir()
    secret.mkdir()
    (workspace / "out").symlink_to(secret)
    (tmp_path / "door").symlink_to(workspace)

    def decided(path: str) -> PolicyDecision:
        # The workspace itself may be reached through a link, as /tmp is on some systems.
        context = DecisionContext("implementer", str(tmp_path / "door"), merge_tools((), (), {}))
        use = ToolUse("1", "Write", {"file_path": path})
        return decide(use, context, real_path=os.path.realpath, decide_line=judge_line)

    assert decided("new/file.py") == WRITTEN
    assert decided(str(workspace / "file.py")) == WRITTEN
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
    if decision_on(tool, {"file_path": path}) == WRITTEN:
        place = PurePosixPath(real_path(str(PurePosixPath(WORKSPACE) / path.strip())))

        assert place.is_relative_to(WORKSPACE)
        assert not {".git", ".treadle"} & set(place.relative_to(WORKSPACE).parts)
