"""Greens by accident: a check that could not be run before the work proves nothing."""

from pathlib import Path

import pytest

from tests.acceptance.harness import CommandHarness
from tests.drills.accidental_greens import ACCIDENTAL_GREENS
from tests.drills.drilled_run import (
    CRITERION,
    Outcome,
    account,
    expected_outcome,
    outcome,
    plan,
    run_trick,
    work,
)
from tests.drills.test_tricks import skip_long
from tests.drills.trick import Trick
from tests.projects.loopback_registry import add_npm_package, serve_registry
from tests.projects.user_project import UserProject

pytestmark = [pytest.mark.slow]


@pytest.mark.parametrize(
    "accident", ACCIDENTAL_GREENS, ids=[each.name for each in ACCIDENTAL_GREENS]
)
def test_a_check_that_could_not_run_before_the_work_proves_nothing(
    harness: CommandHarness, accident: Trick, request: pytest.FixtureRequest
) -> None:
    skip_long(accident, request)

    finished = run_trick(harness, accident)

    found = outcome(harness, finished)
    assert found == expected_outcome(accident, found), account(finished)


def test_an_index_that_is_out_during_the_first_setup_makes_nothing_proven(tmp_path: Path) -> None:
    user = UserProject(tmp_path)
    check = "test -s node_modules/left-pad-words/index.js"
    user.write(
        {
            "SPEC.md": f"# App\n\n- {CRITERION} Check: `{check}`\n",
            "package.json": '{"name": "app", "dependencies": {"left-pad-words": "1.0.0"}}\n',
            ".gitignore": "node_modules/\n",
            "treadle.toml": "[project]\n"
            'setup = "npm install --no-audit --no-fund --no-package-lock --fetch-retries=0"\n',
        }
    )
    user.commit()
    script = user.directory / "script.yaml"
    script.write_text(f"version: 1\nsessions:\n{plan(CRITERION)}{work({'app.txt': 'unrelated'})}")
    with serve_registry() as registry:
        add_npm_package(registry, "left-pad-words", "export const pad = 1\n")
        (user.home / ".npmrc").write_text(f"registry={registry.url}/\n")
        registry.outage.append(503)
        stopped = user.treadle("rehearse", str(script), "--", "deliver", "--json", "-n", "2")
        registry.outage.clear()
        resumed = user.treadle("resume", "last", "--json")

    assert (stopped.exit_code, stopped.result["reason"]) == (2, "setup_failed"), account(stopped)
    assert any(request.path.startswith("/left-pad-words") for request in registry.requests)
    assert outcome(user, resumed) == Outcome(
        "claimed", "its check passed before the work", "all_passed", 0
    )
