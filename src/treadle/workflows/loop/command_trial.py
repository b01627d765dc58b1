"""Tries the project's setup and test commands before the first session, while nothing is spent."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import SetupFinished
from treadle.domain.ports import Clock, Log
from treadle.durable.port import Steps
from treadle.verify.results.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.verify.results.failure_cause import cause_lines
from treadle.verify.results.start_failure import start_failure
from treadle.workflows.loop.workspace_setup import STOPPED

# A test command that still runs after this time can start.
START_S = 15.0
TRIAL_STEP = "try commands"
TRY_SETUP = "try it with `treadle doctor --setup`"


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Why the run cannot begin; empty if it can. Stored as a step result."""

    problem: str = ""
    took_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CommandTrial:
    """Tries the commands once in a run: what a session broke later, a session can repair."""

    # Sets the workspace up, unless it is up to date.
    set_up: Callable[[], Awaitable[SetupFinished | None]]
    # Files that the setup command still waits for.
    awaited_files: Callable[[], tuple[str, ...]]
    runner: CheckRunner
    # Empty: the workflow runs no tests.
    test: str
    # The commit that the run started from.
    commit: str
    has_worked: bool
    clock: Clock
    log: Log

    async def run(self) -> TrialResult:
        if self.has_worked:
            return TrialResult()
        started = self.clock.monotonic()
        problem = await self._problem()
        return TrialResult(problem, round(self.clock.monotonic() - started, 3))

    async def _problem(self) -> str:
        finished = await self.set_up()
        if finished is not None and finished.exit_code not in (0, STOPPED):
            return setup_problem(finished)
        # The tests may need what the setup will install.
        if not self.test or self.awaited_files():
            return ""
        check = CheckCommand(self.test, self.commit, "before", START_S)
        result = await self.runner.run(check)
        return "" if isinstance(result, CommandStopped) else self._start_problem(result)

    def _start_problem(self, result: CommandResult) -> str:
        if result.setup_failure:
            lines = (f"{result.setup_failure}, on a clean checkout", *cause_lines(result.output))
            return "\n".join((*lines, TRY_SETUP))
        failure = start_failure(result.evidence.exit_code, result.log or result.output)
        if failure is None:
            return ""
        if failure.is_project_file:
            waits = f"the test command names {failure.program}, which does not exist yet"
            self.log.record(RunWarned(waits), once="awaited test command")
            return ""
        first = f"the test command cannot start: {failure.text}: {self.test}"
        return f"{first}\ncorrect project.test in treadle.toml, or {TRY_SETUP}"


async def try_commands(steps: Steps, trial: CommandTrial) -> TrialResult:
    """The result of the trial, which a run takes once; a run of before it was made takes none."""
    if not await steps.patched(TRIAL_STEP):
        return TrialResult()
    return await steps.step(TRIAL_STEP, trial.run, returns=TrialResult)


def setup_problem(finished: SetupFinished) -> str:
    """Why the setup failed, in the words of its tools."""
    first = f"setup failed with exit code {finished.exit_code}: {finished.command}"
    return "\n".join((first, *finished.cause, TRY_SETUP))
