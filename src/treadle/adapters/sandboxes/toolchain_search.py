"""Finds the toolchains and certificates of this machine that processes in a sandbox need."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from shutil import which

from treadle.adapters.sandboxes.command_runner import query_program
from treadle.adapters.sandboxes.toolchains import (
    CACHES,
    SINGLE_FILES,
    TOOLCHAIN_QUERIES,
    FoundToolchains,
    PrivatePaths,
    ToolchainQuery,
    find_venv_root,
    is_in_system,
    is_within,
)
from treadle.domain.sandbox import ConfinedCommand

ANSWER_S = 5.0
CERTIFICATES = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE"),
    *("CURL_CA_BUNDLE", "GIT_SSL_CAINFO"),
)
MACHINE_SETTINGS = (Path("/etc"), Path("/private/etc"))


async def find_toolchains(
    profiles: Sequence[str], *, search_path: str, home: Path, project: Path
) -> FoundToolchains:
    """The toolchains of these languages, by the programs in `search_path`."""
    queries = [query for profile in profiles for query in TOOLCHAIN_QUERIES.get(profile, ())]
    names = [name for profile in profiles for name in SINGLE_FILES.get(profile, ())]
    roots_found = await asyncio.gather(*(_root_of(query, search_path, home) for query in queries))
    venv = _venv_root(project, home)
    files = [Path(file) for name in names if (file := which(name, path=search_path))]
    folders = {
        cache.variable: home / cache.folder
        for cache in CACHES
        if cache.profile in profiles and (home / cache.folder).is_dir()
    }
    roots = [*roots_found, venv if "python" in profiles else None]
    return FoundToolchains(tuple(root for root in roots if root is not None), tuple(files), folders)


async def _root_of(query: ToolchainQuery, path: str, home: Path) -> Path | None:
    """The root that a program reports; programs of the system are not asked."""
    program = _outside_system(query.program, path)
    if program is None:
        return None
    # Without the project's directories and outside the project: see `query_program`.
    variables = {"PATH": path, "HOME": str(home)}
    start = ConfinedCommand((program, *query.arguments), variables)
    output = await query_program(start, seconds=ANSWER_S)
    return None if output is None else _directory(output.strip())


def _outside_system(name: str, path: str) -> str | None:
    program = which(name, path=path)
    return None if program is None or is_in_system(Path(program).resolve()) else program


def _directory(text: str) -> Path | None:
    return Path(text) if text.startswith("/") and Path(text).is_dir() else None


def _venv_root(project: Path, home: Path) -> Path | None:
    try:
        text = (project / ".venv/pyvenv.cfg").read_text("utf-8", errors="replace")
    except OSError:
        return None
    return find_venv_root(text, Path.exists, home=home, real=Path.resolve)


def find_certificates(raw: Mapping[str, str], private: PrivatePaths) -> list[Path]:
    """The files in variables that the agent gets, too."""
    paths = [Path(raw[name]) for name in CERTIFICATES if raw.get(name)]
    existing = [path for path in paths if path.is_absolute() and path.exists()]
    return [path for path in existing if not private.is_exposed_by(path) and not _beside_keys(path)]


def _beside_keys(path: Path) -> bool:
    """Whether it is a directory of the machine's settings, which may contain keys. Directories
    with certificates only are in every sandbox."""
    return path.is_dir() and any(
        is_within(name, top) for name in (path, path.resolve()) for top in MACHINE_SETTINGS
    )
