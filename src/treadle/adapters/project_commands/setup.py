"""Runs a project's setup command before a session: confined, with access to package indexes."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from time import monotonic

from treadle.adapters.project_commands.command import (
    CommandBounds,
    NetworkAccess,
    ProjectCommand,
    run_project_command,
)
from treadle.adapters.sandboxes.command_runner import ProcessResult
from treadle.domain.events.work import SetupFinished
from treadle.domain.sandbox import Confinement
from treadle.verify.failure_cause import cause_lines

MAX_OUTPUT = 4000
# As `timeout` exits.
NO_EXIT_CODE = 124


@dataclass(frozen=True, slots=True)
class SetupCommand:
    """The setup command of a project. A failed sandbox raises."""

    line: str
    seconds: float
    bounds: CommandBounds
    open_network: Callable[[], AbstractContextManager[NetworkAccess]]
    # The hosts and ports that the command may connect to.
    hosts: tuple[str, ...]
    # Variables that make tools use the indexes of the user.
    variables: Mapping[str, str]
    # Hides secrets in the output.
    clean: Callable[[str], str]

    async def run(self, confinement: Confinement) -> SetupFinished:
        """Run to the end, in the workspace of the confinement."""
        started = monotonic()
        command = ProjectCommand(
            self.line, confinement, seconds=self.seconds, variables=self.variables
        )
        with self.open_network() as network:
            result = await run_project_command(self.bounds, command, network)
        return self._event(result, started)

    def _event(self, result: ProcessResult, started: float) -> SetupFinished:
        # Redacted before it is cut, because half a secret is not recognized.
        output = self.clean(result.output)
        exit_code = NO_EXIT_CODE if result.exit_code is None else result.exit_code
        return SetupFinished(
            command=self.line,
            exit_code=exit_code,
            duration_s=round(monotonic() - started, 3),
            output=output[-MAX_OUTPUT:],
            hosts=self.hosts,
            cause=cause_lines(output) if exit_code else (),
        )
