"""Which runs belong to the project a person stands in. Thin: asks neither git nor events."""

from pathlib import Path

from treadle.adapters.stores.runs import RunRow, list_runs

# Not `.treadle`: a home directory has one without being a project.
MARKS = ("treadle.toml", ".git")
SEARCHED = 10_000


def project_root(directory: Path) -> Path:
    """The nearest directory upwards that looks like a project, or this one if none does."""
    for candidate in (directory, *directory.parents):
        if any((candidate / mark).exists() for mark in MARKS):
            return candidate
    return directory


def runs_of(root: Path, project: Path, *, limit: int) -> list[RunRow]:
    """The runs of one project, newest first."""
    own = str(project)
    rows = list_runs(root, limit=SEARCHED)
    return [row for row in rows if row.project_path == own][:limit]
