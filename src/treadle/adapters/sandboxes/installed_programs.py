"""Finds package managers that are a link to a script with files of its own.

Examples are pnpm and yarn in a `node_modules`, and poetry in a virtual environment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from treadle.adapters.sandboxes.toolchains import (
    PrivatePaths,
    find_venv_root,
    is_in_system,
    is_within,
)

PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "node": ("pnpm", "pnpx", "yarn", "yarnpkg"),
    "python": ("poetry", "pdm", "hatch", "pipenv", "tox", "nox"),
}
NODE_PACKAGES = "node_modules"


@dataclass(frozen=True, slots=True)
class InstalledProgram:
    """A program, the file that its link leads to, and what that file needs."""

    link: Path
    target: Path
    roots: tuple[Path, ...]


def find_programs(
    profiles: Sequence[str], *, search_path: str, home: Path
) -> list[InstalledProgram]:
    """The programs of these languages; those of the system are in every sandbox."""
    names = [name for profile in profiles for name in PROGRAMS.get(profile, ())]
    links = [Path(found) for name in names if (found := which(name, path=search_path))]
    pairs = [(link, link.resolve()) for link in links]
    return [
        InstalledProgram(link, target, _roots_of(target, home))
        for link, target in pairs
        if not (is_in_system(link) and is_in_system(target))
    ]


def _roots_of(target: Path, home: Path) -> tuple[Path, ...]:
    """The directories of a program's files; itself if it is a single file."""
    if NODE_PACKAGES in target.parts:
        return (_node_package(target),)
    environment = target.parent.parent
    try:
        configuration = (environment / "pyvenv.cfg").read_text("utf-8", errors="replace")
    except OSError:
        return (target,)
    base = find_venv_root(configuration, Path.exists, home=home, real=Path.resolve)
    return (environment,) if base is None or is_in_system(base) else (environment, base)


def _node_package(target: Path) -> Path:
    """The directory of the package, which may be in a scope."""
    last = len(target.parts) - 1 - target.parts[::-1].index(NODE_PACKAGES)
    length = 3 if target.parts[last + 1].startswith("@") else 2
    return Path(*target.parts[: last + length])


def choose_programs(
    found: Sequence[InstalledProgram], *, shown: Sequence[Path], private: PrivatePaths
) -> list[InstalledProgram]:
    """Those that expose nothing private, and whose files the sandbox does not show already."""
    return [
        program
        for program in found
        if not any(private.is_exposed_by(root) for root in program.roots)
        and not any(is_within(program.target, folder) for folder in shown)
    ]
