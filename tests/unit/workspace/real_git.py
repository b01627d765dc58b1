"""Real repositories in a temporary directory, with an environment built from nothing."""

import os
import shutil
import stat
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from treadle.adapters.agents.claude.kind import KIND as CLAUDE
from treadle.domain.agent import CommitIdentity
from treadle.domain.ids import RunId, make_run_id
from treadle.workspace.checkout_landing import LandingOutcome, land
from treadle.workspace.clone import Clone, CommitRules, make_clone
from treadle.workspace.commits import commit_round
from treadle.workspace.imports import ImportedBranch, NothingToImport, import_work
from treadle.workspace.project import Project, find_project
from treadle.workspace.quarantine import fetch_round
from treadle.workspace.snapshot import Snapshot, take_snapshot

RUN: RunId = make_run_id(unix_ms=1_700_000_000_000, random_bits=0x1234_5678_9ABC_DEF0)
BRANCH = "treadle/work-9abcdef0"
ADA = CommitIdentity("Ada", "ada@example.com")


@dataclass(frozen=True)
class State:
    """All that must stay as it is until a landing."""

    files: Mapping[str, tuple[int, bytes]]
    index: bytes | None
    head: str
    refs: tuple[str, ...]


@dataclass(frozen=True)
class Repository:
    path: Path
    environment: Mapping[str, str]

    def git(self, *arguments: str, stdin: str = "") -> str:
        ran = subprocess.run(
            ["git", "-C", str(self.path), *arguments],
            input=stdin.encode(),
            env=dict(self.environment),
            capture_output=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr.decode()
        return os.fsdecode(ran.stdout).removesuffix("\n")

    def write(self, name: str, text: str = "text\n") -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, message: str = "A commit", **files: str) -> str:
        for name, text in files.items():
            self.write(name, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    @property
    def git_dir(self) -> Path:
        return Path(self.git("rev-parse", "--absolute-git-dir"))

    def tree(self, commit: str = "HEAD") -> dict[str, str]:
        """The files of a commit with their text."""
        names = self.git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")[:-1]
        return {name: self.git("cat-file", "blob", f"{commit}:{name}") for name in names}

    def state(self) -> State:
        index = self.git_dir / "index"
        listing = self.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return State(
            files=files_of(self.path),
            index=index.read_bytes() if index.exists() else None,
            head=(self.git_dir / "HEAD").read_text(),
            refs=tuple(line for line in listing if not _is_ours(line)),
        )

    def refs(self, folder: str) -> dict[str, str]:
        listing = self.git("for-each-ref", "--format=%(refname) %(objectname)", folder)
        return dict(line.split(" ") for line in listing.splitlines())


def _is_ours(line: str) -> bool:
    return line.startswith(("refs/treadle/", "refs/heads/treadle/"))


def files_of(path: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below `path` but git's own, with its mode and its bytes or its target."""
    found = {}
    for folder, folders, files in os.walk(path):
        if ".git" in folders:
            folders.remove(".git")
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        for name in [*files, *links]:
            file = Path(folder) / name
            mode = file.lstat().st_mode
            text = os.fsencode(file.readlink()) if stat.S_ISLNK(mode) else b""
            text = file.read_bytes() if stat.S_ISREG(mode) else text
            found[str(file.relative_to(path))] = (mode, text)
    return found


def environment_in(directory: Path) -> dict[str, str]:
    home = directory / "home"
    home.mkdir(exist_ok=True)
    git = shutil.which("git")
    assert git is not None
    return {
        "PATH": f"{Path(git).parent}:{os.defpath}",
        "HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def empty_repository(
    directory: Path, name: str = "project", object_format: str = "sha1"
) -> Repository:
    environment = environment_in(directory)
    (directory / "home/.gitconfig").write_text(
        "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n"
        '[protocol "file"]\n\tallow = always\n'
    )
    path = directory / name
    path.mkdir()
    repository = Repository(path, environment)
    repository.git("init", "--quiet", f"--object-format={object_format}")
    return repository


def repository_in(directory: Path, name: str = "project") -> Repository:
    """A repository with one commit of two files."""
    repository = empty_repository(directory, name)
    repository.write("kept.txt", "kept\n")
    repository.write("changed.txt", "before\n")
    repository.commit("First")
    return repository


@dataclass(frozen=True)
class Run:
    """A run that has its clone."""

    user: Repository
    agent: Repository
    project: Project
    snapshot: Snapshot
    clone: Clone


async def run_on(
    user: Repository, credit_patterns: tuple[str, ...] = CLAUDE.credit_patterns
) -> Run:
    project = await find_project(user.path, user.environment)
    snapshot = await take_snapshot(project, RUN)
    clone = await make_clone(
        project,
        snapshot,
        branch=BRANCH,
        identity=ADA,
        into=user.path.parent / "runs" / "tree",
        rules=CommitRules(credit_patterns),
    )
    # As an agent is started: its own HOME, nothing of the user's settings.
    own = {**user.environment, "HOME": str(user.path.parent / "runs")}
    return Run(user, Repository(clone.path, own), project, snapshot, clone)


async def import_run(run: Run) -> ImportedBranch | NothingToImport:
    """What the end of a round does: commit the rest, import it all."""
    rest = await commit_round(run.clone, "Work")
    quarantine = await fetch_round(run.clone, rest.tip, run.clone.base)
    return await import_work(run.clone, RUN, rest.tip, source=quarantine.path)


async def deliver_on(user: Repository) -> LandingOutcome:
    """All that a run does with git, once: safe to be cut anywhere and told again."""
    run = await run_on(user)
    run.agent.write("new", "work")
    imported = await import_run(run)
    assert isinstance(imported, ImportedBranch)
    return await land(run.project, run.snapshot, imported, RUN)
