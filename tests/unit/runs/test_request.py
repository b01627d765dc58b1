"""What the asker's environment says goes with the run, to whatever process goes on with it."""

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.builders import RUN, repository_in
from tests.unit.workspace.without_root import without_the_rights_of_root
from treadle.domain.errors import ProjectError, SettingsError, UsageError
from treadle.domain.run_request import RunRequest
from treadle.runs.request import (
    LARGE_SPECIFICATION,
    check_request,
    specification_notice,
    specification_problem,
    with_variables,
)
from treadle.runs.request_json import request_from, request_json
from treadle.settings.environment import Environment, parse_environment
from treadle.settings.init_proposal import FIRST_SPEC
from treadle.wiring.checked_request import RunHost

REQUEST = RunRequest(RUN, "/project", {"agent.model": "opus"}, no_sandbox=False, rehearsal=False)


def environment(**variables: str) -> Environment:
    return parse_environment({"HOME": "/nowhere", **variables})


def test_settings_by_variable_are_kept_with_the_request_and_secrets_are_not() -> None:
    asker = environment(
        TREADLE_LIMITS__MAX_COST_USD="2",
        TREADLE_PERMISSIONS__ALLOW='["WebFetch"]',
        TREADLE_NO_SANDBOX="1",
        TREADLE_DATABASE_URL="postgresql://user:secret@host/name",
        TREADLE_MCP_SERVERS='{ browser = { command = "b", env = { TOKEN = "secret" } } }',
    )

    asked = with_variables(REQUEST, asker)

    kept = {"limits.max_cost_usd": 2.0, "permissions.allow": ["WebFetch"]}
    assert asked == replace(REQUEST, variables=kept, no_sandbox=True)
    assert request_from(request_json(asked)) == asked


def test_what_the_next_asker_says_counts_and_what_nobody_said_anew_stays() -> None:
    first = environment(TREADLE_LIMITS__MAX_COST_USD="2", TREADLE_LIMITS__MAX_MINUTES="9")

    asked = with_variables(REQUEST, first)
    again = with_variables(asked, environment(TREADLE_LIMITS__MAX_COST_USD="3"))

    assert again.variables == {"limits.max_cost_usd": 3.0, "limits.max_minutes": 9.0}


async def test_a_process_with_another_environment_goes_on_as_it_was_asked(tmp_path: Path) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting"})
    request = replace(REQUEST, project_dir=str(repository.path))
    said: dict[str, Any] = {
        "TREADLE_LIMITS__MAX_COST_USD": "2",
        "TREADLE_AGENT__MODEL": "haiku",
        "TREADLE_NO_SANDBOX": "1",
    }
    asked = with_variables(request, environment(**said))
    raw = {
        **repository.environment,
        "TREADLE_LIMITS__MAX_COST_USD": "7",
        "ANTHROPIC_API_KEY": "dummy",
    }

    ready = await check_request(asked, RunHost(parse_environment(raw), asyncio.Semaphore(1)))

    settings = ready.settings
    assert (settings.limits.max_cost_usd, settings.agent.model) == (2.0, "opus")


async def test_a_root_that_is_not_utf_8_is_refused_with_a_way_on(tmp_path: Path) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting"})
    request = replace(REQUEST, project_dir=str(repository.path), rehearsal=True)
    raw = {**repository.environment, "TREADLE_ROOT": os.fsdecode(b"/srv/a\xff")}

    with pytest.raises(UsageError) as refused:
        await check_request(request, RunHost(parse_environment(raw), asyncio.Semaphore(1)))

    assert (refused.value.message, refused.value.hint) == (
        "Treadle cannot keep runs in file:///srv/a%FF: the path is not UTF-8",
        "name another directory with TREADLE_ROOT",
    )


async def test_a_specification_of_any_size_is_read_within_bounds(tmp_path: Path) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting"})
    with (repository.path / "SPEC.md").open("wb") as file:
        file.truncate(1 << 40)
    request = replace(REQUEST, project_dir=str(repository.path), rehearsal=True)
    host = RunHost(parse_environment(repository.environment), asyncio.Semaphore(1))

    with pytest.raises(UsageError) as refused:
        await check_request(request, host)

    assert refused.value.message.endswith("SPEC.md has more than 4,000,000 characters")


