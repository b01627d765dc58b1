"""Fingerprint of a project's dependency files: when it changes, setup runs again."""

import hashlib
import os
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from treadle.workspace.setup_inputs import missing_files, named_files

MANIFESTS = frozenset(
    {
        *("package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "bun.lock"),
        *("bun.lockb", "pnpm-lock.yaml", "pnpm-workspace.yaml", ".npmrc", ".yarnrc.yml", ".nvmrc"),
        *("pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "poetry.lock", "pdm.lock"),
        *("Pipfile", "Pipfile.lock", ".python-version", ".tool-versions"),
        *("Gemfile", "Gemfile.lock", ".ruby-version", "go.mod", "go.sum", "go.work", "go.work.sum"),
        *("Cargo.toml", "Cargo.lock", "rust-toolchain", "rust-toolchain.toml"),
        *("composer.json", "composer.lock"),
    }
)
# Installed packages have thousands of manifests of their own.
SKIPPED_FOLDERS = frozenset({".git", ".venv", "venv", "node_modules", "vendor", "target", "dist"})
DEEPEST = 4


def is_manifest(path: str) -> bool:
    """Whether a file of the project says what to install."""
    *folders, name = PurePosixPath(path).parts
    if len(folders) > DEEPEST or not SKIPPED_FOLDERS.isdisjoint(folders):
        return False
    return name in MANIFESTS or _is_requirements(name)


def missing_setup_files(
    workspace: Path, command: str, included: Collection[str] = ()
) -> tuple[str, ...]:
    """The files that the setup command needs and that the workspace does not have yet; it gets the
    included ones when the command runs."""
    return missing_files(command, lambda path: path in included or (workspace / path).exists())


def setup_fingerprint(workspace: Path, command: str) -> str:
    """One hash of the setup command, the files that it names and all dependency files."""
    digest = hashlib.sha256(command.encode())
    named = {workspace / name for name in named_files(command)}
    for path in sorted({*_manifests(workspace), *(path for path in named if path.is_file())}):
        digest.update(str(path.relative_to(workspace)).encode(errors="surrogateescape") + b"\0")
        digest.update(hashlib.sha256(_content(path)).digest())
    return digest.hexdigest()


def _manifests(workspace: Path) -> list[Path]:
    manifests = []
    for folder, folders, files in os.walk(workspace):
        directory = Path(folder)
        is_deepest = len(directory.relative_to(workspace).parts) >= DEEPEST
        folders[:] = [] if is_deepest else [name for name in folders if name not in SKIPPED_FOLDERS]
        manifests += [
            directory / name for name in files if name in MANIFESTS or _is_requirements(name)
        ]
    return manifests


def _is_requirements(name: str) -> bool:
    return name.startswith(("requirements", "constraints")) and name.endswith(".txt")


def _content(path: Path) -> bytes:
    """The content of a regular file; an agent may have left a link or a pipe at the path."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(8 << 20)
        except OSError:
            return b""
