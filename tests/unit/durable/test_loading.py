"""What each part of `durable` loads: workflows and thin commands do not pay for the engine."""

import subprocess
import sys

import pytest

HEAVY = {"asyncio", "dbos", "psycopg", "pydantic", "sqlalchemy"}


@pytest.mark.parametrize(
    ("module", "loaded"),
    [
        ("port", set()),
        ("stored_workflow", set()),
        ("memory", {"pydantic"}),
        ("queries", {"sqlalchemy"}),
    ],
)
def test_only_what_runs_or_enqueues_workflows_loads_the_engine(
    module: str, loaded: set[str]
) -> None:
    program = f"import sys, treadle.durable.{module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert (set(done.stdout.split()) & HEAVY) - {"asyncio"} == loaded
