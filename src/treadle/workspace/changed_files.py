"""Which files differ between two commits, and how; read from the user's repository alone."""

from treadle.domain.change import Change, How
from treadle.workspace.git import Git

# What git calls it; all else (another mode or kind, such as a link) is a change.
_HOW: dict[str, How] = {"A": "added", "D": "removed"}


async def changed_files(git: Git, before: str, after: str) -> tuple[Change, ...]:
    """By their content alone: nothing that the project names for its diffs is started."""
    told = await git.run(
        *("diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff"),
        *("--ignore-submodules=none", before, after, "--"),
    )
    # Letter and path take turns, each with a zero byte behind it.
    fields = told.split("\0")
    return tuple(
        Change(path, _HOW.get(letter, "changed"))
        for letter, path in zip(fields[::2], fields[1::2], strict=False)
    )
