"""One job of several sessions, by Treadle or by a plain shell loop, and what it took."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bench.model import MeasurementFailed, Model, Seen, scripted_model
from bench.project import MODEL, BenchProject, make_project
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.command import QUIET_VARIABLES
from treadle.domain.exit_reasons import exit_code
from treadle.policy.available_tools import BASELINE_TOOLS

PROMPT = "Write the next note of SPEC.md, look at it, and say that it is done."
LOOP = 'left=$1; shift; while [ "$left" -gt 0 ]; do "$@" </dev/null || exit; left=$((left-1)); done'


# Nothing here leaves the machine, on no side.
OFFLINE = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
)


@dataclass(frozen=True, slots=True)
class Job:
    """What is started, and where."""

    command: Sequence[str]
    environment: Mapping[str, str]
    working_directory: Path
    wanted_exit_code: int


@dataclass(frozen=True, slots=True)
class Took:
    """What a job took, without the time in which it stood still."""

    start_s: float  # to the first model request
    wall_s: float
    cpu_s: float
    seen: Seen


class RunningJob:
    """A job that plays some sessions at a time, and stands still before them."""

    def __init__(self, job: Job, model: Model, directory: Path) -> None:
        self._model = model
        self._complaints = directory / "stderr.txt"
        self._wanted = job.wanted_exit_code
        with printed(directory).open("w") as stdout, self._complaints.open("w") as stderr:
            self._started_s = time.monotonic()
            self.process = subprocess.Popen(
                job.command,
                cwd=job.working_directory,
                env=job.environment,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
            )
        model.watch(self.process.pid)
        model.turn_over(self.process.pid)

    def play(self, sessions: int) -> None:
        """So many sessions, to the first request of the next."""
        self._model.let_through(sessions)
        self._model.turn_over(self.process.pid)

    def finish(self) -> Took:
        """The last session, and the end of the job."""
        self._model.let_through(1)
        # Counts all descendants that were waited for; on both sides that is every one.
        _, status, used = os.wait4(self.process.pid, 0)
        ended_s = time.monotonic()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != self._wanted:
            said = self._complaints.read_text().strip().splitlines() or ["nothing"]
            raise MeasurementFailed(f"a job ended with {self.process.returncode}: {said[-1]}")
        seen = self._model.seen()
        start_s = seen.first_s - self._started_s
        last_s = ended_s - seen.sessions[-1].released_s
        cpu_s = used.ru_utime + used.ru_stime
        return Took(start_s, start_s + sum(seen.walls_s) + last_s, cpu_s, seen)


@contextmanager
def deliver_job(sessions: int, directory: Path, *options: str) -> Iterator[RunningJob]:
    """So many rounds of one `treadle deliver`; how large it was is told by `peak_mb`."""
    project = make_project(directory)
    with scripted_model(sessions, directory) as model:
        command = [sys.executable, "-m", "bench.deliver_process", model.base_url]
        command += [str(model.script), str(_peak(directory))]
        command += ["deliver", "-p", str(project.project), "-n", str(sessions), *options]
        # Started here, where `bench` can be found; the project is named instead.
        job = Job(command, project.environment, Path.cwd(), exit_code("max_iterations"))
        with _running(job, model, directory) as running:
            yield running


def peak_mb(directory: Path) -> float:
    """The most memory that the Treadle process of a finished job had."""
    return float(_peak(directory).read_text())


@contextmanager
def plain_job(sessions: int, directory: Path) -> Iterator[RunningJob]:
    """The same sessions by `claude -p` in a shell loop, as one writes it."""
    quiet = {name: QUIET_VARIABLES[name] for name in OFFLINE}
    with _looped(_plain_command(), quiet, sessions, directory) as running:
        yield running


@contextmanager
def lean_job(sessions: int, directory: Path) -> Iterator[RunningJob]:
    """The loop with the flags that Treadle gives, too; what it printed is in `printed(…)`."""
    with _looped(
        [*_plain_command(), *_lean_flags()], QUIET_VARIABLES, sessions, directory
    ) as running:
        yield running


@contextmanager
def spoken_job(sessions: int, directory: Path) -> Iterator[RunningJob]:
    """The same sessions by the agent's adapter, without the rest of Treadle."""
    project = make_project(directory)
    with scripted_model(sessions, directory) as model:
        command = [sys.executable, "-m", "bench.adapter_process", model.base_url, str(sessions)]
        command += [str(project.project), str(project.home / "agent")]
        with _running(
            Job(command, project.environment, Path.cwd(), 0), model, directory
        ) as running:
            yield running


def printed(directory: Path) -> Path:
    """Where the standard output of a job went."""
    return directory / "stdout.txt"


@contextmanager
def _running(job: Job, model: Model, directory: Path) -> Iterator[RunningJob]:
    running = RunningJob(job, model, directory)
    try:
        yield running
    finally:
        if running.process.returncode is None:
            running.process.kill()
            running.process.wait()


def _peak(directory: Path) -> Path:
    return directory / "peak.txt"


@contextmanager
def _looped(
    command: Sequence[str], quiet: Mapping[str, str], sessions: int, directory: Path
) -> Iterator[RunningJob]:
    project = make_project(directory)
    with scripted_model(sessions, directory) as model:
        loop = ["sh", "-c", LOOP, "loop", str(sessions), *command]
        environment = {**_loop_environment(project, model), **quiet}
        job = Job(loop, environment, project.project, 0)
        with _running(job, model, directory) as running:
            yield running


def _plain_command() -> list[str]:
    command = [str(bundled_binary()), "-p", PROMPT]
    return [*command, "--dangerously-skip-permissions", f"--model={MODEL}"]


def _lean_flags() -> list[str]:
    """What Treadle gives besides, as far as it concerns a session without it."""
    flags = ["--output-format", "stream-json", "--verbose", "--include-partial-messages"]
    flags += ["--setting-sources=", "--disable-slash-commands"]
    return [*flags, f"--tools={','.join(BASELINE_TOOLS)}"]


def _loop_environment(project: BenchProject, model: Model) -> dict[str, str]:
    return {
        **project.environment,
        "ANTHROPIC_BASE_URL": model.base_url,
        "ANTHROPIC_API_KEY": "rehearsal",
        "ANTHROPIC_CUSTOM_HEADERS": f"x-treadle-workspace: {quote(str(project.project))}",
        "IS_SANDBOX": "1",  # without it the binary refuses to skip permissions for root
    }
