"""No file of an agent costs more than a fixed amount of memory, whatever its size."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.workspace.large_files import HARM

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", HARM)
def test_a_huge_file_of_the_agent_is_read_within_bounds(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.workspace.large_files", name, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "project"), done.stderr[-2000:]
