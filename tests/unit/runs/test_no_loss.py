"""Random lives of runs on real git: no commit is lost, and the user's checkout stays as it is.

`make no-loss` tries many more and longer ones.
"""

import asyncio
import subprocess
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.unit.runs.killed_command import run_killed
from tests.unit.runs.old_runs import RunsHarness, StoredRun
from tests.unit.workspace.real_git import Repository, State
from treadle.domain.errors import UsageError
from treadle.runs.cancel import cancel
from treadle.runs.work_log import WorkLog, read_work_log
from treadle.workspace.commit_store import store_folder
from treadle.workspace.landing_undo import CheckoutRestored

EXAMPLES = max(1, settings().max_examples // 10)
IS_LONG = EXAMPLES > 10
# The long form takes half an hour.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(0 if IS_LONG else 600)]

DESTROY = (
    "git reset -q --hard {to} && git reflog expire --expire=now --expire-unreachable=now --all"
    " && git gc -q --prune=now"
)

WAYS_HOME = ["merge", "squash", "squash and delete", "push", "push and delete"]


@dataclass(frozen=True)
class Checkout:
    """All that is the user's: files, index, HEAD, branches, stash, configuration."""

    state: State
    config: bytes
    stash: str


@dataclass
class Life:
    """A run with the commits that must never be lost."""

    run: StoredRun
    imported: set[str] = field(default_factory=set)
    # Destroyed by sessions: kept by a round, and only linked because the run was cut off.
    destroyed: set[str] = field(default_factory=set)
    linked: set[str] = field(default_factory=set)
    dropped: bool = False

    @property
    def store(self) -> Path:
        return store_folder(self.run.directory / "workspace")

    @property
    def at_work(self) -> bool:
        return not self.run.ended

    @property
    def log(self) -> WorkLog:
        return read_work_log(self.run.harness.stores[0], self.run.id)


def has_working(lives: "RunLives") -> bool:
    return any(life.at_work for life in lives.lives)


def has_ended(lives: "RunLives") -> bool:
    return any(not life.at_work for life in lives.lives)


def has_branch(lives: "RunLives") -> bool:
    return bool(lives.user.refs("refs/heads/treadle"))


class RunLives(RuleBasedStateMachine):
    """What people, agents and Treadle do, in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.harness = RunsHarness.within(Path(self.folder.name))
        self.user = self.harness.user
        self.origin = Path(self.folder.name) / "origin.git"
        self.user.git("clone", "--quiet", "--bare", str(self.user.path), str(self.origin))
        self.user.git("remote", "add", "origin", str(self.origin))
        self.lives: list[Life] = []
        self.number = 0

    def teardown(self) -> None:
        """Whatever happened: drop and undo bring every commit back."""
        try:
            for life in self.lives:
                if not life.run.row.cleaned_at:
                    self._drop(life)
                    self._undo(life)
                    self.every_imported_commit_is_in_a_ref()
                    assert life.destroyed | life.linked <= commits_in(self.user)
        finally:
            self.harness.close()
            self.folder.cleanup()

    def fresh(self) -> str:
        self.number += 1
        return f"file{self.number}"

    def checkout(self) -> Checkout:
        stash = self.user.git("stash", "list", "--format=%H")
        return Checkout(self.user.state(), (self.user.git_dir / "config").read_bytes(), stash)

    def apart(self, act: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Act, and look that nothing of the user's changed."""
        before = self.checkout()
        result = asyncio.run(act())
        assert self.checkout() == before
        return result

    def some(self, data: st.DataObject, *, at_work: bool) -> Life:
        return data.draw(st.sampled_from([each for each in self.lives if each.at_work == at_work]))

    # What a run does.

    @initialize(workflow=st.sampled_from(["deliver", "task"]))
    def first(self, workflow: str) -> None:
        self.start(workflow)

    @precondition(lambda self: len(self.lives) < 3)
    @rule(workflow=st.sampled_from(["deliver", "task"]))
    def start(self, workflow: str) -> None:
        self.lives.append(Life(self.apart(lambda: self.harness.start(workflow))))

    @precondition(has_working)
    @rule(
        data=st.data(),
        destroys=st.sampled_from(["nothing", "a commit", "all commits of the run"]),
        leaves=st.booleans(),
        cut=st.booleans(),
    )
    def session(self, data: st.DataObject, destroys: str, leaves: bool, cut: bool) -> None:
        """Commit, destroy commits, leave a file; the process may die before the import."""
        life = self.some(data, at_work=True)
        run, name = life.run, self.fresh()
        lost = self._session_commits(life, name, destroys)
        if leaves:
            run.agent.write(f"{name}.left", name)
        if cut:
            life.linked |= lost
            return
        life.destroyed |= life.linked | lost
        life.linked.clear()
        start = run.workspace.snapshot
        self.apart(run.round)
        if run.branch:
            listed = self.user.git("rev-list", f"{start}..refs/heads/{run.branch}")
            life.imported |= set(listed.split())

    def _session_commits(self, life: Life, name: str, destroys: str) -> set[str]:
        """The commits that it destroys, and that are not imported."""
        run = life.run
        watch = run.watch()
        watch.start()
        try:
            run.agent.commit(f"Work {name}", **{name: name})
            if destroys == "nothing":
                return set()
            lost = run.agent.commit(f"Lost {name}", **{f"{name}.lost": name})
            watch.catch_up()
            if destroys == "a commit":
                shell(run.agent, DESTROY.format(to="HEAD~1"))
                return {lost}
            start = run.workspace.snapshot
            doomed = set(run.agent.git("rev-list", f"{start}..HEAD").split())
            shell(run.agent, DESTROY.format(to=start))
            doomed -= life.imported
            self._forget_deleted(life)
            return doomed
        finally:
            watch.stop()

    @precondition(has_working)
    @rule(data=st.data(), cancelled=st.booleans())
    def end(self, data: st.DataObject, cancelled: bool) -> None:
        life = self.some(data, at_work=True)
        if cancelled:
            assert cancel(life.run.row, self.harness.environment) == "ended"
            life.run.ended = True
        else:
            life.run.end()

    @precondition(has_working)
    @rule(data=st.data())
    def land(self, data: st.DataObject) -> None:
        life = self.some(data, at_work=True)
        asyncio.run(self.harness.land(life.run))
        life.run.end()

    # What a person asks of Treadle.

    @precondition(has_ended)
    @rule(data=st.data())
    def drop(self, data: st.DataObject) -> None:
        self._drop(self.some(data, at_work=False))

    def _drop(self, life: Life) -> None:
        try:
            self.apart(life.run.drop)
        except UsageError:
            return  # dropped or cleaned before
        life.run.ended, life.dropped = True, True
        life.destroyed |= life.linked
        life.linked.clear()

    @precondition(has_ended)
    @rule(data=st.data())
    def undo(self, data: st.DataObject) -> None:
        self._undo(self.some(data, at_work=False))

    def _undo(self, life: Life) -> None:
        before = self.checkout()
        report = asyncio.run(life.run.undo())
        if not isinstance(report.landing, CheckoutRestored):
            assert self.checkout() == before
        if life.dropped:
            assert report.workspace
            life.dropped = False
        again = asyncio.run(life.run.undo(commits_only=True))
        assert again.is_empty

    @precondition(has_ended)
    @rule(force=st.booleans())
    def clean(self, force: bool) -> None:
        said = self.apart(lambda: self.harness.clean(force=force))
        for life in self.lives:
            mine = [line for line in said if line.startswith(life.run.id[-8:])]
            if any(" KeepRun" not in line for line in mine):
                life.destroyed |= life.linked
                life.linked.clear()
            life.dropped |= any(" DropWork" in line for line in mine)

    @precondition(has_ended)
    @rule(
        data=st.data(),
        command=st.sampled_from(["drop", "undo", "clean", "clean --force"]),
        before_git=st.integers(1, 25),
    )
    def kill(self, data: st.DataObject, command: str, before_git: int) -> None:
        """A command of a person dies on its way, or is just quick enough."""
        life = self.some(data, at_work=False)
        name, *options = command.split()
        options += ["--older-than", "0"] if name == "clean" else [life.run.id]
        has_landed = life.log.landed is not None and life.log.dropped is None
        before = self.checkout()
        was_killed = run_killed(
            [name, *options],
            user=self.user,
            root=self.harness.environment.root,
            before_git=before_git,
            folder=Path(self.folder.name) / self.fresh(),
        )
        event(f"{command}: {'killed' if was_killed else 'whole'}")
        for each in self.lives:
            each.dropped = each.log.dropped is not None
        if name == "undo" and has_landed:
            self._undo(life)  # which finishes what was begun in the checkout
        else:
            assert self.checkout() == before

    # What a person does.

    @rule()
    def commit(self) -> None:
        self.user.commit("Mine", **{self.fresh(): "mine"})

    @rule()
    def edit(self) -> None:
        self.user.write("changed.txt", f"{self.fresh()}\n")

    @rule()
    def stash(self) -> None:
        self.user.write("changed.txt", f"{self.fresh()}\n")
        self.user.git("stash", "--quiet")

    @precondition(has_branch)
    @rule(data=st.data(), how=st.sampled_from(WAYS_HOME))
    def merge(self, data: st.DataObject, how: str) -> None:
        names = [name.removeprefix("refs/heads/") for name in self.user.refs("refs/heads/treadle")]
        branch = data.draw(st.sampled_from(sorted(names)))
        if how.startswith("push"):
            self.user.git("push", "--quiet", "--force", "origin", branch)
            self._delete(branch, how)
            return
        # So that what is uncommitted is in nobody's way.
        self.user.commit("Before a merge")
        if how == "merge":
            self.user.git("merge", "--quiet", "--no-edit", "-X", "ours", branch)
            return
        self.user.git("merge", "--quiet", "--squash", "-X", "ours", branch)
        self.user.git("commit", "--quiet", "--allow-empty", "-m", "Squashed")
        self._delete(branch, how)

    def _delete(self, branch: str, how: str) -> None:
        if how.endswith("delete"):
            self.user.git("branch", "--quiet", "-D", branch)
            for life in self.lives:
                self._forget_deleted(life)

    def _forget_deleted(self, life: Life) -> None:
        """What a person has deleted, and the agent in its clone as well, is nobody's to keep."""
        left = commits_in(self.user)
        if life.run.agent.path.exists():
            left |= commits_in(life.run.agent)
        life.imported &= left

    # What holds after each of them.

    @invariant()
    def every_imported_commit_is_in_a_ref(self) -> None:
        """Or in the clone, after the user has deleted its branch."""
        reachable = commits_in(self.user)
        for life in self.lives:
            missing = life.imported - reachable
            if missing and life.run.agent.path.exists():
                missing -= commits_in(life.run.agent)
            assert not missing

    @invariant()
    def every_destroyed_commit_is_kept(self) -> None:
        for life in self.lives:
            if life.destroyed:
                kept = commits_in(Repository(life.store, self.user.environment))
                assert life.destroyed <= kept | commits_in(self.user)


def commits_in(repository: Repository) -> set[str]:
    """All commits that refs of a repository contain."""
    return set(repository.git("rev-list", "--all").split())


def shell(agent: Repository, line: str) -> None:
    subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=agent.path,
        env=dict(agent.environment),
        check=True,
        capture_output=True,
    )


TestRunLives = RunLives.TestCase
TestRunLives.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=40 if IS_LONG else 15,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
