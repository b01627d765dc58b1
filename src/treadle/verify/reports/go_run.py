"""What a run of Go's tests came to, however it was told: by JSON events or by lines. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from treadle.domain.testing import CaseOutcome
from treadle.verify.reports.told import STAND_IN, Told
from treadle.verify.reports.wording import NOWHERE, spot

# A package and a test of it; the empty name stands for the package itself.
Key: TypeAlias = tuple[str, str]

_OUTCOMES: Mapping[str, CaseOutcome] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_MOST_WORDS = 8_000


@dataclass(slots=True)
class GoRun:
    """Takes in one thing after the other, in the words of `go test -json`."""

    # A test ended that never began: the beginning is lost.
    is_cut: bool = False
    _words: dict[Key, str] = field(default_factory=dict)
    _outcomes: dict[Key, CaseOutcome] = field(default_factory=dict)
    _started: dict[Key, None] = field(default_factory=dict)

    def take(self, action: str, key: Key, output: str = "") -> None:
        if action in ("output", "build-output"):
            said = self._words.get(key, "")
            if len(said) < _MOST_WORDS:
                self._words[key] = said + output[:_MOST_WORDS]
        elif action == "run":
            self._started[key] = None
        elif outcome := _OUTCOMES.get(action):
            self.is_cut = self.is_cut or (key[1] != "" and key not in self._started)
            self._outcomes[key] = outcome

    def told(self) -> Iterator[Told]:
        """Every test and subtest; a package that failed without one, as when it does not build."""
        # A test that began and did not end took its package down, by a panic or os.Exit.
        unended: dict[Key, CaseOutcome] = {
            key: "failed" for key in self._started if key not in self._outcomes
        }
        ended = {**self._outcomes, **unended}
        red = {package for (package, test), how in ended.items() if test and how == "failed"}
        for (package, test), outcome in ended.items():
            if not test and (outcome != "failed" or package in red):
                continue
            words = self._words.get((package, test), "")
            yield Told(
                package,
                test or STAND_IN,
                outcome,
                spot=spot(words) if outcome == "failed" else NOWHERE,
                message=_message(words),
            )


def _message(words: str) -> str:
    lines = words.splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith(("=== ", "--- ")))
