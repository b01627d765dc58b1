"""The user's repository: its root, its author, the git operation in progress, and the agent
settings that it contains."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import ProjectError
from treadle.policy.started_files import SearchFolders
from treadle.workspace.alternates import common_git_dir, object_directories
from treadle.workspace.git import Git, GitResult, time_limit_s, user_git
from treadle.workspace.project_root import project_key
from treadle.workspace.search_path import searched_in

# Files by which git itself recognises an unfinished operation.
_OPERATIONS = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
}


@dataclass(frozen=True, slots=True)
class Project:
    """A repository with a checkout. The key is derived from the path."""

    root: Path
    git_dir: Path
    key: str
    git: Git = field(repr=False, compare=False)
    # Where the user's shell and interpreters look for programs and modules in the project.
    searched: SearchFolders = field(default_factory=SearchFolders, repr=False, compare=False)


async def find_project(path: Path, environment: Mapping[str, str]) -> Project:
    """The repository that contains `path`; a linked worktree or submodule is a separate project."""
    _check_directory(path)
    git = user_git(_real(path), environment)
    inside = await git.try_run("rev-parse", "--is-inside-work-tree")
    if not inside.ok:
        raise _not_a_repository(path, inside)
    if inside.output != "true":
        raise ProjectError(
            f"{path} is a bare repository or a git directory: it has no files to work on",
            hint="clone it, and start treadle in the clone",
        )
    root = _real(Path(await git.run("rev-parse", "--show-toplevel")))
    git_dir = Path(await git.run("rev-parse", "--absolute-git-dir"))
    git = user_git(root, environment, repository_limit_s(git_dir))
    searched = SearchFolders(
        searched_in(environment.get("PATH", ""), root),
        (
            *searched_in(environment.get("PYTHONPATH", ""), root),
            *searched_in(environment.get("NODE_PATH", ""), root),
        ),
    )
    return Project(root, git_dir, project_key(root), git, searched)


def repository_limit_s(git_dir: Path) -> float:
    """How long one git command may take in this repository."""
    packs = (path for objects in object_directories(git_dir) for path in objects.glob("pack/*"))
    return time_limit_s(
        index_bytes=_size(git_dir / "index"), pack_bytes=sum(_size(path) for path in packs)
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # git may replace a file at any time
        return 0


def _real(path: Path) -> Path:
    return path.resolve()


def _check_directory(path: Path) -> None:
    if not path.exists():
        raise ProjectError(f"{path} does not exist", hint="check the path given to --project-dir")
    if not path.is_dir():
        raise ProjectError(f"{path} is not a directory", hint="give the directory of a project")
    if not os.access(path, os.R_OK | os.X_OK):
        raise ProjectError(f"{path} cannot be read", hint="check its permissions with `ls -ld`")


def _not_a_repository(path: Path, result: GitResult) -> ProjectError:
    if "dubious ownership" in result.stderr:
        return ProjectError(
            f"{path} belongs to another user, so git does not trust it",
            hint=f"if you do: git config --global --add safe.directory {path.resolve()}",
        )
    if "not a git repository" in result.stderr:
        return ProjectError(
            f"{path} is not a git repository", hint="run `treadle init` (it offers to make one)"
        )
    return ProjectError(f"git cannot read {path}: {result.error_line}", hint="see `git status`")


async def read_identity(project: Project) -> CommitIdentity:
    """The author of commits: the identity configured for git here, never a guessed one."""
    result = await project.git.try_run("-c", "user.useConfigOnly=true", "var", "GIT_AUTHOR_IDENT")
    name, _, rest = result.output.partition(" <")
    email = rest.partition(">")[0]
    if not result.ok or not name or not email:
        raise ProjectError(
            "git does not know your name and e-mail address, which commits carry",
            hint='git config --global user.name "Your Name" && '
            "git config --global user.email you@example.com",
        )
    return CommitIdentity(name, email)


def require_writable(project: Project) -> None:
    """Raise if the run could not keep its commits in the project's repository."""
    repository = common_git_dir(project.git_dir)
    for path in (project.git_dir, repository, repository / "objects", repository / "refs"):
        if path.is_dir() and not os.access(path, os.W_OK | os.X_OK):
            raise ProjectError(
                f"{path} cannot be written, and a run keeps its work there",
                hint="work in your own clone, or check its permissions with `ls -ld`",
            )


def operation_in_progress(git_dir: Path) -> str | None:
    """The unfinished git operation with its article, such as "a rebase"."""
    return next(
        (name for file, name in _OPERATIONS.items() if (git_dir / file).exists()),
        None,
    )


def find_agent_settings(workspace: Path, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the agent's own settings that exist; a link counts, even a broken one. Each could
    make an agent run programs or follow instructions that the user has not reviewed."""
    existing = (
        name for name in names if (workspace / name).is_symlink() or _exists(workspace, name)
    )
    return tuple(existing)


def ignored_settings_notice(settings: tuple[str, ...]) -> str:
    """One sentence for the user; empty if there are no such settings."""
    if not settings:
        return ""
    subject = "they are" if len(settings) > 1 else "it is"
    return (
        f"the project has {', '.join(settings)}: {subject} not loaded; hooks, servers and tools "
        "of a run come from treadle.toml"
    )


def _exists(workspace: Path, name: str) -> bool:
    path = workspace / name
    try:
        # An empty directory does not count: sandboxes create some as mount points.
        return any(path.iterdir()) if path.is_dir() else path.exists()
    except OSError:
        return True
