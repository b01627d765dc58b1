"""A machine in small: a user's home with a key, a project's clone, services, a process."""

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
class Scene:
    """What there is to attack, and how the attacker is confined."""

    within: Confinement
    told: dict[str, Any]
    # Must be afterwards what they were before, byte for byte.
    outside: tuple[Path, ...]

    def contents(self) -> dict[str, bytes | None]:
        """Of everything that nothing inside may change."""
        return {
            str(path): path.read_bytes() if path.is_file() else None
            for top in self.outside
            for path in [top, *sorted(top.rglob("*"))]
        }


@contextmanager
def scene_for(caller: Caller) -> Iterator[Scene]:
    place, mark = caller.place / "machine", f"escapes-{secrets.token_hex(6)}"
    home, run = place / "users-home", place / "users-home/.treadle/runs/r1"
    work = run / "work"
    for folder in (home / ".ssh", run / "home", work / "kept", place / "shown"):
        folder.mkdir(parents=True)
    for file in (home / ".ssh/id", home / "secret", run / "secret", place / "shown/text"):
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
        yield Scene(
            Confinement(
                work,
                run / "home",
                network="gateway",
                readable=(place / "shown",),
                protected=(Path(ABSENT), Path("kept/settings.json")),
            ),
            {
                "key": str(home / ".ssh/id"),
                "users_home": str(home),
                "link_to_key": str(work / "link-to-key"),
                "link_out": str(work / "link-out"),
                "workspace": str(work),
                "home": str(run / "home"),
                "readable": str(place / "shown/text"),
                "absent": ABSENT,
                "mark": mark,
                "host_process": process,
                "port": port,
                "abstract": mark,
                "socket": str(run / "s"),
            },
            (home / ".ssh", home / "secret", run / "secret", place / "shown", work / ".git"),
        )


def listening(stack: ExitStack, family: int, address: Any) -> Any:
    server = stack.enter_context(socket.socket(family))
    server.bind(address)
    server.listen()
    return server.getsockname()


@contextmanager
def host_process(mark: str) -> Iterator[int]:
    """One that waits for the end of its input, and has the mark on its command line."""
    with subprocess.Popen(["cat", "-", f"/nonexistent/{mark}"], stdin=subprocess.PIPE) as process:
        yield process.pid
        process.kill()
