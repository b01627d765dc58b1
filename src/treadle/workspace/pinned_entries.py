"""Decides which files a pinned tree has: the work, with the judges of the base. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from treadle.domain.pin_plan import PinAction, PinPlan
from treadle.workspace.tree_entries import FILE_MODES, TreeEntry

_PLAIN_MODE = "100644"


def pinned_entries(
    plan: PinPlan,
    work: Iterable[TreeEntry],
    base: Iterable[TreeEntry],
    blobs: Mapping[str, str],
) -> list[TreeEntry]:
    """All entries of the pinned tree; `blobs` are the objects of merged files, by path.

    A path of the plan stands for all that is below it, too: a file may have become a folder, and
    the reverse. What the plan adds takes the place of what is in its way.
    """
    work, base = list(work), list(base)
    restored = [entry for entry in base if _is_at_or_below(entry.path, _paths(plan, "restored"))]
    added = {entry.path: entry for entry in restored}
    folders = {folder for path in added for folder in _parents(path)}
    modes = {entry.path: entry.mode for entry in (*base, *work) if entry.mode in FILE_MODES}
    for path in _paths(plan, "merged"):
        if path not in folders and not _is_at_or_below(path, added):
            added[path] = TreeEntry(modes.get(path, _PLAIN_MODE), blobs[path], path)
    folders |= {folder for path in added for folder in _parents(path)}
    pinned = {file.path for file in plan.files}
    kept = (
        entry
        for entry in work
        if entry.path not in folders and not _is_at_or_below(entry.path, pinned)
    )
    return sorted((*kept, *added.values()), key=lambda entry: entry.path)


def _paths(plan: PinPlan, action: PinAction) -> frozenset[str]:
    return frozenset(file.path for file in plan.files if file.action == action)


def _is_at_or_below(path: str, paths: Collection[str]) -> bool:
    return path in paths or any(folder in paths for folder in _parents(path))


def _parents(path: str) -> Iterator[str]:
    """The folders of a path, the nearest first."""
    while path := path.rpartition("/")[0]:
        yield path
