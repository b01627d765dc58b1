"""Commands that only look something up load only what that takes, so they answer at once."""

import json
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.event_store import open_store
from treadle.domain.approval import ApprovalQuestion, make_approval
from treadle.domain.events.run import RunStarted
from treadle.domain.ids import make_run_id
from treadle.domain.limits import RunLimits
from treadle.domain.storage import Storage
from treadle.workspace.project_root import project_key

HEAVY = (
    "asyncio",
    "claude_agent_sdk",
    "dbos",
    "mcp",
    "psycopg",
    "pydantic",
    "sqlalchemy",
    "tomlkit",
    "yaml",
)
RUN = make_run_id(unix_ms=1_700_000_000_000, random_bits=0x1234_5678_9ABC)

# Runs the command in this very process and then tells what is loaded, on another channel.
PROBE = """
import json, sys
from treadle.__main__ import main
sys.argv = ["treadle", *json.loads(sys.argv[1])]
try:
    main()
except SystemExit as ended:
    assert not ended.code, ended.code
sys.stderr.write(json.dumps(sorted(sys.modules)))
"""


STATUS = {
    "deliverables": [
        {"id": "DL-001", "description": "One", "acceptanceCriteria": ["a"], "passed": True},
    ]
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a deliverable and a run, so that the commands have something to show."""
    (tmp_path / "treadle.toml").write_text("version = 1\n", encoding="utf-8")
    (tmp_path / ".treadle").mkdir()
    (tmp_path / ".treadle" / "status.json").write_text(json.dumps(STATUS), encoding="utf-8")
    started = RunStarted(
        run=RUN,
        workflow="deliver",
        project=str(tmp_path),
        project_key=project_key(tmp_path),
        version="0",
        model="sonnet",
        plan_model="opus",
        limits=RunLimits(max_cost_usd=1, max_minutes=1, max_iterations=1, max_retries=1),
        sandbox="unsandboxed",
        rehearsal=True,
    )
    with closing(open_store(Storage(tmp_path / "root"))) as store:
        store.append(RUN, [(datetime(2026, 1, 1, tzinfo=UTC), started)])
    with closing(open_database(Storage(tmp_path / "root"))) as database:
        question = ApprovalQuestion("plan", "Work by this plan?", "1. Add numbers", "0123")
        now = datetime(2026, 1, 1, tzinfo=UTC)
        DatabaseApprovals(database).ask(make_approval(question, run=RUN, step="plan", now=now))
    return tmp_path


def test_the_version_is_printed_without_a_command_line_parser(project: Path) -> None:
    said, loaded = look(project, "--version")

    assert said.startswith("treadle ")
    assert loaded & {"click", *HEAVY} == set()


@pytest.mark.parametrize("command", ["status", "ls", "approvals", "show", "logs"])
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_look_at_tables_or_a_log_loads_nothing_heavy(
    command: str, options: tuple[str, ...], project: Path
) -> None:
    said, loaded = look(project, command, *options)

    assert RUN[-8:] in said
    assert loaded & {"importlib.metadata", *HEAVY} == set()


def test_the_help_loads_nothing_heavy(project: Path) -> None:
    said, loaded = look(project, "--help")

    assert "deliver" in said
    assert loaded & set(HEAVY) == set()


def test_settings_are_loaded_without_the_library_that_edits_them(project: Path) -> None:
    said, loaded = look(project, "config", "show")

    assert "treadle.toml:1" in said
    assert "tomlkit" not in loaded


def look(project: Path, *arguments: str) -> tuple[str, set[str]]:
    """What the command says in a process of its own, and the modules it has loaded by then."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, json.dumps(arguments)],
        cwd=project,
        env={"HOME": str(project), "TREADLE_ROOT": str(project / "root"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, set(json.loads(done.stderr.splitlines()[-1]))
