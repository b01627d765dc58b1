"""A run is killed, left to a worker, watched, cancelled, given more and gone on with."""

import select
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    TREADLE,
    CommandHarness,
    Finished,
    assert_all_gone,
    script,
)
from treadle.runs.locks import worker_is_alive
from treadle.runs.shell_environment import login_of
from treadle.settings.environment import parse_environment

# The model takes its time after the first tool, so that there is a moment to be killed in.
BUILD_SLOWLY = BUILD_IT.replace(
    "      - tool: mcp__treadle__set", "      - delay: 2\n        tool: mcp__treadle__set"
)
BUILD_LATER = BUILD_IT.replace("role: implementer", "role: implementer\n    optional: true")
HANGING = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: "echo begun > begun.txt; python3 -c 'import time; time.sleep(600)'"}
      - {text: never said, optional: true}
"""


def held_up(gate: Path) -> str:
    """A session that does not end before there is a file of this name."""
    return BUILD_IT.replace(
        "    turns:\n",
        "    turns:\n      - tool: Bash\n        input:"
        f' {{command: "until [ -e {gate} ]; do sleep 0.1; done"}}\n',
    )


def log_of(harness: CommandHarness, run: str) -> Finished:
    """The whole log of a run, whoever wrote it; numbered without a gap."""
    found = harness.treadle("logs", run, "--json")
    assert [line["seq"] for line in found.lines] == list(range(1, len(found.lines) + 1))
    return found


def sessions_in(log: Finished) -> list[tuple[str, bool]]:
    """Who was started, and whether to go on: sessions by the order in which they first began."""
    started = log.of_type("session.started")
    names = list(dict.fromkeys(event["session"] for event in started))
    return [(f"session {names.index(e['session']) + 1}", e["resumed"]) for e in started]


def has_worker(harness: CommandHarness) -> bool:
    environment = parse_environment(harness.environment)
    return worker_is_alive(harness.root, login_of(environment))


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        select.select([], [], [], 0.1)
    raise AssertionError("it did not come to that in a minute")


def killed_in_a_session(harness: CommandHarness) -> str:
    """A run whose process was killed after the agent's first tool; its id."""
    running = harness.start(script(ONE_DELIVERABLE, BUILD_SLOWLY))
    run = running.until("run.started")["run"]
    running.until("tool.decided", name="Write")
    running.until("tool.finished")
    running.process.send_signal(signal.SIGKILL)
    assert_all_gone(running.finish())
    return str(run)


def assert_built_once(harness: CommandHarness, run: str) -> Finished:
    """The work landed as if nothing had been, and every fact was told once."""
    log = log_of(harness, run)
    assert log.result["reason"] == "all_passed"
    assert harness.git("log", "--format=%s").splitlines() == [
        "Round 2: A greeting (DL-001)",
        "The specification",
    ]
    assert (harness.project / "hello.txt").read_text() == "hello\n"
    for once in ("work.committed", "work.imported", "work.landed", "plan.made", "run.ended"):
        assert len(log.of_type(once)) == 1, once
    assert [event["number"] for event in log.of_type("round.started")] == [1, 2]
    assert_all_gone(log)
    return log


def test_a_run_that_was_killed_in_a_session_goes_on_with_that_session(
    harness: CommandHarness,
) -> None:
    run = killed_in_a_session(harness)
    head = harness.git("rev-parse", "HEAD")
    assert "lost" in harness.treadle("ls").stdout

    resumed = harness.treadle("resume", run, "--json")

    assert (resumed.exit_code, resumed.result["reason"]) == (0, "all_passed")
    log = assert_built_once(harness, run)
    assert sessions_in(log) == [("session 1", False), ("session 2", False), ("session 2", True)]
    assert len(log.of_type("run.recovered")) == 1
    assert harness.git("rev-parse", "HEAD~1") == head


def test_a_run_that_was_killed_is_taken_over_by_a_worker(harness: CommandHarness) -> None:
    run = killed_in_a_session(harness)

    worked = harness.treadle("worker", "--until-idle")

    assert (worked.exit_code, worked.stderr.splitlines()) == (
        0,
        [
            "worker ready · up to 2 sessions at once",
            f"starting run {run}",
            "worker ended",
        ],
    )
    log = assert_built_once(harness, run)
    assert sessions_in(log)[1:] == [("session 2", False), ("session 2", True)]


def detached(harness: CommandHarness, *sessions: str, options: tuple[str, ...] = ()) -> str:
    """A rehearsed run left to the workers; its id, which is all that stdout has."""
    harness.settings({})
    path = harness.directory / "script.yaml"
    path.write_text(script(*sessions))
    left = harness.treadle("rehearse", str(path), "--", "deliver", "--detach", *options)
    assert left.exit_code == 0, left.stderr
    assert left.stderr.startswith("Detached.")
    return left.stdout.strip()


def test_a_detached_run_is_watched_to_its_end_and_its_worker_ends_by_itself(
    harness: CommandHarness,
) -> None:
    run = detached(harness, ONE_DELIVERABLE, BUILD_IT)

    watched = harness.treadle("attach", run, "--json")

    assert (watched.exit_code, watched.result["reason"]) == (0, "all_passed")
    assert watched.types()[:2] == ["run.queued", "run.started"]
    log = assert_built_once(harness, run)
    assert watched.stdout == log.stdout
    wait_for(lambda: not has_worker(harness))
    wait_for(lambda: "worker ended" in (harness.root / "worker.log").read_text())


