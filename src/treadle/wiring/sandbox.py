"""Chooses what confines a run's processes, and finds out what they must be able to read."""

import asyncio
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from treadle.adapters.sandboxes.bubblewrap import Bubblewrap
from treadle.adapters.sandboxes.launcher_text import this_interpreter
from treadle.adapters.sandboxes.seatbelt import Seatbelt
from treadle.adapters.sandboxes.toolchains import (
    CACHES,
    PROFILES,
    QUESTIONS,
    SINGLE_FILES,
    Found,
    Question,
    holds_private,
    in_system,
    private_paths,
    toolchains,
    venv_root,
)
from treadle.adapters.sandboxes.unsandboxed import Unsandboxed
from treadle.domain.errors import SettingsError
from treadle.domain.sandbox import ResourceLimits, Sandbox
from treadle.settings.definitions import Sandbox as SandboxSettings
from treadle.settings.environment import Environment

# Looked in before the user's PATH.
PLACES = "/usr/bin:/bin:/usr/local/bin"
ANSWER_S = 5.0
CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("CURL_CA_BUNDLE", "GIT_SSL_CAINFO"),
)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the settings and this machine's languages add to a confinement."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]
    # For the environment inside: the PATH, and where caches are.
    environment: Mapping[str, str]
    limits: ResourceLimits
    # Languages that stay hidden, since what is private lies in their directories.
    refused: tuple[Path, ...] = ()


def choose_sandbox(environment: Environment, *, reports: Path, wanted: bool) -> Sandbox:
    """This system's sandbox. `reports`: a directory of the host that no agent can reach."""
    if not wanted:
        return Unsandboxed()
    if sys.platform == "darwin":
        return Seatbelt(this_interpreter(), reports)
    found = which("bwrap", path=PLACES) or which("bwrap", path=environment.path)
    program = Path(found) if found else None
    return Bubblewrap(program, reports, this_interpreter(), platform.machine())


async def find_surroundings(
    settings: SandboxSettings,
    profiles: Sequence[str],
    environment: Environment,
    project: Path,
) -> Surroundings:
    """What a run in `project` may read and write beyond its own places; no profiles means all."""
    private = private_paths(environment.home, environment.root)
    found = await _found(tuple(profiles) or PROFILES, environment, project)
    tools = toolchains(found, search_path=environment.path.split(os.pathsep), kept_private=private)
    return Surroundings(
        readable=(
            *tools.readable,
            *_certificates(environment.raw),
            *_asked("sandbox.readable", settings.readable, environment),
        ),
        writable=tuple(_asked("sandbox.writable", settings.writable, environment)),
        environment={"PATH": tools.path, **tools.environment},
        limits=ResourceLimits(settings.processes, settings.memory_mb, settings.file_mb),
        refused=tools.refused,
    )


def _asked(key: str, paths: Sequence[str], environment: Environment) -> list[Path]:
    """Paths of a setting; a path that would open all that the sandbox is for is an error."""
    return [_checked(key, text, environment) for text in paths]


def _checked(key: str, text: str, environment: Environment) -> Path:
    short = text == "~" or text.startswith("~/")
    path = environment.home / text[2:] if short else Path(text)
    if not path.is_absolute():
        raise SettingsError(
            f"{key} has {text}, which is no absolute path", hint="write it out, or begin with ~/"
        )
    path = Path(os.path.normpath(path))
    for name in (path, path.resolve()):
        inside_ours = environment.root in name.parents
        if holds_private(name, (environment.home, environment.root)) or inside_ours:
            raise SettingsError(
                f"{key} has {text}, which would show your home or Treadle's own directory",
                hint="name the directory that is needed, and no wider one",
            )
    return path


async def _found(profiles: Sequence[str], environment: Environment, project: Path) -> Found:
    entries = [
        entry
        for entry in environment.path.split(os.pathsep)
        # A program of the project itself is never asked: it is the agent's to write.
        if Path(entry).is_absolute() and project not in (Path(entry), *Path(entry).parents)
    ]
    path = os.pathsep.join(entries)
    questions = [question for profile in profiles for question in QUESTIONS.get(profile, ())]
    names = [name for profile in profiles for name in SINGLE_FILES.get(profile, ())]
    answers = await asyncio.gather(
        *(_root_of(question, path, environment) for question in questions)
    )
    venv = _venv_root(project)
    files = [Path(file) for name in names if (file := which(name, path=path))]
    folders = {
        cache.variable: environment.home / cache.folder
        for cache in CACHES
        if cache.profile in profiles and (environment.home / cache.folder).is_dir()
    }
    roots = [*answers, venv if "python" in profiles else None]
    return Found(tuple(root for root in roots if root is not None), tuple(files), folders)


async def _root_of(question: Question, path: str, environment: Environment) -> Path | None:
    """Where the program says that it lies; one of the system's own is not asked."""
    program = _outside_system(question.program, path)
    if program is None:
        return None
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *question.arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": path, "HOME": str(environment.home)},
            # Not the project's: files there can name another program to be run instead.
            cwd="/",
        )
    except OSError:
        return None
    try:
        said, _ = await asyncio.wait_for(process.communicate(), ANSWER_S)
    except TimeoutError:
        process.kill()
        await process.wait()
        return None
    return _directory(os.fsdecode(said.strip()))


def _outside_system(name: str, path: str) -> str | None:
    program = which(name, path=path)
    return None if program is None or in_system(Path(program).resolve()) else program


def _directory(text: str) -> Path | None:
    return Path(text) if text.startswith("/") and Path(text).is_dir() else None


def _venv_root(project: Path) -> Path | None:
    try:
        text = (project / ".venv/pyvenv.cfg").read_text("utf-8", errors="replace")
    except OSError:
        return None
    return venv_root(text, Path.exists)


def _certificates(raw: Mapping[str, str]) -> list[Path]:
    """Files that variables name; the agent is given the variables."""
    paths = [Path(raw[name]) for name in CERTIFICATES if raw.get(name)]
    return [path for path in paths if path.is_absolute() and path.exists()]
