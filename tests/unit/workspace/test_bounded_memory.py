"""No size of what an agent left costs more than a fixed amount of memory, or ends a run."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .limited_import import RECIPES
from .real_git import repository_in

REPOSITORY = Path(__file__).resolve().parents[3]
# Two files are the user's.
IMPORTED = {
    "one_long_line": "3 [2]",
    "many_lines": "3 []",
    "binary_files": "10 []",
    "names_of_one_file": "42 []",
    "large_index": "3 []",
    "large_head": "3 []",
    "large_message": "3 []",
}


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_round_of_any_size_is_imported_with_little_memory(recipe: str, tmp_path: Path) -> None:
    repository_in(tmp_path)
    git = shutil.which("git")
    shim = tmp_path / "unlimited" / "git"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nulimit -S -d "$(ulimit -H -d)"\nexec {git} "$@"\n')
    shim.chmod(0o755)

    done = subprocess.run(
        [sys.executable, "-m", "tests.unit.workspace.limited_import", str(tmp_path), recipe],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, IMPORTED[recipe]), done.stderr[-2000:]
