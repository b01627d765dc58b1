"""A proving ground without processes: what a command shows on a commit was said beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from treadle.domain.check import Evidence
from treadle.verify.proving_ground import NotShown, Shown, Trial


@dataclass(frozen=True, slots=True)
class Said:
    """What is shown: an exit code, what is printed, the files that are left."""

    exit_code: int | None = 0
    output: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)


GREEN, RED = Said(0, "ok\n"), Said(1, "it does not hold\n")


@dataclass(slots=True)
class MemoryGround:
    """`said` goes by command and commit; by the command alone where a commit makes no difference.

    Nothing is said about a trial: the run was asked to stop.
    """

    said: dict[tuple[str, str], Said]
    trials: list[Trial] = field(default_factory=list)

    async def show(self, trial: Trial) -> Shown | NotShown:
        self.trials.append(trial)
        said = self.said.get((trial.command, trial.commit)) or self.said.get((trial.command, ""))
        if said is None:
            return NotShown()
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
        return Shown(evidence, said.output, said.files)
