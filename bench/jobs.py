"""One job of several sessions, by Treadle or by a plain shell loop, and what it took."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bench.model import MeasurementFailed, Model, Seen, scripted_model
from bench.stage import MODEL, Stage, make_stage
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.command import QUIET
from treadle.domain.run import EXIT_CODES
from treadle.policy.available_tools import BASELINE_TOOLS

PROMPT = "Write the next note of SPEC.md, look at it, and say that it is done."
LOOP = 'left=$1; shift; while [ "$left" -gt 0 ]; do "$@" </dev/null || exit; left=$((left-1)); done'


@dataclass(frozen=True, slots=True)
class Job:
    """What is started, and where."""

    command: Sequence[str]
    environment: Mapping[str, str]
    working_directory: Path
    wanted_exit_code: int


@dataclass(frozen=True, slots=True)
class Took:
    """What a job took from its first process to its last; `seen` has the sessions one by one."""

    start_s: float  # to the first model request
    wall_s: float
    cpu_s: float
    seen: Seen


@dataclass(frozen=True, slots=True)
class DeliverTook:
    job: Took
    peak_mb: float  # of Treadle's own process


def deliver_job(sessions: int, directory: Path, *options: str) -> DeliverTook:
    """So many rounds of one `treadle deliver`."""
    stage, report = make_stage(directory), directory / "peak.txt"
    with scripted_model(sessions, directory) as model:
        command = [sys.executable, "-m", "bench.delivering", model.base_url]
        command += [str(model.script), str(report)]
        command += ["deliver", "-p", str(stage.project), "-n", str(sessions), *options]
        # Started here, where `bench` can be found; the project is named instead.
        job = Job(command, stage.environment, Path.cwd(), EXIT_CODES["max_iterations"])
        took = _run(job, model, directory)
    return DeliverTook(took, float(report.read_text()))


def plain_job(sessions: int, directory: Path) -> Took:
    """The same sessions by `claude -p` in a shell loop; what it printed is in `printed(…)`."""
    stage = make_stage(directory)
    with scripted_model(sessions, directory) as model:
        command = ["sh", "-c", LOOP, "loop", str(sessions), *_plain_command()]
        return _run(
            Job(command, _plain_environment(stage, model), stage.project, 0), model, directory
        )


def printed(directory: Path) -> Path:
    """Where the standard output of a job went."""
    return directory / "stdout.txt"


def _plain_command() -> list[str]:
    """The flags that Treadle gives, as far as they concern a session without it."""
    command = [str(bundled_binary()), "-p", PROMPT, "--output-format", "stream-json", "--verbose"]
    command += ["--include-partial-messages", "--setting-sources=", "--disable-slash-commands"]
    command += ["--dangerously-skip-permissions", f"--model={MODEL}"]
    return [*command, f"--tools={','.join(BASELINE_TOOLS)}"]


def _plain_environment(stage: Stage, model: Model) -> dict[str, str]:
    return {
        **stage.environment,
        **QUIET,
        "ANTHROPIC_BASE_URL": model.base_url,
        "ANTHROPIC_API_KEY": "rehearsal",
        "ANTHROPIC_CUSTOM_HEADERS": f"x-treadle-workspace: {quote(str(stage.project))}",
        "IS_SANDBOX": "1",  # without it the binary refuses to skip permissions for root
    }


def _run(job: Job, model: Model, directory: Path) -> Took:
    complaints = directory / "stderr.txt"
    with printed(directory).open("w") as stdout, complaints.open("w") as stderr:
        started_s = time.monotonic()
        process = subprocess.Popen(
            job.command,
            cwd=job.working_directory,
            env=job.environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        model.watch(process.pid)
        # Counts all descendants that were waited for; on both sides that is every one.
        _, status, used = os.wait4(process.pid, 0)
        ended_s = time.monotonic()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != job.wanted_exit_code:
        said = complaints.read_text().strip().splitlines() or ["nothing"]
        raise MeasurementFailed(f"{job.command[0]} ended with {process.returncode}: {said[-1]}")
    seen = model.seen()
    return Took(seen.first_s - started_s, ended_s - started_s, used.ru_utime + used.ru_stime, seen)
