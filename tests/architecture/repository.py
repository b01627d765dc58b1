"""Where the repository's own files are, for the tests that read them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "treadle"
DOCS = ROOT / "docs"

# Written by the build, not by us.
MADE = SOURCE / "_version.py"


@cache
def files() -> tuple[Path, ...]:
    """Every file that is or could be committed; in an unpacked archive, all but what tools made."""
    listing = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode == 0:
        names = (ROOT / name for name in listing.stdout.split("\0") if name)
        return tuple(sorted(path for path in names if path.is_file()))
    skipped = {".venv", ".git", "__pycache__", "build", "dist"}
    every = (path for path in ROOT.rglob("*") if path.is_file())
    return tuple(sorted(path for path in every if not skipped & set(path.relative_to(ROOT).parts)))


def modules(folder: Path) -> list[Path]:
    """The Python modules below a folder, without the one that the build writes."""
    return [
        path
        for path in files()
        if path.suffix == ".py" and path.is_relative_to(folder) and path != MADE
    ]


def name_of(path: Path) -> str:
    """A file as a person would point to it."""
    return path.relative_to(ROOT).as_posix()
