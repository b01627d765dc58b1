"""Fingerprint of a project's dependency files: when it changes, setup runs again."""

import hashlib
import os
from pathlib import Path

MANIFESTS = frozenset(
    {
        *("package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock"),
        *("pyproject.toml", "setup.py", "setup.cfg", "uv.lock", "poetry.lock", "Pipfile.lock"),
        *("Gemfile", "Gemfile.lock", "go.mod", "go.sum", "Cargo.toml", "Cargo.lock"),
        *("composer.json", "composer.lock"),
    }
)
# Installed packages have thousands of manifests of their own.
SKIPPED_FOLDERS = frozenset({".git", ".venv", "venv", "node_modules", "vendor", "target", "dist"})
DEEPEST = 4


def setup_fingerprint(workspace: Path, command: str) -> str:
    """One hash of the setup command and all dependency files."""
    digest = hashlib.sha256(command.encode())
    for path in sorted(_manifests(workspace)):
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
            directory / name
            for name in files
            if name in MANIFESTS or (name.startswith("requirements") and name.endswith(".txt"))
        ]
    return manifests


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
