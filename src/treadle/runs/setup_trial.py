"""Tries a project's setup and test commands in the sandbox, on a clean checkout."""

import asyncio
from pathlib import Path

from treadle.domain.errors import TreadleError
from treadle.domain.events.work import SetupFinished
from treadle.domain.ids import RunId
from treadle.domain.run_request import RunRequest
from treadle.domain.stored_path import stored_path
from treadle.runs.doctor import DoctorFinding, failed_check
from treadle.runs.request import checked_commands
from treadle.runs.sandbox_probe import probe_sandbox
from treadle.runs.temporary_runner import temporary_runner
from treadle.runs.trust import load_trusted
from treadle.settings.environment import Environment
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.verify.results.start_failure import start_failure
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.wiring.package_indexes import describe_indexes
from treadle.workflows.loop.command_trial import START_S
from treadle.workspace.project import find_project
from treadle.workspace.setup_key import SetupNotYet
from treadle.workspace.snapshot import snapshot_commit

# No run: its files are in a temporary folder.
_RUN = RunId("00000000-0000-7000-8000-000000000000")


async def try_project_commands(directory: Path, environment: Environment) -> list[DoctorFinding]:
    """Try the setup, then whether the tests can start; with what the checkout has now."""
    try:
        return await _try(directory, environment)
    except (TreadleError, OSError) as error:
        return [failed_check("setup", error)]


async def _try(directory: Path, environment: Environment) -> list[DoctorFinding]:
    checked = await _check(directory, environment)
    test = checked.settings.project.test.strip()
    commit = await snapshot_commit(checked.project, _RUN)
    indexes = await describe_indexes(checked.settings, environment, checked.project)
    findings = [DoctorFinding("packages", each.verdict, each.text, each.fix) for each in indexes]
    with temporary_runner(checked, own_commit=commit) as runner:
        await probe_sandbox(runner.bounds.sandbox)
        tried = await runner.try_setup(commit)
        findings.append(setup_finding(checked.settings.project.setup.strip(), tried))
        if test and findings[-1].verdict != "bad":
            result = await runner.run(CheckCommand(test, commit, "before", START_S))
            if not isinstance(result, CommandStopped):
                findings.append(start_finding(test, result))
    return findings


def setup_finding(command: str, tried: SetupFinished | SetupNotYet) -> DoctorFinding:
    """What became of the setup command."""
    if not command:
        return DoctorFinding("setup", "good", "project.setup names no command")
    if isinstance(tried, SetupNotYet):
        text = f"waits until there is {', '.join(tried.missing)}: {command}"
        return DoctorFinding(
            "setup", "warning", text, "if it will never exist, correct project.setup"
        )
    if tried.exit_code == 0:
        return DoctorFinding("setup", "good", f"works, in {tried.duration_s:.0f} s: {command}")
    text = f"failed with exit code {tried.exit_code}: {command}"
    fix = "correct project.setup in treadle.toml or what it installs, then try again"
    return DoctorFinding("setup", "bad", text, fix, tried.cause)


def start_finding(command: str, result: CommandResult) -> DoctorFinding:
    """Whether the test command can start; what the tests say is another matter."""
    exit_code = result.evidence.exit_code
    failure = start_failure(exit_code, result.log or result.output)
    if failure is not None and failure.is_project_file:
        text = f"names {failure.program}, which does not exist yet: {command}"
        return DoctorFinding(
            "test", "warning", text, "if it will never exist, correct project.test"
        )
    if failure is not None:
        text = f"cannot start: {failure.text}: {command}"
        return DoctorFinding("test", "bad", text, "correct project.test, or install it in setup")
    how = "still ran" if exit_code is None else f"ended with exit code {exit_code}"
    took = f"{how} after {result.evidence.duration_s:.0f} s"
    return DoctorFinding("test", "good", f"starts ({took}): {command}")


async def _check(directory: Path, environment: Environment) -> CheckedRequest:
    project = await find_project(directory, environment.raw)
    settings = load_trusted(project.root, environment).settings
    request = RunRequest(_RUN, stored_path(project.root), {}, no_sandbox=False, rehearsal=False)
    host = RunHost(environment, asyncio.Semaphore(1))
    return await checked_commands(request, host, settings, project)
