"""Writes the parts of a clone's git directory that Treadle sets: settings, hooks, exclusions.

They are restored from the project each time, so an agent's changes to them last no longer than its
session. Git is asked once for their sources, so restoring them starts no process.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import ProjectError
from treadle.domain.suite_report import REPORTS_FOLDER
from treadle.workspace.alternates import lent_directories
from treadle.workspace.attribution import hook_script
from treadle.workspace.disk import is_written, remove, writing_to
from treadle.workspace.disk_tree import NOTES_FILE, PRIVATE_FOLDER
from treadle.workspace.git import Git
from treadle.workspace.project import Project

# Never added to a commit; a tracked file stays tracked.
BUILD_PRODUCTS = (
    *("__pycache__/", "*.py[co]", ".venv/", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/"),
    *("node_modules/", ".DS_Store"),
)
# Signs of a pattern, and a blank at its end, which git would drop.
_SPECIAL = re.compile(r"[*?\[\]\\]| $")
HOOKS = ("commit-msg", "prepare-commit-msg")


@dataclass(frozen=True, slots=True)
class CloneSources:
    """The sources of a clone's settings, objects and exclusions."""

    disk_settings: bytes  # the config that `git init` writes for this disk and hash
    repository: Path  # the project's git directory, which all its worktrees share
    excludes: Path | None  # the user's global ignore file


@dataclass(frozen=True, slots=True)
class CommitRules:
    """What the clone's own git leaves out of commits."""

    # Lines that are taken out of commit messages; see `attribution`.
    credit_patterns: tuple[str, ...] = ()
    # Paths of the user's files that are never added to a commit.
    excluded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clone:
    """A run's own repository: it reads the project's objects and shares nothing else with it."""

    project: Project
    path: Path
    branch: str
    base: str  # the snapshot's commit
    identity: CommitIdentity
    sources: CloneSources = field(repr=False)
    rules: CommitRules = field(default_factory=CommitRules)

    @property
    def git_dir(self) -> Path:
        return self.path / ".git"

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"


def agent_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for git in an agent's tree: only the clone's settings, no secrets."""
    kept = {name: environment[name] for name in ("TMPDIR",) if name in environment}
    return {
        **kept,
        "PATH": environment.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "XDG_CONFIG_HOME": "/nonexistent",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DEFAULT_REF_FORMAT": "files",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }


async def find_sources(project: Project, scratch: Path) -> CloneSources:
    """Ask git about the project, and about the disk with a repository in `scratch`."""
    answer = await project.git.run("rev-parse", "--show-object-format", "--git-common-dir")
    object_format, _, folder = answer.partition("\n")
    excludes = await find_excludes(project)
    with writing_to(scratch):
        _make_empty(scratch)
        git = Git(scratch, agent_environment(project.git.environment), program=project.git.program)
        await git.run(
            "init", "--quiet", "--template=", f"--object-format={object_format}", str(scratch)
        )
        disk_settings = (scratch / ".git/config").read_bytes()
        remove(scratch)
    return CloneSources(
        disk_settings,
        # Git prints a path below the root as relative.
        (project.root / folder).resolve(),
        excludes,
    )


async def find_excludes(project: Project) -> Path | None:
    """The user's ignore file for all projects. Git reads a relative one from the checkout's top."""
    configured = await project.git.try_run("config", "--path", "--get", "core.excludesFile")
    if configured.ok:
        return project.root / configured.output
    return _default_excludes(project.git.environment)


def require_project(clone: Clone) -> None:
    """Raise if the project's repository is gone: git's own messages do not say so."""
    repository = clone.sources.repository
    parts = (clone.project.root, clone.project.git_dir, repository / "objects")
    if all(part.is_dir() for part in parts) and (repository / "HEAD").is_file():
        return
    raise ProjectError(
        f"the project's repository is gone; this round's files are in {clone.path}",
        hint=f"put {repository} back, or copy from there what you want to keep",
    )


def _default_excludes(environment: Mapping[str, str]) -> Path | None:
    if folder := environment.get("XDG_CONFIG_HOME"):
        return Path(folder) / "git/ignore"
    home = environment.get("HOME")
    return Path(home) / ".config/git/ignore" if home else None


async def write_empty_clone(clone: Clone, directory: Path) -> None:
    """Replace `directory` by a repository with the run's branch and no files.

    The branch starts at the last import, or at the snapshot if there is none.
    """
    _make_empty(directory)
    git_dir = directory / ".git"
    for folder in ("objects", "refs/heads"):
        (git_dir / folder).mkdir(parents=True)
    (git_dir / "HEAD").write_text(f"ref: {clone.ref}\n")
    restore_git_dir(clone, git_dir)
    user = clone.project.git
    git = Git(directory, agent_environment(user.environment), program=user.program)
    start = await clone.project.git.commit_of(clone.ref) or clone.base
    await git.run("update-ref", clone.ref, start)


def _make_empty(directory: Path) -> None:
    remove(directory)
    directory.mkdir(parents=True)


def restore_git_dir(clone: Clone, git_dir: Path) -> None:
    """Write Treadle's parts over the existing ones."""
    sources = clone.sources
    settings = sources.disk_settings + _settings(clone.identity).encode()
    _write(git_dir / "config", settings)
    _write(git_dir / "info/exclude", _exclusions(sources, clone.rules.excluded))
    directories = lent_directories(sources.repository, clone.path.parent)
    alternates = "".join(f"{directory}\n" for directory in directories)
    _write(git_dir / "objects/info/alternates", os.fsencode(alternates))
    shallow = sources.repository / "shallow"
    if shallow.exists():
        _write(git_dir / "shallow", shallow.read_bytes())
    else:
        remove(git_dir / "shallow")
    _write_hooks(git_dir / "hooks", clone.rules.credit_patterns)


