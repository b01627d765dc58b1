"""The links that work adds or changes are read with their targets."""

import os
from pathlib import Path

from treadle.workspace.changed_tool_files import UNREAD_TARGET, changed_links
from treadle.workspace.diffs import changed_entries
from treadle.workspace.project import Project, find_project

from .real_git import repository_in


async def links(project: Project, before: str, after: str) -> dict[str, str]:
    return await changed_links(project.git, await changed_entries(project.git, before, after))


async def test_new_changed_and_replaced_links_are_read(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    (user.path / "old").symlink_to("kept.txt")
    (user.path / "same").symlink_to("kept.txt")
    before = user.commit("Links")
    for name in ("old", "changed.txt"):
        (user.path / name).unlink()
    (user.path / "old").symlink_to("/etc/passwd")
    (user.path / "changed.txt").symlink_to("kept.txt")
    (user.path / "new").symlink_to(os.fsdecode(b"caf\xe9 \n x"))
    user.write("file", "/etc/passwd")
    after = user.commit("Work")
    project = await find_project(user.path, user.environment)

    assert await links(project, before, after) == {
        "changed.txt": "kept.txt",
        "new": os.fsdecode(b"caf\xe9 \n x"),
        "old": "/etc/passwd",
    }
    assert await links(project, after, after) == {}


async def test_a_link_that_is_longer_than_any_path_counts_as_leading_anywhere(
    tmp_path: Path,
) -> None:
    user = repository_in(tmp_path)
    before = user.head
    blob = user.git("hash-object", "-w", str(user.write("../text", "x" * 5_000)))
    user.git("update-index", "--add", "--cacheinfo", f"120000,{blob},long")
    user.git("commit", "--quiet", "--message", "Work")
    project = await find_project(user.path, user.environment)

    assert await links(project, before, "HEAD") == {"long": UNREAD_TARGET}
