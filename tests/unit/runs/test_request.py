"""What the asker's environment says goes with the run, to whatever process goes on with it."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.builders import RUN, repository_in
from treadle.domain.run_request import RunRequest
from treadle.runs.request import check_request, with_variables
from treadle.runs.request_json import request_from, request_json
from treadle.settings.environment import Environment, parse_environment
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
    raw = {**repository.environment, "TREADLE_LIMITS__MAX_COST_USD": "7"}

    ready = await check_request(asked, RunHost(parse_environment(raw), asyncio.Semaphore(1)))

    settings = ready.settings
    assert (settings.limits.max_cost_usd, settings.agent.model) == (2.0, "opus")
