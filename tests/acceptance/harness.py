"""Runs the real `treadle` on a project with a home and a Treadle root of its own.

Nothing of the machine's own environment reaches the command: what it is given is built here.
"""

import json
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

TREADLE = Path(sys.executable).with_name("treadle")
PATH = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"

# To ask every package manager of the machine takes a second; `tests/projects` has the indexes open.
QUICK = {
    "deliver.delay_s": "0",
    "deliver.backoff_s": "0",
    "quota.margin_s": "0",
    "sandbox.indexes": '"closed"',
}

ONE_DELIVERABLE = """
  - role: initializer
    turns:
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - {id: DL-001, description: A greeting, acceptanceCriteria: [hello.txt says hello]}
      - text: Written down.
"""

TWO_DELIVERABLES = """
  - role: initializer
    turns:
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - {id: DL-001, description: A greeting, acceptanceCriteria: [hello.txt says hello]}
            - {id: DL-002, description: A farewell, acceptanceCriteria: [bye.txt says bye]}
      - text: Written down.
"""

BUILD_IT = """
  - role: implementer
    turns:
      - tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""


def script(*sessions: str, auth: str = "api_key") -> str:
    return f"version: 1\nauth: {auth}\nsessions:\n" + "".join(sessions)


@dataclass(frozen=True, slots=True)
class Finished:
    """What a command left behind."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.stdout.split("\n") if line]

    @property
    def events(self) -> list[dict[str, Any]]:
        return [line["event"] for line in self.lines]

    def of_type(self, *types: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] in types]

    def types(self, *leave_out: str) -> list[str]:
        return [e["type"] for e in self.events if not e["type"].startswith(leave_out)]

    @property
    def result(self) -> dict[str, Any]:
        ended: dict[str, Any] = self.events[-1]["result"]
        return ended


class CommandHarness:
    """One project with a SPEC.md, committed, and its own home and Treadle root."""

    # No command runs longer.
    seconds = 100
    # Of the version under test; tests of upgrades put an earlier one in its place.
    command = TREADLE

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.project = directory / "project"
        self.home = directory / "home"
        self.root = directory / "root"
        self.home.mkdir(parents=True)
        (self.home / ".gitconfig").write_text(
            "[user]\n\tname = Ada Example\n\temail = ada@example.com\n"
            "[init]\n\tdefaultBranch = main\n"
        )
        self.project.mkdir()
        (self.project / "SPEC.md").write_text("# A greeting\n\nhello.txt says hello.\n")
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "The specification")

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": PATH,
            "HOME": str(self.home),
            "TREADLE_ROOT": str(self.root),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
        }

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.project,
            env={"PATH": PATH, "HOME": str(self.home), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def settings(self, values: dict[str, str]) -> None:
        """Write treadle.toml from dotted keys; git ignores it, so the checkout stays clean."""
        (self.project / ".git" / "info" / "exclude").write_text("treadle.toml\n.treadle*\n")
        lines = [f"{key} = {value}" for key, value in {**QUICK, **values}.items()]
        (self.project / "treadle.toml").write_text("\n".join(lines) + "\n")

    def treadle(self, *arguments: str, **variables: str) -> Finished:
        """Run any command to its end."""
        return self.behind((), *arguments, **variables)

    def behind(self, starter: Sequence[str], *arguments: str, **variables: str) -> Finished:
        """The same, started by another program, which takes something from it."""
        done = subprocess.run(
            [*starter, self.command, *arguments],
            cwd=self.project,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=self.seconds,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def deliver(
        self, rehearsal: str, *options: str, settings: dict[str, str] | None = None
    ) -> Finished:
        """A whole rehearsed `deliver` run, its event log on stdout."""
        return self.treadle(*self._rehearsed(rehearsal, *options, settings=settings))

    def start(
        self, rehearsal: str, *options: str, settings: dict[str, str] | None = None
    ) -> "Running":
        """As `deliver`, without waiting for the end."""
        return self.begin(*self._rehearsed(rehearsal, *options, settings=settings))

    def begin(self, *arguments: str) -> "Running":
        """Start a command without waiting for its end."""
        # A file, not a pipe: nobody reads it while the run goes on. Several may run at once.
        with NamedTemporaryFile("w", dir=self.directory, prefix="stderr-", delete=False) as file:
            process = subprocess.Popen(
                [self.command, *arguments],
                cwd=self.project,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        return Running(process, Path(file.name))

    def _rehearsed(
        self, rehearsal: str, *options: str, settings: dict[str, str] | None = None
    ) -> list[str]:
        self.settings(settings or {})
        path = self.directory / "script.yaml"
        path.write_text(rehearsal)
        return ["rehearse", str(path), "--", "deliver", "--json", *options]


class Running:
    """A command at work, read line by line."""

    def __init__(self, process: subprocess.Popen[str], stderr: Path) -> None:
        self.process = process
        self.stderr = stderr
        self._lines: list[str] = []

    def until(self, event_type: str, **fields: object) -> dict[str, Any]:
        """Read on until an event of this type, with these fields, is stored."""
        for line in self._read():
            event: dict[str, Any] = json.loads(line)["event"]
            if event["type"] == event_type and fields.items() <= event.items():
                return event
        raise AssertionError(f"no {event_type}: {self.stderr.read_text()}")

    def _read(self) -> Iterator[str]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            self._lines.append(line)
            yield line

    def finish(self) -> Finished:
        for _ in self._read():
            pass
        assert self.process.stdout is not None
        self.process.stdout.close()
        exit_code = self.process.wait(timeout=100)
        return Finished(exit_code, "".join(self._lines), self.stderr.read_text())


def processes_of(finished: Finished) -> list[str]:
    """The command lines of every living process that carries the mark of one of the sessions."""
    marks = {
        f"TREADLE_SESSION={event['session']}".encode()
        for event in finished.of_type("session.started")
    }
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if marks & set((entry / "environ").read_bytes().split(b"\0")):
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
    return [command for command in found if command]


def assert_all_gone(finished: Finished) -> None:
    """A killed process needs a moment to be gone; it must not need more than a few seconds."""
    for _ in range(500):
        if not processes_of(finished):
            return
        select.select([], [], [], 0.01)
    raise AssertionError(processes_of(finished))


def assert_sound(harness: CommandHarness, finished: Finished) -> None:
    """What holds after every run: no process left, a log that is complete, ordered and stored."""
    assert processes_of(finished) == []
    assert [line["seq"] for line in finished.lines] == list(range(1, len(finished.lines) + 1))
    types = finished.types()
    assert (types[0], types[-1]) == ("run.started", "run.ended")
    assert types.count("session.started") == types.count("session.ended")
    stored = harness.treadle("logs", finished.events[0]["run"], "--json")
    assert stored.stdout == finished.stdout
