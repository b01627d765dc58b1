"""The key of a setup on a commit: commits with the same key share what the setup installed."""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from treadle.domain.pin_plan import PinPlan
from treadle.workspace.disk_tree import SUBMODULE_MODE
from treadle.workspace.git import Git, run_together
from treadle.workspace.manifests import is_manifest
from treadle.workspace.pinned_tree import open_tree
from treadle.workspace.project import Project
from treadle.workspace.setup_inputs import (
    installs_in_place,
    is_installation,
    missing_files,
    named_files,
)

# With more of them, any file may affect the setup.
_MOST_MANIFESTS = 100
_READ = frozenset(
    {"package.json", "pnpm-workspace.yaml", "Gemfile", "composer.json", "pyproject.toml"}
)
_LINK_MODE = "120000"
LARGEST_FILE = 4 << 20


@dataclass(frozen=True, slots=True)
class SetupNotYet:
    """The commit lacks files that the setup needs."""

    missing: tuple[str, ...]


async def setup_key(
    project: Project,
    commit: str,
    command: str,
    included: Collection[str] = (),
    pins: PinPlan | None = None,
) -> str | SetupNotYet:
    """The key of the setup on a commit with these pins; `included` are files that it gets
    besides."""
    async with open_tree(project, commit, pins) as tree:
        # Paths with their mode and hash.
        entries = {each.path: f"{each.mode} {each.name}" for each in await tree.entries()}
        if missing := missing_files(command, lambda path: path in entries or path in included):
            return SetupNotYet(missing)
        manifests = {path: entry for path, entry in entries.items() if is_manifest(path)}
        is_known = len(manifests) <= _MOST_MANIFESTS and is_installation(
            command, await _texts(tree.git, manifests)
        )
    return _hash(command, _relevant(command, manifests, entries) if is_known else entries)


def _relevant(
    command: str, manifests: Mapping[str, str], entries: Mapping[str, str]
) -> dict[str, str]:
    named = {path: entries[path] for path in named_files(command) if path in entries}
    # An editable install refers to the packages that it finds, by name.
    packages = {_top(path): "" for path in entries} if installs_in_place(command) else {}
    # Their files are copied once, before the setup.
    submodules = {path: entry for path, entry in entries.items() if _is_submodule(entry)}
    return {**packages, **submodules, **manifests, **named}


def _hash(command: str, entries: Mapping[str, str]) -> str:
    lines = [command, *(f"{path}\0{entry}" for path, entry in sorted(entries.items()))]
    return hashlib.sha256("\0\0".join(lines).encode(errors="surrogateescape")).hexdigest()


def _is_submodule(entry: str) -> bool:
    return entry.startswith(SUBMODULE_MODE)


async def _texts(git: Git, manifests: Mapping[str, str]) -> dict[str, str]:
    """The texts that decide; a link or a very large file is read as nothing known."""
    read = [path for path in manifests if _is_read(path)]
    small = await _small_objects(git, {manifests[path].split()[-1] for path in read})
    unread = [
        path
        for path in read
        if manifests[path].startswith(_LINK_MODE) or manifests[path].split()[-1] not in small
    ]
    names = sorted(small)
    results = await run_together(*(git.try_run("cat-file", "blob", name) for name in names))
    contents = {name: result.output for name, result in zip(names, results, strict=True)}
    texts = {path: contents.get(manifests[path].split()[-1], "") for path in read}
    setups = (path for path in manifests if path.endswith("setup.py"))
    return {**texts, **dict.fromkeys((*unread, *setups), "")}


async def _small_objects(git: Git, names: Collection[str]) -> frozenset[str]:
    """Those that are there and not too large to read."""
    if not names:
        return frozenset()
    listing = "".join(f"{name}\n" for name in sorted(names)).encode()
    lines = (await git.run("cat-file", "--batch-check", stdin=listing)).split("\n")
    headers = (line.split(" ") for line in lines)
    return frozenset(each[0] for each in headers if len(each) == 3 and int(each[2]) <= LARGEST_FILE)


def _is_read(path: str) -> bool:
    name = PurePosixPath(path).name
    return name in _READ or name.endswith(".txt")


def _top(path: str) -> str:
    """The part of a path by which a package is found: `pkg`, `module.py` or `src/pkg`."""
    parts = PurePosixPath(path).parts
    return "/".join(parts[: 2 if parts[0] in ("src", "lib") else 1])
