"""A small machine to attack: a user's home with a key, a clone, services, a process."""

import secrets
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.escapes.callers import Caller
from treadle.domain.sandbox import Confinement

KEY = "-----BEGIN PRIVATE KEY-----\n"
ABSENT = ".claude/settings.json"


@dataclass(frozen=True)
class AttackedMachine:
    """What an attacker may try to reach, and how it is confined."""

    within: Confinement
    # Paths, addresses and processes, for the program that attacks them.
    targets: dict[str, Any]
    # They must not change by a single byte.
    outside: tuple[Path, ...]

    def contents(self) -> dict[str, bytes | None]:
        """All files that nothing inside may change."""
        return {
            str(path): path.read_bytes() if path.is_file() else None
            for top in self.outside
            for path in [top, *sorted(top.rglob("*"))]
        }


@contextmanager
def make_attacked_machine(caller: Caller) -> Iterator[AttackedMachine]:
    machine, mark = caller.folder / "machine", f"escapes-{secrets.token_hex(6)}"
    home, run = machine / "users-home", machine / "users-home/.treadle/runs/r1"
    work = run / "work"
    for folder in (home / ".ssh", run / "home", work / "kept", machine / "shown"):
        folder.mkdir(parents=True)
    for file in (home / ".ssh/id", home / "secret", run / "secret", machine / "shown/text"):
        file.write_text(KEY)
    (work / "kept/settings.json").write_text("{}\n")
    subprocess.run(["git", "init", "-q", work], check=True)
    (work / ".git/objects/info").mkdir(exist_ok=True)
    (work / ".git/objects/info/alternates").write_text("/nonexistent\n")
    (work / "link-to-key").symlink_to(home / ".ssh/id")
    (work / "link-out").symlink_to(home)
    with ExitStack() as stack:
        port = listening(stack, socket.AF_INET, ("127.0.0.1", 0))[1]
        listening(stack, socket.AF_UNIX, f"\0{mark}")
        listening(stack, socket.AF_UNIX, str(run / "s"))
        process = stack.enter_context(host_process(mark))
        yield AttackedMachine(
            Confinement(
                work,
                run / "home",
                network="gateway",
                readable=(machine / "shown",),
                protected=(Path(ABSENT), Path("kept/settings.json")),
            ),
            {
                "key": str(home / ".ssh/id"),
                "users_home": str(home),
                "link_to_key": str(work / "link-to-key"),
                "link_out": str(work / "link-out"),
                "workspace": str(work),
                "home": str(run / "home"),
                "readable": str(machine / "shown/text"),
                "absent": ABSENT,
                "mark": mark,
                "host_process": process,
                "port": port,
                "abstract": mark,
                "socket": str(run / "s"),
            },
            (home / ".ssh", home / "secret", run / "secret", machine / "shown", work / ".git"),
        )


def listening(stack: ExitStack, family: int, address: Any) -> Any:
    server = stack.enter_context(socket.socket(family))
    server.bind(address)
    server.listen()
    return server.getsockname()


@contextmanager
def host_process(mark: str) -> Iterator[int]:
    """A process with the mark in its command line; it waits for the end of its input."""
    with subprocess.Popen(["cat", "-", f"/nonexistent/{mark}"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.kill()
