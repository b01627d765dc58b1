"""A task from its words to a merged pull request, killed at named points, with a fake GitHub that
counts.

Unlike the other points of the matrix these are no rehearsals, which push nothing.
"""

import select
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Literal

from tests.acceptance.follow_harness import (
    FOLLOWS,
    IN_THREE_COMMITS,
    MENDS_THE_TEST,
    OTHER_PLAN,
    SUBJECTS,
    TESTED,
    FollowHarness,
    mending,
)
from tests.acceptance.harness import Finished, script
from tests.acceptance.test_task import APPROVES, NEVER, PLANNER, TASK
from tests.crash_matrix.case import stored
from tests.crash_matrix.case_runner import REPOSITORY
from tests.crash_matrix.spots import AtStep, Call, Spot
from tests.github.fake_github import serve_github
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi
from treadle.runs.locks import lock_worker
from treadle.runs.shell_environment import login_of
from treadle.settings.environment import parse_environment

PUSH = "treadle.wiring.publishing:push_branch"
LAUNCH = (
    f"import sys; sys.path[0] = {str(REPOSITORY)!r};"
    "from tests.crash_matrix.following import main; main()"
)
# Of a process that has all of the run to execute, on a machine that has more to do.
PATIENCE_S = 200

# Who decides about the plan: a person, who first wants another one, or the time.
Approval = Literal["person", "timer"]


@dataclass(frozen=True, slots=True)
class FollowingPoint:
    """Where the task or the worker that follows it dies. Each spot is the first of its kind in its
    process, whether that began with the run or took it over."""

    name: str
    killed: Literal["task", "worker"]
    spot: Spot


REPLIED = FollowingPoint("reply stored, no other plan yet", "task", stored("approval.answered"))
# In their order.
POINTS = (
    FollowingPoint("plan asked about, no answer yet", "task", stored("approval.asked")),
    REPLIED,
    FollowingPoint(
        "in a building session, commits not imported", "task", stored("deliverable.claimed")
    ),
    FollowingPoint("tests red, not mended yet", "task", stored("suite.finished", 2)),
    FollowingPoint("branch pushed, no pull request yet", "task", AtStep("push", "stored")),
    FollowingPoint("pull request open, not followed yet", "task", stored("run.ended")),
    FollowingPoint("in a session that mends CI, not pushed yet", "worker", stored("tool.decided")),
    FollowingPoint("answer to a comment pushed, not told", "worker", Call(PUSH, "after", number=2)),
)


@dataclass(frozen=True, slots=True)
class FollowingVerdict:
    """A point that was tried, and every promise that was not kept."""

    point: FollowingPoint
    failures: tuple[str, ...]


def named(name: str) -> FollowingPoint:
    return next(point for point in POINTS if point.name == name)


def main() -> None:
    """Start `treadle` in this process with the trap of a point in it."""
    name, _, *arguments = sys.argv[1:]
    from tests.crash_matrix.spots import plant

    plant(named(name).spot)
    from treadle.cli.main import run

    sys.exit(run(arguments))


def judge(point: FollowingPoint) -> FollowingVerdict:
    return FollowingVerdict(point, failures_after((point,), approval="person"))


def failures_after(points: Sequence[FollowingPoint], *, approval: Approval) -> tuple[str, ...]:
    """Kill one process after the other, each at the next point; the last one lives."""
    # Not below pytest's directories: an agent's sockets need short paths.
    directory = Path(tempfile.mkdtemp(prefix="treadle-crash-"))
    plans = (PLANNER, OTHER_PLAN) if approval == "person" else (OTHER_PLAN,)
    building = (IN_THREE_COMMITS, MENDS_THE_TEST, APPROVES)
    sessions = (*plans, *building, mending("stop"), mending("manners"))
    try:
        with (
            serve_github(directory / "github") as github,
            ScriptedApi(parse_script(script(*sessions), source="script")) as model,
        ):
            harness = FollowHarness(directory, github)
            harness.settings({**FOLLOWS, **TESTED, **(NEVER if approval == "person" else {})})
            harness.model = model.base_url
            try:
                _run(harness, points, _People(harness, answers=approval == "person"))
                return (*_failures(harness, approval), *model.problems())
            finally:
                harness.end()
    finally:
        rmtree(directory, ignore_errors=True)