@pytest.mark.parametrize("target", ["../key", "/etc/hostname", "folder/up/key"])
async def test_a_specification_is_no_file_of_the_user_that_a_link_leads_to(
    tmp_path: Path, target: str
) -> None:
    # Each session reads it, so the agent would have the file.
    repository = repository_in(tmp_path, **{"a.md": "# A greeting"})
    (tmp_path / "key").write_text("secret")
    (repository.path / "folder").mkdir()
    (repository.path / "folder" / "up").symlink_to("../..")
    (repository.path / "SPEC.md").symlink_to(target)
    request = replace(REQUEST, project_dir=str(repository.path), rehearsal=True)
    host = RunHost(parse_environment(repository.environment), asyncio.Semaphore(1))

    with pytest.raises(UsageError) as refused:
        await check_request(request, host)

    assert refused.value.message.endswith("SPEC.md points outside the project")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("name", [".treadle", ".treadle/wip"])
async def test_a_run_writes_nothing_into_a_folder_that_a_link_of_the_project_leads_to(
    tmp_path: Path, name: str
) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting"})
    (tmp_path / "elsewhere").mkdir()
    link = repository.path / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(tmp_path / "elsewhere")
    request = replace(REQUEST, project_dir=str(repository.path), rehearsal=True)
    host = RunHost(parse_environment(repository.environment), asyncio.Semaphore(1))

    with pytest.raises(ProjectError, match=r"\.treadle.* is a link"):
        await check_request(request, host)


@pytest.mark.parametrize("path", ["/etc/passwd", "../other/.env", "**"])
@pytest.mark.parametrize("key", ["include", "include_for_agent"])
async def test_a_file_outside_of_the_project_cannot_be_included(
    tmp_path: Path, key: str, path: str
) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting"})
    flags = {f"workspace.{key}": (path,)}
    request = replace(REQUEST, project_dir=str(repository.path), flags=flags, rehearsal=True)
    host = RunHost(parse_environment(repository.environment), asyncio.Semaphore(1))

    with pytest.raises(SettingsError) as refused:
        await check_request(request, host)

    assert refused.value.message == f"workspace.{key}: {path!r} is not a path inside the project"


REFUSED = """
import asyncio, os, sys
from pathlib import Path
from treadle.domain.errors import ProjectError
from treadle.workspace.project import find_project, require_writable

async def main() -> None:
    try:
        require_writable(await find_project(Path(sys.argv[1]), dict(os.environ)))
    except ProjectError as error:
        print(error.message)

asyncio.run(main())
"""


def test_a_repository_that_cannot_be_written_is_refused_before_a_run_begins(tmp_path: Path) -> None:
    repository = repository_in(tmp_path, **{"SPEC.md": "# A greeting"})
    objects = repository.path / ".git/objects"
    objects.chmod(0o500)

    refused = subprocess.run(
        [*without_the_rights_of_root(), sys.executable, "-c", REFUSED, str(repository.path)],
        env=dict(repository.environment),
        capture_output=True,
        text=True,
        check=True,
    )

    objects.chmod(0o700)
    assert refused.stdout == f"{objects} cannot be written, and a run keeps its work there\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "SPEC.md is empty"),
        (" \n\t\n", "SPEC.md is empty"),
        (FIRST_SPEC, "SPEC.md is still the example that `treadle init` wrote"),
        (f"{FIRST_SPEC}- One more item.\n", ""),
    ],
)
def test_a_specification_must_say_what_to_build(text: str, problem: str) -> None:
    assert specification_problem("SPEC.md", text) == problem


def test_a_long_specification_costs_every_session() -> None:
    assert specification_notice("SPEC.md", "x" * 1_000_000) == (
        "SPEC.md has 1,000,000 characters, and every session reads all of it: move details into"
        " other files and refer to them"
    )
    assert specification_notice("SPEC.md", "x" * LARGE_SPECIFICATION) == ""
