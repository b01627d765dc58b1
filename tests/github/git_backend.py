"""Serves a bare repository over smart HTTP: the bridge to git's own `http-backend`."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BackendResponse:
    status: int
    headers: dict[str, str]
    body: bytes


def run_backend(
    root: Path, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
) -> BackendResponse:
    """Answer one request of git for a repository below `root`."""
    environment = {
        "PATH": os.defpath,
        "GIT_PROJECT_ROOT": str(root),
        "GIT_HTTP_EXPORT_ALL": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(root),
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(body)),
        "HTTP_CONTENT_ENCODING": headers.get("content-encoding", ""),
        "GIT_PROTOCOL": headers.get("git-protocol", ""),
        "REMOTE_USER": "pusher",
        "REMOTE_ADDR": "127.0.0.1",
    }
    done = subprocess.run(
        ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    pairs = [line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if ": " in line]
    sent = {name.lower(): value for name, value in pairs}
    status = int(sent.pop("status", "200").split(" ")[0])
    return BackendResponse(status, sent, content)


def make_bare(root: Path, path: str) -> Path:
    """An empty repository that takes pushes, as `owner/name.git`."""
    place = root / f"{path}.git"
    git("init", "--quiet", "--bare", "--initial-branch=main", str(place))
    git("-C", str(place), "config", "http.receivepack", "true")
    return place


def commit_of(bare: Path, branch: str) -> str:
    """The commit of a branch; empty if there is no such branch."""
    return git("-C", str(bare), "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")


def git(*arguments: str) -> str:
    environment = {
        "PATH": os.defpath,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "HOME": "/nonexistent",
    }
    done = subprocess.run(
        ["git", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()
