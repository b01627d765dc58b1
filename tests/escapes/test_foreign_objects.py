"""A project that borrows objects from another one lends a run only what it needs itself."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.escapes.callers import Caller
from tests.escapes.running import run
from tests.unit.workspace.real_git import ADA, BRANCH, RUN, Repository, repository_in
from treadle.domain.sandbox import Confinement
from treadle.workspace.alternates import alternates_files, lent_directories, object_directories
from treadle.workspace.clean_checkout import CleanCheckout
from treadle.workspace.clone import CommitRules, make_clone
from treadle.workspace.project import Project, find_project
from treadle.workspace.snapshot import take_snapshot

SECRET = "a secret of another project"
HISTORY = ("git", "rev-list", "--objects", "HEAD")


@dataclass(frozen=True)
class Borrower:
    """A project that was cloned with `--reference`, and a run on it."""

    user: Repository
    project: Project
    run_directory: Path
    foreign: str  # an object that only the other project has

    @property
    def workspace(self) -> Path:
        return self.run_directory / "workspace"

    def confined_to(self, workspace: Path) -> Confinement:
        git_dir, home = self.project.git_dir, self.run_directory / "home"
        home.mkdir(exist_ok=True)
        return Confinement(
            workspace,
            home,
            readable=lent_directories(git_dir, self.run_directory),
            emptied=alternates_files(git_dir),
        )


@pytest.fixture(params=["loose", "packed", "two levels"])
async def borrower(request: pytest.FixtureRequest, tmp_path: Path) -> Borrower:
    other = repository_in(tmp_path, "other")
    other.commit("Theirs", shared="1")
    reference = other.path
    foreign = other.git("hash-object", "-w", str(other.write("secret", SECRET)))
    if request.param == "packed":
        other.commit("Secret")
        other.git("repack", "-adq")
        other.git("reset", "--quiet", "--hard", "HEAD~1")
    if request.param == "two levels":
        reference = tmp_path / "middle"
        other.git("clone", "--quiet", "--shared", str(other.path), str(reference))
    path = tmp_path / "project"
    address = f"file://{other.path}"
    other.git("clone", "--quiet", "--reference", str(reference), address, str(path))
    user = Repository(path, other.environment)
    user.commit("Mine", mine="1")
    project = await find_project(user.path, user.environment)
    return Borrower(user, project, tmp_path / "run", foreign)


async def clone_of(borrower: Borrower) -> None:
    snapshot = await take_snapshot(borrower.project, RUN)
    await make_clone(
        borrower.project,
        snapshot,
        branch=BRANCH,
        identity=ADA,
        into=borrower.workspace,
        rules=CommitRules(),
    )


async def test_a_session_has_the_history_of_its_project_and_nothing_of_the_other(
    us: Caller, borrower: Borrower
) -> None:
    await clone_of(borrower)
    within = borrower.confined_to(borrower.workspace)

    listed = run(us, HISTORY, within)
    read = run(us, ("git", "cat-file", "-p", borrower.foreign), within)

    assert (listed.returncode, listed.stderr) == (0, "")
    assert sorted(listed.stdout.splitlines()) == sorted(
        borrower.user.git(*HISTORY[1:]).splitlines()
    )
    assert (read.returncode, SECRET in read.stdout) == (128, False)


async def test_a_check_has_the_history_of_its_project_and_nothing_of_the_other(
    us: Caller, borrower: Borrower
) -> None:
    checkout = CleanCheckout(borrower.run_directory / "proving")
    await checkout.prepare(borrower.project, borrower.user.head)
    within = borrower.confined_to(checkout.work)

    listed = run(us, HISTORY, within)
    read = run(us, ("git", "cat-file", "-p", borrower.foreign), within)

    assert (listed.returncode, listed.stderr) == (0, "")
    assert (read.returncode, SECRET in read.stdout) == (128, False)


async def test_with_all_object_directories_in_reach_it_would_be_read(
    us: Caller, borrower: Borrower
) -> None:
    await clone_of(borrower)
    everything = object_directories(borrower.project.git_dir)
    within = Confinement(borrower.workspace, borrower.run_directory, readable=everything)

    read = run(us, ("git", "cat-file", "-p", borrower.foreign), within)

    assert read.stdout == SECRET


async def test_a_project_that_borrows_nothing_is_lent_as_it_is(tmp_path: Path) -> None:
    user = repository_in(tmp_path)
    project = await find_project(user.path, user.environment)
    borrower = Borrower(user, project, tmp_path / "run", "")

    await clone_of(borrower)

    assert lent_directories(project.git_dir, borrower.run_directory) == (user.git_dir / "objects",)
    assert sorted(path.name for path in borrower.run_directory.iterdir()) == ["workspace"]
