"""One job of several sessions, by Treadle or by a plain shell loop, and what it took."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from bench.model import MeasurementFailed, Model, Seen, scripted_model
from bench.stage import MODEL, Stage, make_stage
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.command import QUIET
from treadle.domain.run import EXIT_CODES
from treadle.policy.toolset import BASELINE_TOOLS

PROMPT = "Write the next note of SPEC.md, look at it, and say that it is done."
LOOP = 'left=$1; shift; while [ "$left" -gt 0 ]; do "$@" </dev/null || exit; left=$((left-1)); done'


@dataclass(frozen=True, slots=True)
class Took:
    """What a job took, all of its processes together."""

    start_s: float  # from the start of its first process to the first request
    cpu_s: float
    seen: Seen


@dataclass(frozen=True, slots=True)
class DeliverTook(Took):
    """And what of it was Treadle's own process."""

    peak_mb: float
    own_cpu_s: float


def deliver_job(sessions: int, directory: Path) -> DeliverTook:
    """So many rounds of one `treadle deliver`."""
    stage, report = make_stage(directory), directory / "report.json"
    with scripted_model(sessions, directory) as model:
        # Started here, where `bench` can be found; the project is named instead.
        command = [sys.executable, "-m", "bench.delivering", model.base_url, str(report)]
        command += ["deliver", "-p", str(stage.project), "-n", str(sessions)]
        started_s, cpu_s = _timed(
            command, stage.environment, Path.cwd(), directory, wanted=EXIT_CODES["max_iterations"]
        )
        seen = model.seen()
    told = json.loads(report.read_text())
    return DeliverTook(
        start_s=seen.first_s - started_s,
        cpu_s=cpu_s,
        seen=seen,
        peak_mb=told["peak_mb"],
        own_cpu_s=told["own_cpu_s"],
    )


def plain_job(sessions: int, directory: Path) -> Took:
    """The same sessions by `claude -p` in a shell loop; what it printed is in `printed(…)`."""
    stage = make_stage(directory)
    with scripted_model(sessions, directory) as model:
        command = ["sh", "-c", LOOP, "loop", str(sessions), *_plain_command()]
        environment = _plain_environment(stage, model)
        started_s, cpu_s = _timed(command, environment, stage.project, directory, wanted=0)
        seen = model.seen()
    return Took(seen.first_s - started_s, cpu_s, seen)


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


def _timed(
    command: Sequence[str],
    environment: dict[str, str],
    working_directory: Path,
    directory: Path,
    *,
    wanted: int,
) -> tuple[float, float]:
    """When it started, and the processor time of it and of all descendants it waited for."""
    complaints = directory / "stderr.txt"
    with printed(directory).open("w") as stdout, complaints.open("w") as stderr:
        started_s = time.monotonic()
        process = subprocess.Popen(
            command,
            cwd=working_directory,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != wanted:
        said = complaints.read_text().strip().splitlines() or ["nothing"]
        raise MeasurementFailed(f"{command[0]} ended with {process.returncode}: {said[-1]}")
    return started_s, used.ru_utime + used.ru_stime
