"""A check runner on a real repository, confined by the real sandbox."""

import asyncio
import select
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.builders import RUN, Repository, repository_in
from tests.missing import missing
from treadle.adapters.packages.home_files import write_home_files
from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.domain.events.oversight import HostAsked
from treadle.domain.run_request import RunRequest
from treadle.policy.redaction import make_redactor
from treadle.runs.credentials import run_secrets
from treadle.runs.request import check_request
from treadle.settings.environment import parse_environment
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.wiring.check_runner import check_runner
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.wiring.project_commands import ProjectCommandContext
from treadle.wiring.sandbox import choose_sandbox
from treadle.workflows.loop.sandboxed_check_runner import SandboxedCheckRunner

SECRET = "quite-secret-value-of-ada"


@dataclass(frozen=True)
class RunnerHarness:
    repository: Repository
    ready: CheckedRequest
    context: ProjectCommandContext
    runner: SandboxedCheckRunner
    hosts: list[tuple[str, int, bool]]

    @property
    def stop(self) -> asyncio.Event:
        return self.runner.bounds.stop

    @property
    def checkout(self) -> Path:
        return self.runner.tree.directory

    @property
    def logs(self) -> EvidenceLogs:
        return EvidenceLogs(self.ready.directory)

    def commit(self, **files: str) -> str:
        for name, text in files.items():
            self.repository.write(name, text)
        return self.repository.commit_all("Work")

    async def run(
        self,
        command: str,
        commit: str = "HEAD",
        *,
        seconds: float = 60,
        collect: tuple[str, ...] = (),
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        at = self.repository.git("rev-parse", commit)
        result = await self.runner.run(
            CheckCommand(command, at, "after", seconds, collect=collect, variables=variables or {})
        )
        assert isinstance(result, CommandResult), result
        return result

    async def run_until_stopped(self, command: str) -> CommandResult | CommandStopped:
        at = self.repository.git("rev-parse", "HEAD")
        return await self.runner.run(CheckCommand(command, at, "after", 60))


async def make_runner_harness(
    directory: Path,
    settings: Mapping[str, object] | None = None,
    *,
    confined: bool = True,
    pip_configuration: str = "",
) -> RunnerHarness:
    """`settings` by their keys, as a command line would give them."""
    if confined and shutil.which("bwrap") is None:
        missing("bubblewrap")
    repository = repository_in(directory, **{"SPEC.md": "# A greeting\n"})
    if pip_configuration:
        write_home_files(directory / "user-home", {".config/pip/pip.conf": pip_configuration})
    raw = {
        **repository.environment,
        "TREADLE_ROOT": str(directory / "root"),
        "ANTHROPIC_API_KEY": SECRET,
    }
    # One language, and not one that takes long to find.
    flags = {"policy.profiles": ("php",), **(settings or {})}
    request = RunRequest(RUN, str(repository.path), flags, no_sandbox=not confined, rehearsal=True)
    ready = await check_request(request, RunHost(parse_environment(raw), asyncio.Semaphore(1)))
    ready.directory.mkdir(parents=True)
    sandbox = choose_sandbox(ready.environment, reports=ready.directory, wanted=True)
    hosts: list[tuple[str, int, bool]] = []

    def record(asked: HostAsked) -> None:
        hosts.append((asked.host, asked.port, asked.allowed))

    context = ProjectCommandContext(
        ready,
        sandbox if confined else None,
        asyncio.Event(),
        make_redactor(run_secrets(ready)),
        record,
        mark=f"harness-{directory.name}",
    )
    runner = check_runner(context, ready.directory)
    return RunnerHarness(repository, ready, context, runner, hosts)


def output_lines(result: CommandResult) -> list[str]:
    return result.output.splitlines()


def until_there(path: Path) -> None:
    """Wait in a thread for a file that a process makes."""
    for _ in range(3000):
        if path.exists():
            return
        select.select([], [], [], 0.01)
    raise AssertionError(path)
