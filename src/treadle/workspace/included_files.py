"""The user's own files that `workspace.include` gives to setup, checks and tests.

They are in no commit. An agent may have replaced any directory of its workspace by a link, so each
directory is opened relative to its parent.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.errors import ProjectError
from treadle.workspace.disk import writing_to
from treadle.workspace.disk_tree import is_private
from treadle.workspace.git import Git
from treadle.workspace.output_files import matching_files
from treadle.workspace.project import Project
from treadle.workspace.snapshot import inspect_checkout

MOST_FILES = 2000
MOST_BYTES = 256 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_BLOCKED = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EISDIR, errno.EPERM)
_NEEDED = re.compile(
    r"\.env\.(?:test|testing|ci|development|dev|local)(?:\.local)?"
    r"|.+\.local\.(?:json|ya?ml|toml|ini|js|ts|py|rb|php)"
    r"|(?:local|local_settings|settings_local)\.(?:json|ya?ml|toml|ini|js|ts|py|rb|php)"
    r"|appsettings\.(?:Development|Test|Local)\.json|database\.yml|master\.key"
)


@dataclass(frozen=True, slots=True)
class IncludedFiles:
    """Files of the user's checkout that git does not track; some of them are for the agent, too."""

    root: Path = Path("/")
    names: tuple[str, ...] = ()
    for_agent: tuple[str, ...] = ()

    @property
    def all_sources(self) -> dict[str, Path]:
        """Where the files are in the user's checkout, by name."""
        return self._sources(self.names)

    @contextmanager
    def in_workspace(self, workspace: Path) -> Iterator[None]:
        """Let a command of the project have all files; afterwards the agent has only its own."""
        place_files(self.all_sources, workspace)
        try:
            yield
        finally:
            self.leave_for_agent(workspace)

    def leave_for_agent(self, workspace: Path) -> None:
        """The agent's files are in the workspace, and no others, also after a killed process."""
        remove_files(workspace, [name for name in self.names if name not in self.for_agent])
        place_files(self._sources(self.for_agent), workspace)

    def _sources(self, names: Sequence[str]) -> dict[str, Path]:
        return {name: self.root / name for name in names}


async def find_included(
    project: Project, include: Sequence[str], for_agent: Sequence[str]
) -> IncludedFiles:
    """The files that match, as far as git ignores them or a snapshot leaves them out.

    All others are part of the snapshot. Raises ProjectError if there are too many.
    """
    names = await _find_matching(project, (*include, *for_agent))
    shared = frozenset(_matching(project.root, for_agent)) if names and for_agent else frozenset()
    return IncludedFiles(project.root, names, tuple(name for name in names if name in shared))


async def _find_matching(project: Project, patterns: Sequence[str]) -> tuple[str, ...]:
    found = _matching(project.root, patterns) if patterns else ()
    if not found:
        return ()
    ignored = await ignored_files(project.git, found)
    left_out = frozenset[str]()
    if len(ignored) < len(found):
        _, secrets = await inspect_checkout(project)
        left_out = frozenset(secrets.left_out)
    names = tuple(name for name in found if name in ignored or name in left_out)
    size = sum((project.root / name).stat().st_size for name in names)
    if len(names) > MOST_FILES or size > MOST_BYTES:
        raise ProjectError(
            f"workspace.include matches {len(names)} files of {size >> 20} MB in all",
            hint=f"at most {MOST_FILES} files of {MOST_BYTES >> 20} MB are copied: name fewer",
        )
    return names


def _matching(root: Path, patterns: Sequence[str]) -> tuple[str, ...]:
    # A line break cannot be written into git's list of exclusions.
    return tuple(
        name
        for name in matching_files(root, patterns)
        if "\n" not in name and not is_private(name) and ".git" not in name.split("/")
    )


async def ignored_files(git: Git, names: Sequence[str]) -> frozenset[str]:
    """Those of the files that git ignores."""
    listing = b"".join(os.fsencode(name) + b"\0" for name in names)
    result = await git.try_run("check-ignore", "-z", "--stdin", stdin=listing)
    if result.exit_code not in (0, 1):
        raise ProjectError(
            f"workspace.include: git cannot say what it ignores: {result.error_line}",
            hint="name no files of submodules",
        )
    return frozenset(result.output.split("\0")[:-1])


def files_to_offer(ignored: Sequence[str]) -> tuple[str, ...]:
    """Those of the ignored files that tests seem to need, by their names."""
    return tuple(name for name in ignored if _NEEDED.fullmatch(name.rpartition("/")[2]))


async def find_files_to_offer(project: Project) -> tuple[str, ...]:
    """The ignored files of a checkout that tests seem to need."""
    # With --directory, git does not list what is in a folder that is ignored as a whole.
    listing = await project.git.run(
        "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"
    )
    return files_to_offer([name for name in listing.split("\0") if name])


def place_files(sources: Mapping[str, Path], target: Path) -> None:
    """Copy files to these paths below `target`, over those that are there; never through a link."""
    for name, source in sources.items():
        with writing_to(target), _unless_blocked(), _open_parent(target, name, _make) as folder:
            base = name.rpartition("/")[2]
            with suppress(FileNotFoundError):
                os.unlink(base, dir_fd=folder)
            _copy(source, base, folder)


def remove_files(target: Path, names: Sequence[str]) -> None:
    """Remove files that `place_files` copied; never through a link."""
    for name in names:
        with writing_to(target), _unless_blocked(), _open_parent(target, name) as folder:
            os.unlink(name.rpartition("/")[2], dir_fd=folder)


def _copy(source: Path, name: str, folder: int) -> None:
    with os.fdopen(os.open(source, _READ), "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode):
            return
        rights = stat.S_IMODE(mode) | stat.S_IRUSR | stat.S_IWUSR
        with os.fdopen(os.open(name, _NEW, rights, dir_fd=folder), "wb") as copy:
            while chunk := file.read(_CHUNK):
                copy.write(chunk)


@contextmanager
def _unless_blocked() -> Iterator[None]:
    """Go on if there is no file, or a link or a directory where a directory or a file should be."""
    try:
        yield
    except OSError as error:
        if error.errno not in _BLOCKED:
            raise


def _find(part: str, folder: int) -> None:
    """The directory must be there."""


def _make(part: str, folder: int) -> None:
    with suppress(FileExistsError):
        os.mkdir(part, dir_fd=folder)


@contextmanager
def _open_parent(top: Path, name: str, ensure: Callable[[str, int], None] = _find) -> Iterator[int]:
    """The directory of a file."""
    opened = [os.open(top, _FOLDER)]
    try:
        for part in name.split("/")[:-1]:
            ensure(part, opened[-1])
            opened.append(os.open(part, _FOLDER, dir_fd=opened[-1]))
        yield opened[-1]
    finally:
        for descriptor in opened:
            os.close(descriptor)
