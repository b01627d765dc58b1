"""Reads the folders of increments, as people and agents left them; writes new ones."""

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.increment import Increment, IncrementList, IncrementProblem
from treadle.workflows.auto.front_matter import (
    FrontMatterError,
    read_front_matter,
    split_front_matter,
)
from treadle.workflows.auto.increment_order import resolve_dependencies
from treadle.workspace.branch import slug

FOLDER = ".treadle/increments"
SPEC_FILE = "spec.md"
PLAN_FILE = "plan.md"
TASKS_FILE = "tasks.md"
NAME = re.compile(r"[0-9]{4}-[a-z0-9][a-z0-9-]{0,80}")
LONGEST = 4_000_000
MOST = 1_000
_HEADING = re.compile(r"#{1,6}\s+(\S.*)", re.DOTALL)
_LONGEST_TITLE = 200


class UnusableFile(Exception):
    """Why a file cannot be read, in a few words."""


def read_increments(project: Path) -> IncrementList:
    """The increments of the project, and one problem for each folder that is none."""
    folder = project / FOLDER
    try:
        names = sorted(_folders(folder))
    except FileNotFoundError:
        return IncrementList()
    except OSError as error:
        return IncrementList((), (IncrementProblem(FOLDER, f"cannot be read: {error.strerror}"),))
    read = [_read(folder, name) for name in names[:MOST]]
    problems = [each for each in read if isinstance(each, IncrementProblem)]
    if len(names) > MOST:
        problems.append(
            IncrementProblem(FOLDER, f"has more than {MOST} folders; the rest is left out")
        )
    listed = tuple(each for each in read if isinstance(each, Increment))
    return resolve_dependencies(IncrementList(listed, tuple(problems)))


def read_specification(project: Path, name: str) -> str:
    """The text of the increment without its front matter, then its plan and its tasks."""
    folder = project / FOLDER / name
    try:
        parts = [split_front_matter(_text(folder / SPEC_FILE))[1]]
        parts += [
            _text(folder / file) for file in (PLAN_FILE, TASKS_FILE) if _exists(folder / file)
        ]
    except (FrontMatterError, UnusableFile) as error:
        raise UsageError(f"{FOLDER}/{name}: {error}", hint="treadle increments ls") from None
    return "\n\n".join(part.strip() for part in parts) + "\n"


def find_increments(project: Path, content: str) -> tuple[str, ...]:
    """The increments whose specification is exactly this."""
    folder, found = project / FOLDER, []
    for name in read_increments(project).names:
        with suppress(UnusableFile):
            if _text(folder / name / SPEC_FILE) == content:
                found.append(name)
    return tuple(found)


def write_increment(project: Path, title: str, content: str) -> str:
    """Write the next increment; returns its name. Never overwrites one."""
    folder = project / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{_next_number(folder):04}-{slug(title)}"
        (folder / name).mkdir()
        with (folder / name / SPEC_FILE).open("x", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        raise ProjectError(
            f"cannot write {folder}: {error.strerror}",
            hint="make it a directory you can write to, on a disk with free space",
        ) from error
    return name


def increment_text(title: str, text: str, depends_on: Sequence[str]) -> str:
    """What spec.md says: front matter, a heading unless the text has one, the text."""
    needed = f"---\ndepends_on: [{', '.join(depends_on)}]\n---\n\n" if depends_on else ""
    heading = "" if heading_of(text) else f"# {title}\n\n"
    return f"{needed}{heading}{text.strip()}\n"


def heading_of(text: str) -> str:
    """The first heading; empty without one."""
    return next(filter(None, map(_heading, _lines(text))), "")


def _heading(line: str) -> str:
    """The words of a heading without its marks; empty for any other line."""
    found = _HEADING.fullmatch(line)
    return (found[1].rstrip().rstrip("#").rstrip() or found[1][:1]) if found else ""


def _next_number(folder: Path) -> int:
    numbers = [int(name[:4]) for name in _folders(folder) if re.match(r"[0-9]{4}(?![0-9])", name)]
    number = max(numbers, default=0) + 1
    if number > 9999:
        raise UsageError("no number is left for an increment", hint=f"tidy {FOLDER}")
    return number


def _folders(folder: Path) -> list[str]:
    if folder.is_symlink() or folder.parent.is_symlink():
        raise OSError(0, "it is a link")
    with os.scandir(folder) as entries:
        return [each.name for each in entries if not each.name.startswith(".")]


def _read(folder: Path, name: str) -> Increment | IncrementProblem:
    if not NAME.fullmatch(name):
        return IncrementProblem(name, "is not named as an increment: 0001-name, in small letters")
    path = folder / name
    if path.is_symlink() or not path.is_dir():
        return IncrementProblem(name, "is not a folder")
    try:
        matter, body = split_front_matter(_text(path / SPEC_FILE))
        known = read_front_matter(matter)
        has_plan, has_tasks = (_exists(path / file) for file in (PLAN_FILE, TASKS_FILE))
    except FrontMatterError as error:
        return IncrementProblem(name, f"{SPEC_FILE}: {error}")
    except UnusableFile as error:
        return IncrementProblem(name, str(error))
    if not _has_content(body):
        return IncrementProblem(name, f"{SPEC_FILE} is still empty: write down what must hold")
    title = (known.title or heading_of(body) or name)[:_LONGEST_TITLE]
    return Increment(name, title, known.depends_on, known.wip, has_plan, has_tasks)


def _text(path: Path) -> str:
    """The text of a regular file; a link, a pipe or a very large one is refused."""
    try:
        # Non-blocking: opening a pipe in its place would hang.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise UnusableFile(f"has no {path.name}") from None
    except OSError as error:
        why = "it is a link" if path.is_symlink() else error.strerror
        raise UnusableFile(f"{path.name} cannot be read: {why}") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnusableFile(f"{path.name} is not a file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(LONGEST + 1)
    finally:
        os.close(descriptor)
    if len(content) > LONGEST:
        raise UnusableFile(f"{path.name} has more than {LONGEST:,} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise UnusableFile(f"{path.name} is not UTF-8 text (byte {error.start})") from None


def _exists(path: Path) -> bool:
    return os.path.lexists(path)


def _lines(body: str) -> list[str]:
    return [line.strip() for line in body.splitlines() if line.strip()]


def _has_content(body: str) -> bool:
    return any(not _heading(line) for line in _lines(body))
