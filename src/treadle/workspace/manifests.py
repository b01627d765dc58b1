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
# What was installed has manifests of its own, thousands of them.
SKIPPED_FOLDERS = frozenset({".git", ".venv", "venv", "node_modules", "vendor", "target", "dist"})
DEEPEST = 4


def setup_fingerprint(workspace: Path, command: str) -> str:
    """One hash for the setup command and everything that it is known to go by."""
    told = hashlib.sha256(command.encode())
    for path in sorted(_manifests(workspace)):
        told.update(str(path.relative_to(workspace)).encode(errors="surrogateescape") + b"\0")
        told.update(hashlib.sha256(_content(path)).digest())
    return told.hexdigest()


def _manifests(workspace: Path) -> list[Path]:
    found = []
    for folder, folders, files in os.walk(workspace):
        here = Path(folder)
        deep = len(here.relative_to(workspace).parts) >= DEEPEST
        folders[:] = [] if deep else [name for name in folders if name not in SKIPPED_FOLDERS]
        found += [
            here / name
            for name in files
            if name in MANIFESTS or (name.startswith("requirements") and name.endswith(".txt"))
        ]
    return found


def _content(path: Path) -> bytes:
    """An agent may have left a link or a pipe under the name; neither is followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        try:
            return file.read(8 << 20)
        except OSError:
            return b""
