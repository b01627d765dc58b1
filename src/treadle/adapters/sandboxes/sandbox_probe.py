"""Probes a sandbox: makes files and sockets, runs the canary inside and checks the host."""

import json
import os
import secrets
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from treadle.adapters.sandboxes.bubblewrap_options import (
    MEGABYTE,
    TEMPORARY_FOLDERS,
)
from treadle.adapters.sandboxes.bubblewrap_options import VARIABLES as DEFAULT_VARIABLES
from treadle.adapters.sandboxes.command_runner import ReadFailure, run_to_end
from treadle.adapters.sandboxes.interpreter import Interpreter
from treadle.adapters.sandboxes.mounts import START_FILES, START_FOLDERS
from treadle.adapters.sandboxes.probe_verdict import HostFindings, evaluate_probe, parse_result
from treadle.adapters.sandboxes.system_paths import HOST_NAME
from treadle.domain.sandbox import ConfinedCommand, Confinement, ProbeResult, SandboxFailed

ANSWER_S = 30.0
CONTENT = "canary\n"
LONGEST_SOCKET = 100
NAMESPACES = ("user", "mnt", "pid", "ipc", "uts", "cgroup", "net")
VARIABLES = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
# The sandbox sets these; bubblewrap itself adds the last one.
ADDED_VARIABLES = ("HOME", "TMPDIR", "USER", "LOGNAME", "PWD")
GIT_FOLDERS = (".git", ".git/objects", ".git/objects/info")
PROTECTED = (Path("kept/settings.json"), Path("absent.json"), Path("absent/deep/settings.json"))

Confine = Callable[[tuple[str, ...], dict[str, str], Confinement], ConfinedCommand | SandboxFailed]


@dataclass(frozen=True, slots=True)
class ProbeFixture:
    """Paths and addresses that exist only for one probe."""

    within: Confinement
    secret: Path
    beside: Path
    readable: Path
    port: int
    abstract: str
    # The workspace and the home, if files can be renamed and linked across their directories.
    movable: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """What differs between sandboxes."""

    interpreter: Interpreter
    # A directory of the host that no sandbox shows.
    folder: Path
    launcher: tuple[str, ...] = ()
    # The socket's path inside; None if it is the same as outside.
    socket: str | None = None
    # Directories in memory that every sandbox has for itself.
    temporary: tuple[str, ...] = TEMPORARY_FOLDERS
    # The tests that must pass; None means all.
    required_tests: frozenset[str] | None = None


async def run_probe(confine: Confine, failure: ReadFailure, options: ProbeOptions) -> ProbeResult:
    """Run the canary once, and evaluate its result and the state of the host."""
    with _make_fixture(options) as fixture:
        python = (str(options.interpreter.program), "-I", "-S")
        canary = files("treadle.adapters.sandboxes").joinpath("canary.py").read_text("utf-8")
        argument = json.dumps(_canary_input(fixture, options))
        confined = confine((*python, "-c", canary, argument), VARIABLES, fixture.within)
        if isinstance(confined, SandboxFailed):
            return confined
        ran = await run_to_end(
            confined, directory=Path("/"), seconds=ANSWER_S, capture="apart", failure=failure
        )
        if ran.sandbox_failure is not None:
            return ran.sandbox_failure
        if ran.exit_code is None:
            return SandboxFailed(f"the sandbox's test program did not answer within {ANSWER_S:g} s")
        result = parse_result(ran.output)
        if result is None:
            last = ran.error_output.strip().splitlines()[-1:] or ["there was no output"]
            return SandboxFailed(f"the sandbox's test program did not answer: {last[0]}")
        if options.required_tests is not None:
            result = result.only(options.required_tests)
        counted = confined.counts_processes
        return evaluate_probe(result, _inspect_host(fixture, counts_processes=counted))


@contextmanager
def _make_fixture(options: ProbeOptions) -> Iterator[ProbeFixture]:
    options.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="probe-", dir=options.folder)).resolve()
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        socket_folder = _socket_folder(folder, stack)
        for name in ("work/.git/hooks", "work/.git/objects/info", "work/kept", "home", "shown"):
            (folder / name).mkdir(parents=True)
        for name in ("work/.git/config", "work/kept/settings.json", "secret", "shown/text"):
            (folder / name).write_text(CONTENT)
        (folder / "work/.git/objects/info/alternates").write_text("/nonexistent\n")
        abstract = f"treadle-probe-{secrets.token_hex(8)}"
        _listen(stack, socket.AF_UNIX, str(socket_folder / "s"))
        if hasattr(os, "memfd_create"):  # Linux, which alone has abstract sockets
            _listen(stack, socket.AF_UNIX, f"\0{abstract}")
        service = _listen(stack, socket.AF_INET, ("127.0.0.1", 0))
        yield ProbeFixture(
            within=Confinement(
                folder / "work",
                folder / "home",
                network="gateway",
                readable=(folder / "shown",),
                protected=PROTECTED,
                sockets={options.socket or str(socket_folder / "s"): socket_folder / "s"},
            ),
            secret=folder / "secret",
            beside=folder / "beside",
            readable=folder / "shown/text",
            port=service.getsockname()[1],
            abstract=abstract,
            movable=tuple(
                path for path in (folder / "work", folder / "home") if _can_move_files(path)
            ),
        )


