"""A check runner without processes: it returns preset results, by command and commit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from treadle.domain.check import Evidence
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped


@dataclass(frozen=True, slots=True)
class PresetResult:
    """A preset exit code, output, the files that the command leaves and those that it reads."""

    exit_code: int | None = 0
    output: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    # None: the file system does not tell.
    read_files: tuple[str, ...] | None = ()
    setup_failure: str = ""
    # Programs of the project.
    programs: tuple[str, ...] = ()


GREEN, RED = PresetResult(0, "ok\n"), PresetResult(1, "it does not hold\n")


@dataclass(slots=True)
class MemoryCheckRunner:
    """`results` is keyed by command and commit; an empty commit matches every commit.

    `pinned` has those that differ on the pinned tree. A command without a preset result stops, as
    if the run were asked to stop.
    """

    results: dict[tuple[str, str], PresetResult]
    commands: list[CheckCommand] = field(default_factory=list)
    pinned: dict[tuple[str, str], PresetResult] = field(default_factory=dict)

    async def run(self, check: CheckCommand) -> CommandResult | CommandStopped:
        self.commands.append(check)
        preset = self._preset(check)
        if preset is None:
            return CommandStopped()
        base = check.pins.base if check.pins else ""
        evidence = Evidence(
            command=check.command,
            when=check.when,
            commit=check.commit,
            tree=f"tree of {check.commit}" + (f" with judges of {base}" if base else ""),
            exit_code=preset.exit_code,
            duration_s=0.0,
            fingerprint="memory",
            log=sha256(preset.output.encode()).hexdigest(),
            judges_of=base,
        )
        return CommandResult(
            evidence,
            preset.output,
            preset.files,
            setup_failure=preset.setup_failure,
            read_files=_read_files(preset, check.watched),
            program_present=check.find_program in preset.programs,
        )

    def _preset(self, check: CheckCommand) -> PresetResult | None:
        tables = (self.pinned, self.results) if check.pins else (self.results,)
        keys = (check.command, check.commit), (check.command, "")
        return next((table[key] for table in tables for key in keys if key in table), None)


def _read_files(preset: PresetResult, watched: tuple[str, ...]) -> tuple[str, ...] | None:
    if not watched:
        return ()
    if preset.read_files is None:
        return None
    return tuple(name for name in watched if name in preset.read_files)
