"""A check runner without processes: it returns preset results, by command and commit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from treadle.domain.check import Evidence
from treadle.verify.check_runner import CheckCommand, CommandResult, CommandStopped


@dataclass(frozen=True, slots=True)
class PresetResult:
    """A preset exit code, output, and the files that the command leaves."""

    exit_code: int | None = 0
    output: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


GREEN, RED = PresetResult(0, "ok\n"), PresetResult(1, "it does not hold\n")


@dataclass(slots=True)
class MemoryCheckRunner:
    """`results` is keyed by command and commit; an empty commit matches every commit.

    A command without a preset result stops, as if the run were asked to stop.
    """

    results: dict[tuple[str, str], PresetResult]
    commands: list[CheckCommand] = field(default_factory=list)

    async def run(self, check: CheckCommand) -> CommandResult | CommandStopped:
        self.commands.append(check)
        preset = self.results.get((check.command, check.commit)) or self.results.get(
            (check.command, "")
        )
        if preset is None:
            return CommandStopped()
        evidence = Evidence(
            command=check.command,
            when=check.when,
            commit=check.commit,
            tree=f"tree of {check.commit}",
            exit_code=preset.exit_code,
            duration_s=0.0,
            fingerprint="memory",
            log=sha256(preset.output.encode()).hexdigest(),
        )
        return CommandResult(evidence, preset.output, preset.files)
