"""A backlog of two items that is worked off, killed at named points between its sessions."""

import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from tests.acceptance.harness import CommandHarness, Finished, script
from tests.acceptance.test_watch import backlog, rehearsed, work
from tests.crash_matrix.case import stored
from tests.crash_matrix.case_runner import REPOSITORY
from tests.crash_matrix.spots import Call, Spot

LAUNCH = (
    f"import sys; sys.path[0] = {str(REPOSITORY)!r};"
    "from tests.crash_matrix.queues import main; main()"
)
PATIENCE_S = 200
FILES = ("hello.txt", "bye.txt")


@dataclass(frozen=True, slots=True)
class QueuePoint:
    """Where a watch dies. Each spot is the first of its kind in its process, whether that began
    with the queue or took it over."""

    name: str
    spot: Spot


# In their order.
POINTS = (
    QueuePoint("item told, its run not begun", stored("item.started")),
    QueuePoint("run of an item begun", stored("workspace.prepared")),
    QueuePoint("work of an item landed, its run not ended", stored("work.landed")),
    QueuePoint("run of an item ended, queue not told", stored("item.ended", moment="before")),
    QueuePoint(
        "done item set aside, not removed",
        Call("treadle.workflows.watch.backlog:read_start", "before", (".removed",)),
    ),
    QueuePoint("done item removed, not told", stored("item.removed", moment="before")),
    QueuePoint("end of an item told, item not removed", stored("item.ended")),
    QueuePoint("before an end of a run is told", stored("run.ended", moment="before")),
)


@dataclass(frozen=True, slots=True)
class QueueVerdict:
    """A point that was tried, and every promise that was not kept."""

    point: QueuePoint
    failures: tuple[str, ...]


def named(name: str) -> QueuePoint:
    return next(point for point in POINTS if point.name == name)


def main() -> None:
    """Start `treadle` in this process with the trap of a point in it."""
    name, _, *arguments = sys.argv[1:]
    from tests.crash_matrix.spots import plant

    plant(named(name).spot)
    from treadle.cli.main import run

    sys.exit(run(arguments))


def judge(point: QueuePoint) -> QueueVerdict:
    return QueueVerdict(point, failures_after((point,)))


def failures_after(points: Sequence[QueuePoint]) -> tuple[str, ...]:
    """Kill one process after the other, each at the next point; the last one lives."""
    # Not below pytest's directories: an agent's sockets need short paths.
    directory = Path(tempfile.mkdtemp(prefix="treadle-crash-"))
    try:
        harness = CommandHarness(directory)
        harness.settings({"watch.debounce_s": "0"})
        for number, name in enumerate(FILES):
            (backlog(harness) / f"{number}-{name}.md").write_text(f"# Write {name}\n")
        story = script(*(session for name in FILES for session in work(name)))
        words = rehearsed(harness, story, "watch", "--once", "--json")
        for point in points:
            _die(harness, point, words)
            words = ["resume", _queue(harness), "--json"]
        return tuple(_failures(harness, harness.treadle(*words)))
    finally:
        rmtree(directory, ignore_errors=True)


def _die(harness: CommandHarness, point: QueuePoint, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, point.name, "--", *words],
        cwd=harness.project,
        env=harness.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, (point, done.returncode, done.stderr)


def _rows(harness: CommandHarness) -> list[dict[str, str]]:
    listed: list[dict[str, str]] = json.loads(harness.treadle("ls", "--json").stdout)
    return listed


def _queue(harness: CommandHarness) -> str:
    return next(row["id"] for row in _rows(harness) if row["workflow"] == "watch")


TOLD = {"item.started": 2, "item.ended": 2, "item.removed": 2, "run.started": 1, "run.ended": 1}
SUCCEEDED = {("watch", "succeeded"): 1, ("focus", "succeeded"): 2}


def _failures(harness: CommandHarness, finished: Finished) -> Iterator[str]:
    if finished.exit_code != 0:
        yield f"ended with exit code {finished.exit_code}: {finished.stderr[-300:]}"
    rows = _rows(harness)
    states = Counter((row["workflow"], row["state"]) for row in rows)
    if states != SUCCEEDED:
        yield f"runs: {dict(states)}"
    for row in rows:
        log = harness.treadle("logs", row["id"], "--json")
        yield from _log_failures(row["workflow"], log)
    if [path.name for path in backlog(harness).iterdir()]:
        yield "an item is left"
    yield from _checkout_failures(harness)


def _log_failures(workflow: str, log: Finished) -> Iterator[str]:
    if [line["seq"] for line in log.lines] != list(range(1, len(log.lines) + 1)):
        yield f"a gap in the log of {workflow}"
    told = Counter(event["type"] for event in log.events)
    wanted = TOLD if workflow == "watch" else {"work.landed": 1, "run.started": 1, "run.ended": 1}
    yield from (
        f"{told[kind]} times {kind} in {workflow}"
        for kind, times in wanted.items()
        if told[kind] != times
    )


def _checkout_failures(harness: CommandHarness) -> Iterator[str]:
    texts = [(harness.project / name).read_text() for name in FILES]
    if texts != [f"{name}\n" for name in FILES]:
        yield f"files say {texts}"
    subjects = harness.git("log", "--no-merges", "--reverse", "--format=%s").splitlines()
    if (written := [each for each in subjects if each.startswith("Write")]) != [
        f"Write {name}" for name in FILES
    ]:
        yield f"commits: {written}"
    if status := harness.git("status", "--porcelain"):
        yield f"checkout: {status}"
