"""Runs a case with real processes and collects what its checks compare."""

import hashlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.acceptance.harness import TREADLE, CommandHarness
from tests.crash_matrix.case import ASKED, LIMITED, Case, CaseCommand, Command
from tests.crash_matrix.scenarios import SCENARIOS, Scenario
from tests.upgrades.earlier_version import EarlierVersion
from treadle.runs.locks import lock_worker
from treadle.runs.shell_environment import login_of
from treadle.settings.environment import parse_environment

REPOSITORY = Path(__file__).resolve().parents[2]
LAUNCH = (
    f"import sys; sys.path[0] = {str(REPOSITORY)!r};"
    "from tests.crash_matrix.launch import main; main()"
)
PATIENCE_S = 100
RUN = re.compile(r" \(treadle [0-9a-f]+\)")
NOT_THE_USERS = {".git", ".treadle", "treadle.toml"}

Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Killed:
    """What a process left when it died."""

    seq: int  # the last event that was stored
    cut_session: str | None
    remembered: bool  # whether the agent has a transcript of that session
    checkout: "Checkout"
    orphans: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checkout:
    """The user's side of the repository."""

    head: str
    branch: str
    status: str
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case after its last command."""

    exit_codes: tuple[int, ...]
    log: tuple[Line, ...]
    killed: tuple[Killed, ...]
    before: Checkout
    after: Checkout
    tree: str
    subjects: tuple[str, ...]
    status: str
    branches: int
    orphans: tuple[str, ...]
    said: str


class CaseNotRun(Exception):
    """The case did not even come to the point where it could be judged."""


class CrashHarness(CommandHarness):
    """Runs commands that are killed at their point; `database_url` is empty for SQLite. The first
    command can be one of an earlier version."""

    def __init__(
        self,
        directory: Path,
        case: Case,
        database_url: str = "",
        first_version: EarlierVersion | None = None,
    ) -> None:
        super().__init__(directory)
        self._case = case
        self._database_url = database_url
        self._first_version = first_version
        self._scenario: Scenario = SCENARIOS[case.scenario]
        self._said = ""  # the last words on stderr, for whoever has to find out
        self._script = directory / "rehearsal.yaml"
        self._script.write_text(self._scenario.script)

    @property
    def environment(self) -> dict[str, str]:
        url = {"TREADLE_DATABASE_URL": self._database_url} if self._database_url else {}
        return {**super().environment, **url}

    def run_case(self) -> CaseResult:
        self._scenario.before(self)
        self.settings(dict(self._scenario.settings))
        earlier = set(self._runs())
        before, killed, codes = self.checkout(), [], []
        for number, command in enumerate(self._case.commands):
            code = self._perform(number, command, earlier)
            codes.append(code)
            if code == -signal.SIGKILL:
                killed.append(self._killed(earlier))
        return CaseResult(
            exit_codes=tuple(codes),
            log=self._log(earlier),
            killed=tuple(killed),
            before=before,
            after=self.checkout(),
            tree=self.git("rev-parse", "HEAD^{tree}"),
            subjects=tuple(RUN.sub("", self.git("log", "--format=%s")).splitlines()),
            status=self._status(),
            branches=len(self.git("for-each-ref", "refs/heads").splitlines()),
            orphans=self.orphans(),
            said=self._said,
        )

    def _status(self) -> str:
        """The file of deliverables; empty if no command came so far as to write it."""
        try:
            return (self.project / ".treadle" / "status.json").read_text()
        except FileNotFoundError:
            return ""

    def checkout(self) -> Checkout:
        files = {
            str(path.relative_to(self.project)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and path.relative_to(self.project).parts[0] not in NOT_THE_USERS
        }
        return Checkout(
            head=self.git("rev-parse", "HEAD"),
            branch=self.git("symbolic-ref", "HEAD"),
            status=self.git("status", "--porcelain"),
            files=files,
        )

    def orphans(self) -> tuple[str, ...]:
        """Living processes that were started in this world, once they had time to go."""
        for _ in range(500):
            if not (found := self._living()):
                return ()
            select.select([], [], [], 0.01)
        return found

    def _living(self) -> tuple[str, ...]:
        world, found = str(self.directory).encode() + b"/", []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if world in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return tuple(command for command in found if command)

    def _perform(self, number: int, command: CaseCommand, earlier: set[str]) -> int:
        other = self._first_version if number == 0 else None
        python, treadle = (
            (sys.executable, TREADLE) if other is None else (other.python, other.command)
        )
        launcher = [python, "-c", LAUNCH, self._case.name, str(number), "--"]
        with (
            self._worker_seems_alive(command.command == "detach"),
            self._answered(command.command == "answered worker"),
        ):
            done = subprocess.run(
                [
                    *(launcher if command.dies else [treadle]),
                    *self._words(command.command, earlier),
                ],
                cwd=self.project,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=False,
            )
        self._said = done.stderr[-2000:]
        return done.returncode

    def _words(self, command: Command, earlier: set[str]) -> list[str]:
        rehearsed = ["rehearse", str(self._script), "--", "deliver", *self._scenario.options]
        match command:
            case "deliver":
                return [*rehearsed, "--json"]
            case "detach":
                return [*rehearsed, "--detach"]
            case "resume":
                return ["resume", self._run(earlier), "--json"]
            case "resume further":
                return ["resume", self._run(earlier), "--json", "--max-iterations", "9"]
            case "worker" | "answered worker":
                return ["worker", "--until-idle"]
            case "approve":
                return ["approve", self._question()]

    def _question(self) -> str:
        """The one question of the run, once it is asked."""
        for _ in range(PATIENCE_S):
            listed = json.loads(self.treadle("approvals", "--json").stdout)
            if listed:
                return str(listed[0]["id"])
        raise CaseNotRun(f"nothing was asked: {self._said}")

    @contextmanager
    def _answered(self, wanted: bool) -> Iterator[None]:
        """Meanwhile a person says yes to whatever is asked."""
        person = threading.Thread(target=lambda: self.treadle("approve", self._question()))
        if wanted:
            person.start()
        yield
        if wanted:
            person.join()

    @contextmanager
    def _worker_seems_alive(self, seems: bool) -> Iterator[None]:
        """So that detaching starts none of its own, which could not be made to die."""
        if not seems:
            yield
            return
        login = login_of(parse_environment(self.environment))
        with lock_worker(self.root, login) as become_primary:
            become_primary()
            yield

    def _killed(self, earlier: set[str]) -> Killed:
        orphans = self.orphans()
        log = self._log(earlier)
        session = cut_session(log)
        return Killed(
            seq=log[-1]["seq"] if log else 0,
            cut_session=session,
            remembered=session is not None and self._remembers(session),
            checkout=self.checkout(),
            orphans=orphans,
        )

    def _remembers(self, session: str) -> bool:
        kept = (self.root / "runs").glob(f"*/home/.claude/projects/*/{session}.jsonl")
        return any(path.stat().st_size > 0 for path in kept)

    def _runs(self) -> list[str]:
        directory = self.root / "runs"
        return sorted(path.name for path in directory.iterdir()) if directory.exists() else []

    def _run(self, earlier: set[str]) -> str:
        """The newest: ids begin with the time."""
        runs = [run for run in self._runs() if run not in earlier]
        if not runs:
            raise CaseNotRun(f"no run was made: {self._said}")
        return runs[-1]

    def _log(self, earlier: set[str]) -> tuple[Line, ...]:
        told = self.treadle("logs", self._run(earlier), "--json")
        return tuple(told.lines) if told.exit_code == 0 else ()


def cut_session(log: tuple[Line, ...]) -> str | None:
    """The session that had begun and not ended."""
    events = [line["event"] for line in log]
    ended = {e["result"]["session"] for e in events if e["type"] == "session.ended"}
    begun = [e["session"] for e in events if e["type"] == "session.started"]
    return begun[-1] if begun and begun[-1] not in ended else None


def undisturbed(case: Case) -> Case:
    """The same run with nobody killed in it."""
    first = case.commands[0].command
    if case.scenario == LIMITED:
        return replace(case, commands=(case.commands[0], CaseCommand("resume further")))
    if first == "deliver":
        return replace(case, commands=(CaseCommand("deliver"),))
    worker: Command = "answered worker" if case.scenario == ASKED else "worker"
    return replace(case, commands=(CaseCommand("detach"), CaseCommand(worker)))
