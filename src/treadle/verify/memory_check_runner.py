"""A check runner without processes: it returns preset results, by command and commit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from treadle.domain.check import Evidence
from treadle.verify.check_runner_port import CheckCommand, CommandResult, CommandStopped


@dataclass(frozen=True, slots=True)
class PresetResult:
    """What is shown: an exit code, what is printed, the files that are left."""

    exit_code: int | None = 0
    output: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


GREEN, RED = PresetResult(0, "ok\n"), PresetResult(1, "it does not hold\n")


@dataclass(slots=True)
class MemoryCheckRunner:
    """`said` goes by command and commit; by the command alone where a commit makes no difference.

    Nothing is said about a trial: the run was asked to stop.
    """

    results: dict[tuple[str, str], PresetResult]
    commands: list[CheckCommand] = field(default_factory=list)

    async def run(self, trial: CheckCommand) -> CommandResult | CommandStopped:
        self.commands.append(trial)
        said = self.results.get((trial.command, trial.commit)) or self.results.get(
            (trial.command, "")
        )
        if said is None:
            return CommandStopped()
        evidence = Evidence(
            command=trial.command,
            when=trial.when,
            commit=trial.commit,
            tree=f"tree of {trial.commit}",
            exit_code=said.exit_code,
            duration_s=0.0,
            fingerprint="memory",
            log=sha256(said.output.encode()).hexdigest(),
        )
        return CommandResult(evidence, said.output, said.files)
