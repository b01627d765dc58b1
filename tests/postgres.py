"""A real PostgreSQL server for the tests: its own directory, no network, gone when they end."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from tests.missing import missing

# Durability of the server is not what we test, and a disk that is not asked is quick.
QUICK = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=16MB"
# Servers do not run as root; this user owns nothing else.
UNPRIVILEGED = "nobody"
# Marks of every test that needs the server: one worker has it, and `make test-fast` leaves it out.
ON_POSTGRES = (pytest.mark.slow, pytest.mark.xdist_group("postgres"))


@dataclass(frozen=True)
class PostgresServer:
    """Listens on a socket in `directory` only; whoever can open that is let in."""

    binaries: Path
    directory: Path
    numbers: "count[int]" = field(default_factory=lambda: count(1))

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.directory}"

    def new_database(self, template: str = "template1") -> str:
        """The URL of a database that no other test knows."""
        name = f"test_{next(self.numbers)}"
        self.run("createdb", "--template", template, name)
        return self.url(name)

    def run(self, program: str, *arguments: str) -> str:
        """The output of a client program of this server."""
        done = subprocess.run(
            [self.binaries / program, "-h", self.directory, "-U", "postgres", *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def control(self, *arguments: str) -> None:
        """Start or stop it, as the user it runs as."""
        subprocess.run(
            [*_as_user(), self.binaries / "pg_ctl", "-s", "-w", "-D", self.store, *arguments],
            check=True,
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
        )

    def start(self) -> None:
        only_here = f"-c listen_addresses='' -k {self.directory} {QUICK}"
        self.control("-l", str(self.directory / "log"), "-o", only_here, "start")

    @property
    def store(self) -> Path:
        return self.directory / "files"


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One server for all tests of this process."""
    if find_binaries() is None:
        missing("PostgreSQL (Debian: apt-get install postgresql)")
    with running_server() as server:
        yield server


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """A server for as long as the block lasts."""
    binaries = find_binaries()
    assert binaries is not None, "PostgreSQL is missing"
    # The path of a socket must be short, so not below pytest's directories.
    directory = Path(tempfile.mkdtemp(prefix="treadle-pg-"))
    try:
        if os.geteuid() == 0:
            os.chown(directory, pwd.getpwnam(UNPRIVILEGED).pw_uid, -1)
        server = PostgresServer(binaries, directory)
        initial = ["-A", "trust", "-U", "postgres", "-N", "-E", "UTF8", "--no-locale"]
        subprocess.run(
            [*_as_user(), binaries / "initdb", *initial, "-D", server.store],
            check=True,
            cwd=directory,
            stdout=subprocess.DEVNULL,
        )
        server.start()
        try:
            yield server
        finally:
            server.control("-m", "immediate", "stop")
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def find_binaries() -> Path | None:
    """Where the server's programs are, if it is installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    # Debian keeps them apart by version, so that several can live side by side.
    versions = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((path.parent for path in versions), key=_version, default=None)


def _version(binaries: Path) -> float:
    return float(binaries.parent.name)


def _as_user() -> list[str]:
    if os.geteuid() != 0:
        return []
    user = pwd.getpwnam(UNPRIVILEGED)
    return ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