def _socket_folder(folder: Path, stack: ExitStack) -> Path:
    """A short path: the path of a socket may have about a hundred bytes."""
    if len(os.fsencode(folder / "s")) <= LONGEST_SOCKET:
        return folder
    short = Path(tempfile.mkdtemp(prefix="treadle-probe-"))
    stack.callback(shutil.rmtree, short, ignore_errors=True)
    return short


def _listen(stack: ExitStack, family: int, address: Any) -> socket.socket:
    server = stack.enter_context(socket.socket(family))
    server.bind(address)
    server.listen()
    return server


def _canary_input(fixture: ProbeFixture, options: ProbeOptions) -> dict[str, Any]:
    work = fixture.within.workspace
    protected = (
        "kept/settings.json",
        "absent.json",
        "absent.json/x",
        "absent/deep/settings.json/x",
    )
    git = (".git/config", ".git/hooks/pre-commit", ".git/objects/info/alternates")
    return {
        "workspace": str(work),
        "home": str(fixture.within.home),
        "secret": str(fixture.secret),
        "beside": str(fixture.beside),
        "readable": str(fixture.readable),
        "socket": next(iter(fixture.within.sockets)),
        "port": fixture.port,
        "abstract": fixture.abstract,
        "launcher": list(options.launcher),
        "hostname": HOST_NAME,
        "variables": [*VARIABLES, *DEFAULT_VARIABLES, *ADDED_VARIABLES],
        "system": [
            "/written",
            "/etc/written",
            "/run/written",
            "/usr/written",
            "/var/written",
            "/dev/written",
        ],
        "protected": [
            *(str(work / name) for name in (*protected, *git)),
            *(str(fixture.within.home / name) for name in START_FILES),
            *(str(fixture.within.home / name / "config") for name in START_FOLDERS),
        ],
        "kept": [str(work / "kept/settings.json"), str(work / ".git/config")],
        "pinned": [
            *(str(work / name) for name in ("kept", "absent", "absent/deep", *GIT_FOLDERS)),
            str(fixture.within.home / ".config"),
        ],
        "read_only": ["/", "/proc", "/dev", "/usr", str(fixture.readable)],
        "movable": [*map(str, fixture.movable), *options.temporary],
        "temporary": list(options.temporary),
        "temporary_bytes": fixture.within.limits.memory_mb * MEGABYTE,
        "namespaces": {name: _namespace(name) for name in NAMESPACES if _namespace(name)},
    }


def _can_move_files(folder: Path) -> bool:
    """Whether the file system lets this process do what the canary is to do in the directory."""
    first, second = folder / "host-1", folder / "host-2"
    try:
        first.mkdir()
        second.mkdir()
        (first / "file").touch()
        (second / "linked").hardlink_to(first / "file")
        (first / "file").rename(second / "renamed")
    except OSError:
        return False
    return True


def _namespace(name: str) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/self/ns/{name}").readlink())
    return ""


def _inspect_host(fixture: ProbeFixture, *, counts_processes: bool) -> HostFindings:
    return HostFindings(
        tuple(_find_leaks(fixture)),
        any_number_of_processes=os.getuid() == 0 and not counts_processes,
        moves_files={fixture.within.workspace, fixture.within.home} == set(fixture.movable),
    )


def _find_leaks(fixture: ProbeFixture) -> list[str]:
    """What is wrong on the host: forbidden files that changed, and allowed writes that are lost."""
    work = fixture.within.workspace
    kept = (work / ".git/config", work / "kept/settings.json", fixture.secret, fixture.readable)
    changed = (
        any(not path.is_file() or path.read_text() != CONTENT for path in kept),
        fixture.beside.exists(),
        (work / "absent.json").is_file(),
        (work / ".git/hooks/pre-commit").exists(),
    )
    written = (work / "written", fixture.within.home / "written")
    return [
        *(("leaves alone what is out of its reach",) if any(changed) else ()),
        *(("keeps what it writes",) if not all(path.is_file() for path in written) else ()),
    ]