def _write_hooks(folder: Path, credit_patterns: tuple[str, ...]) -> None:
    names = HOOKS if credit_patterns else ()
    text = hook_script(credit_patterns).encode()
    if _contains_exactly(folder, names) and all(
        is_written(folder / name, text, rights=0o700) for name in names
    ):
        return
    remove(folder)
    folder.mkdir()
    for name in names:
        (folder / name).write_bytes(text)
        (folder / name).chmod(0o755)


def _contains_exactly(folder: Path, names: tuple[str, ...]) -> bool:
    if folder.is_symlink() or not folder.is_dir():
        return False
    return {path.name for path in folder.iterdir()} == {*names}


def _write(path: Path, text: bytes) -> None:
    if is_written(path, text):
        return
    # Removed first: writing to a pipe at this path would block.
    remove(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


def _settings(identity: CommitIdentity) -> str:
    return (
        f"[user]\n\tname = {_quoted(identity.name)}\n\temail = {_quoted(identity.email)}\n"
        "[commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n"
        "[core]\n\thooksPath = .git/hooks\n\tfsmonitor = false\n\tbigFileThreshold = 32m\n"
        # Files beside the objects, which an agent could forge.
        "\tmultiPackIndex = false\n[pack]\n\tuseBitmaps = false\n"
        # What a fetch may take beside the objects.
        "\tthreads = 4\n\twindowMemory = 256m\n"
        "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    )


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _exclusions(sources: CloneSources, excluded: tuple[str, ...]) -> bytes:
    """The user's own exclusions besides .gitignore, build products, and Treadle's files."""
    files = (sources.excludes, sources.repository / "info/exclude")
    theirs = [file.read_bytes() for file in files if file is not None and file.is_file()]
    ours = "".join(
        f"{line}\n"
        for line in (*BUILD_PRODUCTS, f"/{NOTES_FILE}", f"/{PRIVATE_FOLDER}/", f"{REPORTS_FOLDER}/")
    )
    literal = [os.fsencode("/" + _SPECIAL.sub(r"\\\g<0>", path)) for path in excluded]
    return b"\n".join([*theirs, *literal, ours.encode()])
