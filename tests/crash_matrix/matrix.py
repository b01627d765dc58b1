"""Plays cases and judges them; undisturbed runs are played once and kept to compare with."""

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from threading import Lock

from tests.crash_matrix.case import Case
from tests.crash_matrix.checks import failures
from tests.crash_matrix.playing import Played, Theatre, Unplayable, undisturbed

# Gives every run a database of its own; an empty URL is SQLite.
NewDatabase = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Judged:
    """A case that was played, and every promise that was not kept."""

    case: Case
    failures: tuple[str, ...]


@dataclass
class Matrix:
    """Several cases may be judged at once."""

    new_database: NewDatabase = lambda: ""
    _wanted: dict[tuple[str, str], Played] = field(default_factory=dict)
    _locks: dict[tuple[str, str], Lock] = field(default_factory=dict)
    _mutex: Lock = field(default_factory=Lock)

    def judge(self, case: Case) -> Judged:
        try:
            wanted, played = self._undisturbed(case), self._play(case)
        except (Unplayable, subprocess.TimeoutExpired) as error:
            return Judged(case, (str(error),))
        return Judged(case, tuple(failures(case, played, wanted)))

    def _undisturbed(self, case: Case) -> Played:
        key = (case.scenario, case.acts[0].command)
        with self._mutex:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in self._wanted:
                calm = undisturbed(case)
                played = self._play(calm)
                if played.exit_codes != tuple(act.exit_code for act in calm.acts):
                    raise Unplayable(f"{key} failed with nobody killed: {played.said}")
                self._wanted[key] = played
            return self._wanted[key]

    def _play(self, case: Case) -> Played:
        # Not below pytest's directories: an agent's sockets need short paths.
        directory = Path(tempfile.mkdtemp(prefix="treadle-crash-"))
        try:
            return Theatre(directory, case, self.new_database()).play()
        finally:
            rmtree(directory, ignore_errors=True)
