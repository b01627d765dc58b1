"""What a setup command is known to go by: two commits with the same are set up alike."""

import hashlib
import os
import shlex
from pathlib import Path

from treadle.workspace.manifests import needs

# At the top of a project, besides the manifests of packages: what makes them, or names them.
BUILD_FILES = (
    *("Makefile", "makefile", "GNUmakefile", "justfile", "Justfile", "Taskfile.yml"),
    *("Pipfile", "environment.yml", "deno.json", "deno.lock", "bun.lockb", "pnpm-workspace.yaml"),
    *("pom.xml", "build.gradle", "build.gradle.kts", "mix.exs", "mix.lock", "flake.lock"),
    *(".npmrc", ".tool-versions", ".nvmrc", ".python-version", "rust-toolchain.toml"),
)
_MOST_BYTES = 8 << 20


def setup_inputs(work: Path, command: str) -> str:
    """One hash for the command, the manifests, and the files that the command itself names."""
    told = hashlib.sha256(needs(work, command).encode())
    for name in sorted({*BUILD_FILES, *_words(command)}):
        content = _content(work, name)
        if content is not None:
            told.update(name.encode(errors="surrogateescape") + b"\0")
            told.update(hashlib.sha256(content).digest())
    return told.hexdigest()


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quote is open: then the shell will say so
        return command.split()


def _content(work: Path, name: str) -> bytes | None:
    """None where there is no plain file of that name in the project."""
    path = Path(os.path.normpath(work / name))
    try:
        if not path.resolve().is_relative_to(work.resolve()) or not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(_MOST_BYTES)
    except (OSError, ValueError):  # not to be read, or no name that a file can have
        return None