class _People:
    """What people and CI do meanwhile, each once, as soon as it is due."""

    def __init__(self, harness: FollowHarness, *, answers: bool) -> None:
        self._harness = harness
        self._answers = [("reply", "with a test"), ("approve",)] if answers else []
        self._feedback: list[tuple[str, int, Callable[[], object]]] = [
            ("pull_request.opened", 1, harness.fail_ci),
            ("pull_request.updated", 1, lambda: harness.comment("ada", "Please add manners.")),
            ("pull_request.updated", 2, harness.merge),
        ]
        self._asked = 0

    def act(self) -> None:
        log = self._harness.log()
        asked = log.of_type("approval.asked")
        if self._answers and len(asked) > self._asked:
            command, *words = self._answers.pop(0)
            self._asked += 1
            answered = self._harness.treadle(command, asked[-1]["approval"]["id"], *words)
            assert answered.exit_code == 0, answered.stderr
        if self._feedback:
            event, count, react = self._feedback[0]
            if len(log.of_type(event)) >= count:
                react()
                self._feedback.pop(0)


def _run(harness: FollowHarness, points: Sequence[FollowingPoint], people: _People) -> None:
    deaths: list[FollowingPoint | None] = [*points, None]
    if points[0].killed == "worker":
        deaths.insert(0, None)
    first, *others = deaths
    # As if a worker lived, so that the task starts none, which could not be made to die.
    with lock_worker(harness.root, login_of(parse_environment(harness.environment))) as become:
        become()
        _let_live(harness, ["task", TASK, "--json"], first, people)
    for point in others:
        _let_live(harness, ["worker", "--until-idle"], point, people)


def _let_live(
    harness: FollowHarness, arguments: list[str], death: FollowingPoint | None, people: _People
) -> None:
    launcher = [sys.executable, "-c", LAUNCH, death.name, "--"] if death else [harness.command]
    with ExitStack() as stack:
        process = stack.enter_context(
            subprocess.Popen(
                [*launcher, *arguments],
                cwd=harness.project,
                env=harness.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
        stack.callback(process.kill)
        for _ in range(PATIENCE_S * 10):
            if process.poll() is not None:
                break
            people.act()
            select.select([], [], [], 0.1)
    wanted = -signal.SIGKILL if death else 0
    assert process.returncode == wanted, (death, process.returncode, harness.log().types("text"))


PUSHED = "POST hello.git/git-receive-pack"
UPDATED = "PATCH hello/pulls/1"
SENT = [PUSHED, "POST hello/pulls", PUSHED, UPDATED, PUSHED, UPDATED]
ONCE = {
    "pull_request.opened": 1,
    "pull_request.updated": 2,
    "feedback.received": 2,
    "branch.pushed": 3,
    "review.judged": 1,
}
PLANNED = {
    "person": {"plan.written": 2, "approval.asked": 2, "approval.answered": 2},
    "timer": {"plan.written": 1, "approval.asked": 1, "approval.lapsed": 1},
}


def _failures(harness: FollowHarness, approval: Approval) -> Iterator[str]:
    log = harness.log()
    if harness.sent != SENT:
        yield f"sent {harness.sent}"
    if harness.subjects != SUBJECTS:
        yield f"pushed {harness.subjects}"
    if log.result["message"] != "pull request #1 was merged":
        yield f"ended with {log.result['message']!r}"
    told = Counter(event["type"] for event in log.events)
    wanted = {**ONCE, **PLANNED[approval]}
    yield from (
        f"{told[kind]} times {kind}" for kind, times in wanted.items() if told[kind] != times
    )
    yield from _gaps(log)


def _gaps(log: Finished) -> Iterator[str]:
    if [line["seq"] for line in log.lines] != list(range(1, len(log.lines) + 1)):
        yield "a gap in the log"
    ended = [each["result"]["session"] for each in log.of_type("session.ended")]
    if len(ended) != len(set(ended)):
        yield "a session ended twice"
    if len(ended) != len({each["session"] for each in log.of_type("session.started")}):
        yield "a session has no end"
