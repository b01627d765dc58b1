"""Reads and settles the files of a backlog: items, why one failed, open spec issues."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.workflows.focus.workflow import LONGEST_WORDS
from treadle.workspace.hostile_files import read_start

BACKLOG = Path(".treadle") / "backlog"
ISSUES = Path(".treadle") / "spec-issues"
# Others are what editors leave beside an item, or temporary.
ENDINGS = (".md", ".txt")
# Beside an item: why its run did not succeed.
FAILED = ".failed.txt"
# Where an item is while it is removed; hidden, so that it is none.
ASIDE = ".removed"
# Of a file, in bytes: no text of so many characters needs more.
LARGEST = 4 * LONGEST_WORDS
# In bytes, so that the names of what lies beside an item fit, too.
LONGEST_NAME = 200
# Of the folder of specifications.
MOST_FILES = 10_000
# All are read at each look.
MOST_ITEMS = 1_000


@dataclass(frozen=True, slots=True)
class BacklogItem:
    """One file; its version changes with its content."""

    name: str
    version: str
    text: str
    # Whether the reason of a failure is still beside it.
    has_reason: bool = False


@dataclass(frozen=True, slots=True)
class BacklogView:
    """The files at one moment: items in the order of their names."""

    items: tuple[BacklogItem, ...] = ()
    issues: tuple[str, ...] = ()
    # When an item, a specification or the list of issues was last changed.
    changed_at: datetime | None = None


def look_at(project: Path, specs: str) -> BacklogView:
    """Read all files; raises ProjectError if one cannot be read."""
    backlog = project / BACKLOG
    try:
        files = [path for path in _files(backlog) if _is_item_name(path.name)]
        if len(files) > MOST_ITEMS:
            raise ProjectError(
                f"{backlog} has more than {MOST_ITEMS:,} items",
                hint="keep the last ones elsewhere until the first are done",
            )
        items = read_items(files)
        issues = tuple(path.name for path in _files(project / ISSUES))
    except OSError as error:
        raise ProjectError(
            f"cannot read {error.filename}: {error.strerror}",
            hint="make it a file that you can read",
        ) from error
    watched = [*files, project / ISSUES, *_specifications(project / specs)]
    return BacklogView(items, issues, _newest(watched))


def read_items(files: Iterable[Path]) -> tuple[BacklogItem, ...]:
    """The items in these files, without those that are gone again."""
    read = (_read_item(path) for path in files)
    return tuple(item for item in read if item is not None)


def remove_item(project: Path, item: BacklogItem) -> bool:
    """Remove the item if it still has this content; whether it is gone.

    It is moved away first, so that nothing is removed that was written after the comparison.
    """
    path = project / BACKLOG / item.name
    aside = path.with_name(f".{item.name}{ASIDE}")
    with _changing("remove", path):
        try:
            path.rename(aside)
        except FileNotFoundError:
            return True
        if version_of(read_start(aside, LARGEST + 1) or b"") != item.version:
            _put_back(aside, path)
            return False
        aside.unlink()
    forget_reason(project, item.name)
    return True


def is_there(project: Path, name: str) -> bool:
    """Whether there is a file of this name, an item or not."""
    return os.path.lexists(project / BACKLOG / name)


def restore_items(project: Path) -> None:
    """Put back what an interrupted removal has moved away, which is a plain file."""
    for aside in _plain_folder(project / BACKLOG).glob(f".?*{ASIDE}"):
        if aside.is_file() and not aside.is_symlink():
            with _changing("restore", aside):
                _put_back(aside, aside.with_name(aside.name[1:].removesuffix(ASIDE)))


def _put_back(aside: Path, path: Path) -> None:
    """Unless a new file has taken the name: then both are kept."""
    with suppress(FileExistsError):
        path.hardlink_to(aside)
        aside.unlink()


def write_reason(project: Path, name: str, text: str) -> str:
    """Write beside the item why it failed; returns the path in the project."""
    path = reason_path(project, name)
    forget_reason(project, name)
    # Exclusive: a link at that name is not followed.
    with _changing("write", path), path.open("xb") as file:
        file.write(f"{text.rstrip()}\n".encode(errors="replace"))
    return str(path.relative_to(project))


def forget_reason(project: Path, name: str) -> None:
    with _changing("remove", path := reason_path(project, name)):
        path.unlink(missing_ok=True)


@contextmanager
def _changing(verb: str, path: Path) -> Iterator[None]:
    """Raises ProjectError for what cannot be changed, such as a folder in the place of a file."""
    try:
        yield
    except OSError as error:
        hint = "make its folder writable, or remove what is in its place"
        raise ProjectError(f"cannot {verb} {path}: {error.strerror}", hint=hint) from error


def reason_path(project: Path, name: str) -> Path:
    return project / BACKLOG / f"{name}{FAILED}"


def version_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def _files(folder: Path) -> list[Path]:
    """The files in the order of their names; editors hide theirs."""
    if not _plain_folder(folder).is_dir():
        return []
    names = (path for path in folder.iterdir() if not path.name.startswith("."))
    files = (path for path in names if path.is_symlink() or path.is_file())
    return sorted(files, key=lambda path: path.name)


def _plain_folder(folder: Path) -> Path:
    for each in (folder.parent, folder):
        if each.is_symlink():
            raise ProjectError(f"{each} is a link", hint="make it a folder of the project")
    return folder


def _is_item_name(name: str) -> bool:
    return name.endswith(ENDINGS) and not name.endswith(FAILED) and name[0] not in "#~"


def _read_item(path: Path) -> BacklogItem | None:
    """An item; None for a file that is gone again or has no text yet. Raises ProjectError for one
    that is none, such as a link to one elsewhere."""
    content = read_start(path, LARGEST + 1)
    if content is None and not os.path.lexists(path):
        return None
    if reason := _why_no_item(path, content):
        shown = os.fsencode(path).decode(errors="replace")
        raise ProjectError(f"{shown} is not an item: {reason}", hint="rename, replace or remove it")
    content = content or b""
    text = content.decode(errors="replace")
    if not text.strip():
        return None
    has_reason = path.with_name(f"{path.name}{FAILED}").exists()
    return BacklogItem(path.name, version_of(content), text, has_reason)


def _why_no_item(path: Path, content: bytes | None) -> str:
    """An item that the log of the queue cannot name would be done again and again."""
    try:
        name = path.name.encode()
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    if len(name) > LONGEST_NAME:
        return f"its name has more than {LONGEST_NAME} bytes"
    if path.is_symlink():
        return "it is a link"
    if content is None:
        return "it cannot be read"
    # A run would begin with a part of it, and the whole would be removed.
    if len(content) > LARGEST or len(content.decode(errors="replace")) > LONGEST_WORDS:
        return f"it has more than {LONGEST_WORDS:,} characters"
    return ""


def _specifications(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return [folder]
    return [path for path, _ in zip(folder.rglob("*"), range(MOST_FILES), strict=False)]


def _newest(paths: list[Path]) -> datetime | None:
    times = []
    for path in paths:
        # Removed meanwhile.
        with suppress(OSError):
            # Not of what a link leads to, which may change all the time.
            times.append(path.lstat().st_mtime)
    return datetime.fromtimestamp(max(times), UTC) if times else None
