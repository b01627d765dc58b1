"""Probes a sandbox: prepares files and sockets, runs the canary inside and checks the host."""

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

from treadle.adapters.sandboxes.bubblewrap_options import MEGABYTE, TEMPORARY_FOLDERS
from treadle.adapters.sandboxes.command_runner import ReadFailure, run_to_end
from treadle.adapters.sandboxes.interpreter import Interpreter
from treadle.adapters.sandboxes.mounts import START_FILES, START_FOLDERS
from treadle.adapters.sandboxes.probe_verdict import evaluate_probe, parse_result
from treadle.adapters.sandboxes.system_paths import HOST_NAME
from treadle.domain.sandbox import ConfinedCommand, Confinement, ProbeResult, SandboxFailed

ANSWER_S = 30.0
CONTENT = "canary\n"
LONGEST_SOCKET = 100
NAMESPACES = ("user", "mnt", "pid", "ipc", "uts", "cgroup", "net")
VARIABLES = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
# The sandbox adds these, and bubblewrap the last.
ADDED_VARIABLES = ("HOME", "TMPDIR", "USER", "LOGNAME", "PWD")
GIT_FOLDERS = (".git", ".git/objects", ".git/objects/info")
PROTECTED = (Path("kept/settings.json"), Path("absent.json"), Path("absent/deep/settings.json"))

Confine = Callable[[tuple[str, ...], dict[str, str], Confinement], ConfinedCommand | SandboxFailed]


@dataclass(frozen=True, slots=True)
class ProbeFixture:
    """Places and addresses of one try, none of which was there before."""

    within: Confinement
    secret: Path
    beside: Path
    readable: Path
    port: int
    abstract: str


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """What differs between sandboxes."""

    interpreter: Interpreter
    # A directory of the host, as private as those of runs.
    folder: Path
    launcher: tuple[str, ...] = ()
    # Where the socket is seen inside; under its own name if None.
    socket: str | None = None
    # Those that count; None: all of them.
    required_tests: frozenset[str] | None = None


async def run_probe(confine: Confine, failure: ReadFailure, tried: ProbeOptions) -> ProbeResult:
    """Start the canary once, and judge what it and the host have seen."""
    with _make_fixture(tried) as scene:
        python = (str(tried.interpreter.program), "-I", "-S")
        canary = files("treadle.adapters.sandboxes").joinpath("canary.py").read_text("utf-8")
        told = json.dumps(_canary_input(scene, python, tried))
        confined = confine((*python, "-c", canary, told), VARIABLES, scene.within)
        if isinstance(confined, SandboxFailed):
            return confined
        ran = await run_to_end(
            confined, directory=Path("/"), seconds=ANSWER_S, hears="apart", failure=failure
        )
        if ran.sandbox_failure is not None:
            return ran.sandbox_failure
        if ran.exit_code is None:
            return SandboxFailed(f"the sandbox's canary did not answer within {ANSWER_S:g} s")
        findings = parse_result(ran.output)
        if findings is None:
            last = ran.error_output.strip().splitlines()[-1:] or ["it said nothing"]
            return SandboxFailed(f"the sandbox's canary did not answer: {last[0]}")
        if tried.required_tests is not None:
            findings = findings.only(tried.required_tests)
        return evaluate_probe(findings, _find_leaks(scene), as_root=os.getuid() == 0)


@contextmanager
def _make_fixture(tried: ProbeOptions) -> Iterator[ProbeFixture]:
    tried.folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp(prefix="probe-", dir=tried.folder)).resolve()
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        short = _socket_folder(folder, stack)
        for name in ("work/.git/hooks", "work/.git/objects/info", "work/kept", "home", "shown"):
            (folder / name).mkdir(parents=True)
        for name in ("work/.git/config", "work/kept/settings.json", "secret", "shown/text"):
            (folder / name).write_text(CONTENT)
        (folder / "work/.git/objects/info/alternates").write_text("/nonexistent\n")
        abstract = f"treadle-probe-{secrets.token_hex(8)}"
        _listen(stack, socket.AF_UNIX, str(short / "s"))
        if hasattr(os, "memfd_create"):  # Linux, the one system that has abstract sockets
            _listen(stack, socket.AF_UNIX, f"\0{abstract}")
        service = _listen(stack, socket.AF_INET, ("127.0.0.1", 0))
        yield ProbeFixture(
            within=Confinement(
                folder / "work",
                folder / "home",
                network="gateway",
                readable=(folder / "shown",),
                protected=PROTECTED,
                sockets={tried.socket or str(short / "s"): short / "s"},
            ),
            secret=folder / "secret",
            beside=folder / "beside",
            readable=folder / "shown/text",
            port=service.getsockname()[1],
            abstract=abstract,
        )


def _socket_folder(folder: Path, stack: ExitStack) -> Path:
    """For a socket: its path may have some hundred bytes."""
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


def _canary_input(
    scene: ProbeFixture, python: tuple[str, ...], tried: ProbeOptions
) -> dict[str, Any]:
    work = scene.within.workspace
    sealed = ("kept/settings.json", "absent.json", "absent.json/x", "absent/deep/settings.json/x")
    git = (".git/config", ".git/hooks/pre-commit", ".git/objects/info/alternates")
    return {
        "workspace": str(work),
        "home": str(scene.within.home),
        "secret": str(scene.secret),
        "beside": str(scene.beside),
        "readable": str(scene.readable),
        "socket": next(iter(scene.within.sockets)),
        "port": scene.port,
        "abstract": scene.abstract,
        "launcher": list(tried.launcher),
        "python": list(python),
        "hostname": HOST_NAME,
        "variables": [*VARIABLES, *ADDED_VARIABLES],
        "system": [
            "/written",
            "/etc/written",
            "/run/written",
            "/usr/written",
            "/var/written",
            "/dev/written",
        ],
        "protected": [
            *(str(work / name) for name in (*sealed, *git)),
            *(str(scene.within.home / name) for name in START_FILES),
            *(str(scene.within.home / name / "config") for name in START_FOLDERS),
        ],
        "pinned": [
            *(str(work / name) for name in ("kept", "absent", "absent/deep", *GIT_FOLDERS)),
            str(scene.within.home / ".config"),
        ],
        "read_only": ["/", "/proc", "/dev", "/usr", str(scene.readable)],
        "temporary": list(TEMPORARY_FOLDERS),
        "temporary_bytes": scene.within.limits.memory_mb * MEGABYTE,
        "namespaces": {name: _namespace(name) for name in NAMESPACES if _namespace(name)},
    }


def _namespace(name: str) -> str:
    with suppress(OSError):
        return str(Path(f"/proc/self/ns/{name}").readlink())
    return ""


def _find_leaks(scene: ProbeFixture) -> list[str]:
    """What the host itself sees of it: changes where nothing may change, and none where it may."""
    work = scene.within.workspace
    kept = (work / ".git/config", work / "kept/settings.json", scene.secret, scene.readable)
    changed = (
        any(not path.is_file() or path.read_text() != CONTENT for path in kept),
        scene.beside.exists(),
        (work / "absent.json").is_file(),
        (work / ".git/hooks/pre-commit").exists(),
    )
    written = (work / "written", scene.within.home / "written")
    return [
        *(("leaves alone what is out of its reach",) if any(changed) else ()),
        *(("keeps what it writes",) if not all(path.is_file() for path in written) else ()),
    ]
