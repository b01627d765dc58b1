"""Runs cases and checks them; each undisturbed run is made once and kept for comparison."""

import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from threading import Lock

from tests.crash_matrix.case import Case
from tests.crash_matrix.case_runner import CaseNotRun, CaseResult, CrashHarness, undisturbed
from tests.crash_matrix.checks import failures
from tests.upgrades.earlier_version import EarlierVersion

# Gives every run a database of its own; an empty URL is SQLite.
NewDatabase = Callable[[], str]


@dataclass(frozen=True, slots=True)
class CaseVerdict:
    """A case that was run, and every promise that was not kept."""

    case: Case
    failures: tuple[str, ...]


@dataclass
class Matrix:
    """Several cases may be judged at once."""

    new_database: NewDatabase = lambda: ""
    # Makes the first command of every case; None: this version does.
    earlier: EarlierVersion | None = None
    _wanted: dict[tuple[str, str], CaseResult] = field(default_factory=dict)
    _locks: dict[tuple[str, str], Lock] = field(default_factory=dict)
    _mutex: Lock = field(default_factory=Lock)

    def judge(self, case: Case) -> CaseVerdict:
        try:
            wanted = self._undisturbed(case)
            result = self._run_case(case, self.earlier)
        except (CaseNotRun, subprocess.TimeoutExpired) as error:
            return CaseVerdict(case, (str(error),))
        return CaseVerdict(case, tuple(failures(case, result, wanted)))

    def _undisturbed(self, case: Case) -> CaseResult:
        key = (case.scenario, case.commands[0].command)
        with self._mutex:
            lock = self._locks.setdefault(key, Lock())
        with lock:
            if key not in self._wanted:
                calm = undisturbed(case)
                result = self._run_case(calm)
                if result.exit_codes != tuple(command.exit_code for command in calm.commands):
                    raise CaseNotRun(f"{key} failed with nobody killed: {result.said}")
                self._wanted[key] = result
            return self._wanted[key]

    def _run_case(self, case: Case, earlier: EarlierVersion | None = None) -> CaseResult:
        # Not below pytest's directories: an agent's sockets need short paths.
        directory = Path(tempfile.mkdtemp(prefix="treadle-crash-"))
        try:
            return CrashHarness(directory, case, self.new_database(), earlier).run_case()
        finally:
            rmtree(directory, ignore_errors=True)
