"""An unreadable file ends no run: it stays as git has it."""

import subprocess
import sys
from pathlib import Path

from tests.unit.workspace.real_git import RUN, repository_in
from tests.unit.workspace.without_root import without_the_rights_of_root

SNAPSHOT = """
import asyncio, os, sys
from pathlib import Path
from treadle.workspace.project import find_project
from treadle.workspace.snapshot import take_snapshot

async def main() -> None:
    project = await find_project(Path(sys.argv[1]), dict(os.environ))
    print((await take_snapshot(project, sys.argv[2])).commit)

asyncio.run(main())
"""


def test_a_snapshot_leaves_out_what_may_not_be_read(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    user.write("locked.txt", "mine").chmod(0)
    (user.path / "changed.txt").write_text("changed, then locked")
    (user.path / "changed.txt").chmod(0)
    user.write("new.txt", "new")

    taken = subprocess.run(
        [*without_the_rights_of_root(), sys.executable, "-c", SNAPSHOT, str(user.path), RUN],
        env=dict(user.environment),
        capture_output=True,
        text=True,
        check=False,
    )

    assert taken.stderr == ""
    commit = taken.stdout.strip()
    files = user.git("ls-tree", "-r", "--name-only", commit).splitlines()
    assert ("new.txt" in files, "locked.txt" in files, "changed.txt" in files) == (
        True,
        False,
        True,
    )
    assert user.git("show", f"{commit}:changed.txt") == user.git("show", "HEAD:changed.txt")
