"""A `treadle` command that is killed before one of the git processes that it starts."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.unit.workspace.real_git import Repository

_GIT = """\
#!/bin/sh
echo >> {count}
if [ "$(wc -l < {count})" -eq {number} ]; then kill -9 $PPID; exit 1; fi
exec {git} "$@"
"""


def run_killed(
    arguments: Sequence[str], *, user: Repository, root: Path, before_git: int, folder: Path
) -> bool:
    """Run the command in the user's project; whether it was killed before its git process of this
    number. It is whole if it starts fewer. `folder` is made for the program that kills."""
    path = user.environment["PATH"]
    git = shutil.which("git", path=path)
    assert git is not None
    folder.mkdir()
    program = folder / "git"
    count = shlex.quote(str(folder / "count"))
    program.write_text(_GIT.format(count=count, number=before_git, git=shlex.quote(git)))
    program.chmod(0o755)
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "treadle", *arguments],
        cwd=user.path,
        env={
            **user.environment,
            "PATH": f"{folder}{os.pathsep}{path}",
            "TREADLE_ROOT": str(root),
        },
        capture_output=True,
        check=False,
    )
    # 2: there is nothing to drop.
    assert ran.returncode in (0, 2, -signal.SIGKILL), ran.stderr.decode()
    return ran.returncode == -signal.SIGKILL
