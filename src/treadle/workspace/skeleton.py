"""The parts of a clone's git directory that are Treadle's to say: settings, hooks, exclusions.

They are derived from the project every time, so nothing that an agent does to its own copies
lasts longer than its session.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from treadle.domain.agent import Identity
from treadle.workspace.attribution import HOOK, Attribution
from treadle.workspace.contents import NOTES, PRIVATE
from treadle.workspace.git import Git
from treadle.workspace.project import Project

HOOKS = ("commit-msg", "prepare-commit-msg")
OWNED = ("config", "info/exclude", "objects/info/alternates", "shallow")


@dataclass(frozen=True, slots=True)
class Clone:
    """A run's own repository: it borrows the project's objects and shares nothing else with it."""

    project: Project
    path: Path
    branch: str
    base: str  # the snapshot's commit
    identity: Identity
    attribution: Attribution = "removed"

    @property
    def git_dir(self) -> Path:
        return self.path / ".git"


def agent_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """For git in a tree that an agent writes to: no settings but the clone's own, no secrets."""
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


async def start_of(clone: Clone) -> str:
    """Where the run's branch begins: at what was imported already, or else at the snapshot."""
    return await clone.project.git.commit_of(f"refs/heads/{clone.branch}") or clone.base


async def write_skeleton(clone: Clone, directory: Path) -> None:
    """A repository in `directory` with the run's branch and no files, whatever was there before."""
    _empty(directory)
    project = clone.project
    form = await project.git.run("rev-parse", "--show-object-format")
    git = Git(directory, agent_environment(project.git.environment))
    await git.run("init", "--quiet", "--template=", f"--object-format={form}", str(directory))
    git_dir = directory / ".git"
    (git_dir / "HEAD").write_text(f"ref: refs/heads/{clone.branch}\n")
    with (git_dir / "config").open("a") as config:
        config.write(_settings(clone.identity))
    _write(git_dir / "info/exclude", await _exclusions(project))
    objects = await _git_path(project, "objects")
    _write(git_dir / "objects/info/alternates", f"{objects}\n".encode())
    shallow = await _git_path(project, "shallow")
    if shallow.exists():
        _write(git_dir / "shallow", shallow.read_bytes())
    await git.run("update-ref", f"refs/heads/{clone.branch}", await start_of(clone))
    (git_dir / "hooks").mkdir()
    if clone.attribution == "removed":
        for name in HOOKS:
            _write(git_dir / "hooks" / name, HOOK.encode())
            (git_dir / "hooks" / name).chmod(0o755)


def _empty(directory: Path) -> None:
    if directory.exists():
        shutil.rmtree(directory)
    directory.mkdir(parents=True)


def _write(path: Path, text: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text)


def _settings(identity: Identity) -> str:
    return (
        f"[user]\n\tname = {_quoted(identity.name)}\n\temail = {_quoted(identity.email)}\n"
        "[commit]\n\tgpgsign = false\n[tag]\n\tgpgsign = false\n"
        "[core]\n\thooksPath = .git/hooks\n\tfsmonitor = false\n"
        "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"
    )


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


async def _exclusions(project: Project) -> bytes:
    """What the user's own git ignores besides .gitignore, and what Treadle keeps for itself."""
    configured = await project.git.try_run("config", "--path", "--get", "core.excludesFile")
    sources = (
        Path(configured.output) if configured.ok else _default_excludes(project.git.environment),
        await _git_path(project, "info/exclude"),
    )
    theirs = [source.read_bytes() for source in sources if source is not None and source.is_file()]
    return b"\n".join([*theirs, f"/{NOTES}\n/{PRIVATE}/\n".encode()])


def _default_excludes(environment: Mapping[str, str]) -> Path | None:
    if folder := environment.get("XDG_CONFIG_HOME"):
        return Path(folder) / "git/ignore"
    home = environment.get("HOME")
    return Path(home) / ".config/git/ignore" if home else None


async def _git_path(project: Project, name: str) -> Path:
    # Relative to the root when it lies below it; a linked worktree shares most with its parent.
    return (project.root / await project.git.run("rev-parse", "--git-path", name)).resolve()
