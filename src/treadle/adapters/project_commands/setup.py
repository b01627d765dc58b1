"""Runs a project's setup command: confined, with access to package indexes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from treadle.domain.events.oversight import HostAsked
from treadle.domain.events.work import SetupFinished
from treadle.domain.sandbox import Confinement
from treadle.verify.results.failure_cause import cause_lines

MAX_OUTPUT = 4000
# As `timeout` exits.
NO_EXIT_CODE = 124
MAX_REFUSALS = 3

RecordHost = Callable[[HostAsked], None]


@dataclass(frozen=True, slots=True)
class SetupNetwork:
    """What a setup reaches."""

    # The network for one setup, which records each host that is asked for.
    open: Callable[[RecordHost], AbstractContextManager[NetworkAccess]]
    # The hosts and ports that the command may connect to.
    hosts: tuple[str, ...]
    # Said if the setup fails: what is closed to it, and which setting opens that.
    closed: str = ""


@dataclass(frozen=True, slots=True)
class SetupCommand:
    """The setup command of a project. A failed sandbox raises."""

    line: str
    seconds: float
    bounds: CommandBounds
    network: SetupNetwork
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
        asked: list[HostAsked] = []
        with self.network.open(asked.append) as network:
            result = await run_project_command(self.bounds, command, network)
        return self._event(result, asked, started)

    def _event(
        self, result: ProcessResult, asked: Sequence[HostAsked], started: float
    ) -> SetupFinished:
        # Redacted before it is cut, because half a secret is not recognized.
        output = self.clean(result.output)
        exit_code = NO_EXIT_CODE if result.exit_code is None else result.exit_code
        refusals = [each for each in asked if not each.allowed]
        causes = (*cause_lines(output), *self._refusal_causes(output, refusals))
        return SetupFinished(
            command=self.line,
            exit_code=exit_code,
            duration_s=round(monotonic() - started, 3),
            output=output[-MAX_OUTPUT:],
            hosts=self.network.hosts,
            cause=causes if exit_code else (),
            reached=_names(each for each in asked if each.allowed),
            refused=_names(refusals),
        )

    def _refusal_causes(self, output: str, refusals: Sequence[HostAsked]) -> tuple[str, ...]:
        """Why hosts were refused, as far as the tools do not say it themselves."""
        reasons = dict.fromkeys(each.reason for each in refusals if each.reason)
        untold = [f"refused: {reason}" for reason in reasons if reason not in output]
        if not refusals and self.network.closed:
            return (self.network.closed,)
        return tuple(untold[:MAX_REFUSALS])


def _names(asked: Iterable[HostAsked]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{each.host}:{each.port}" for each in asked))