def test_a_queued_run_that_is_cancelled_is_never_begun(harness: CommandHarness) -> None:
    gate = harness.directory / "gate"
    # The file that it waits for lies outside of every sandbox.
    first = detached(harness, ONE_DELIVERABLE, held_up(gate), options=("--no-sandbox",))
    wait_for(lambda: "round.started" in log_of(harness, first).types())
    second = detached(harness, ONE_DELIVERABLE, BUILD_IT)  # waits: the project is in use

    cancelled = harness.treadle("cancel", second)
    gate.touch()
    watched = harness.treadle("attach", first, "--json")

    assert (cancelled.exit_code, watched.exit_code) == (0, 0)
    log = log_of(harness, second)
    assert log.types() == ["run.queued", "interrupt.requested", "run.ended"]
    assert log.result["reason"] == "cancelled"
    wait_for(lambda: not has_worker(harness))


def test_a_run_in_the_foreground_is_cancelled_from_another_terminal(
    harness: CommandHarness,
) -> None:
    running = harness.start(script(ONE_DELIVERABLE, HANGING))
    run = running.until("run.started")["run"]
    running.until("tool.decided", name="Bash")

    meddling = harness.treadle("resume", run)
    cancelled = harness.treadle("cancel", run)
    finished = running.finish()

    assert (meddling.exit_code, meddling.stdout) == (2, "")
    assert meddling.stderr.splitlines() == [
        f"treadle: run {run[-8:]} is working",
        f"  hint: watch it with `treadle attach {run[-8:]}`",
    ]
    assert cancelled.exit_code == 0
    assert "was asked to stop: it saves its work first" in cancelled.stderr
    assert (finished.exit_code, finished.result["reason"]) == (130, "cancelled")
    assert [event["by"] for event in finished.of_type("interrupt.requested")] == ["cancel"]
    assert harness.git("show", f"{finished.of_type('work.kept')[0]['branch']}:begun.txt") == "begun"
    assert_all_gone(finished)


def test_a_run_that_reached_a_limit_goes_on_when_it_is_raised(harness: CommandHarness) -> None:
    first = harness.deliver(script(ONE_DELIVERABLE, BUILD_LATER), "-n", "1")
    run = first.events[0]["run"]
    assert (first.exit_code, first.result["reason"]) == (5, "max_iterations")
    assert f"treadle resume {run[-8:]} -n 2" in first.stderr

    refused = harness.treadle("resume", run, "--json")
    resumed = harness.treadle("resume", run, "--max-iterations", "2", "--json")

    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.splitlines() == [
        f"treadle: run {run[-8:]} has reached its limit: the limit is 1 round"
        " (--max-iterations, limits.max_iterations)",
        f"  hint: raise the limit: treadle resume {run[-8:]} -n 2",
    ]
    assert (resumed.exit_code, resumed.result["rounds"]) == (0, 2)
    assert resumed.result["cost_usd"] > first.result["cost_usd"]
    log = log_of(harness, run)
    assert len(log.of_type("run.ended")) == 2
    assert [event["by"] for event in log.of_type("run.reopened")] == ["resume"]
    assert sessions_in(log) == [("session 1", False), ("session 2", False)]
    assert (harness.project / "hello.txt").read_text() == "hello\n"


def test_a_run_that_has_succeeded_has_nothing_to_go_on_with(harness: CommandHarness) -> None:
    done = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))
    run = done.events[0]["run"]

    answers = [harness.treadle(command, run) for command in ("resume", "retry")]

    short = run[-8:]
    said = f"Run {short} is done. See what it changed with `treadle diff {short}`.\n"
    assert answers == [Finished(0, said, "")] * 2
    assert log_of(harness, run).stdout == done.stdout


class Neighbour(CommandHarness):
    """Another project whose runs are kept in the same place."""

    def __init__(self, directory: Path, root: Path) -> None:
        super().__init__(directory)
        self.root = root


@contextmanager
def worker(harness: CommandHarness) -> Iterator[Path]:
    """A worker that stays; where it says what it does."""
    said = harness.directory / "worker.txt"
    with said.open("w") as file:
        process = subprocess.Popen(
            [TREADLE, "worker"],
            cwd=harness.home,
            env=harness.environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    try:
        wait_for(lambda: has_worker(harness))
        yield said
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def test_two_runs_and_a_worker_side_by_side_and_nobody_takes_the_others_work(
    harness: CommandHarness,
) -> None:
    gate, neighbour = (
        harness.directory / "gate",
        Neighbour(harness.directory / "other", harness.root),
    )
    with worker(harness) as said:
        # The file that it waits for lies outside of every sandbox.
        staying = neighbour.start(script(ONE_DELIVERABLE, held_up(gate)), "--no-sandbox")
        undisturbed = staying.until("run.started")["run"]
        staying.until("tool.decided", name="Bash")

        killed = killed_in_a_session(harness)
        wait_for(lambda: log_of(harness, killed).of_type("run.recovered") != [])
        watched = harness.treadle("attach", killed, "--json")

        assert staying.process.poll() is None
        gate.touch()
        finished = staying.finish()

    assert (watched.exit_code, finished.exit_code) == (0, 0)
    log = assert_built_once(harness, killed)
    assert len(log.of_type("run.recovered")) == 1
    assert sessions_in(log)[1:] == [("session 2", False), ("session 2", True)]
    other = assert_built_once(neighbour, undisturbed)
    assert other.stdout == finished.stdout
    assert other.of_type("run.recovered") == []
    assert said.read_text().splitlines()[1:] == [f"starting run {killed}", "worker ended"]
