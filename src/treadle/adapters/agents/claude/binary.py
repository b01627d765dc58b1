"""Finds the Claude Code binary and checks whether its version is supported."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Literal

from treadle.domain.errors import AgentUnavailable

# Both ends are driven by the test suite.
TESTED_FROM = (2, 1, 211)
TESTED_TO = (2, 1, 325)
# From here on prompts are taken as they are written, if one asks for it.
VERBATIM_FROM = (2, 1, 248)
VERSION_TIMEOUT_S = 30

Origin = Literal["setting", "CLAUDE_BIN", "PATH", "bundled", "run"]
Support = Literal["tested", "newer", "older"]


@dataclass(frozen=True, slots=True)
class ClaudeBinary:
    path: Path
    origin: Origin
    version: str
    support: Support

    @property
    def takes_verbatim(self) -> bool:
        """Whether a prompt can be sent with nothing in it read as a command to the binary."""
        return tuple(map(int, self.version.split("."))) >= VERBATIM_FROM


def find_binary(*, setting: str, claude_bin: str, search_path: str) -> tuple[Path, Origin]:
    """The first of: setting, CLAUDE_BIN, PATH, the binary bundled with the SDK."""
    given: tuple[tuple[str, Origin], ...] = ((setting, "setting"), (claude_bin, "CLAUDE_BIN"))
    for value, origin in given:
        if value:
            path = which(value, path=search_path)
            if path is None:
                raise AgentUnavailable(
                    f"{_setting_name(origin)} names {value}, which is not an executable file",
                    hint="correct it, or remove it to use the `claude` on your PATH",
                )
            return Path(path), origin
    if found := which("claude", path=search_path):
        return Path(found), "PATH"
    return bundled_binary(), "bundled"


def bundled_binary() -> Path:
    """The binary in the SDK's own package: what rehearsals always use."""
    # Looked up beside the package, not through it: importing the SDK takes half a second.
    from importlib.util import find_spec

    spec = find_spec("claude_agent_sdk")
    if spec is not None and spec.origin is not None:
        path = Path(spec.origin).parent / "_bundled" / "claude"
        if path.is_file():
            return path
    raise AgentUnavailable(
        "`claude` was not found in the settings, CLAUDE_BIN, PATH or the SDK",
        hint="install Claude Code, or set agent.binary in treadle.toml",
    )


def check_binary(
    path: Path,
    origin: Origin,
    environment: Mapping[str, str],
    *,
    timeout_s: float = VERSION_TIMEOUT_S,
) -> ClaudeBinary:
    """Ask the binary for its version; one that does not answer is not worked with."""
    try:
        done = subprocess.run(
            [path, "--version"],
            env=dict(environment),
            # Not in the project, whose files could name another program to run instead.
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except OSError as error:
        raise AgentUnavailable(
            f"{path} does not start: {error.strerror}",
            hint="reinstall Claude Code, or name another binary with agent.binary",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise AgentUnavailable(
            f"{path} --version did not answer within {timeout_s:g} s",
            hint="check that it is Claude Code, or name another one with agent.binary",
        ) from error
    match = re.search(r"(?<!\d)(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?!\d)", done.stdout)
    if done.returncode != 0 or match is None:
        raise AgentUnavailable(
            f"{path} --version did not print a version",
            hint="check that it is Claude Code, or name another one with agent.binary",
        )
    version = tuple(int(part) for part in match.groups())
    return ClaudeBinary(path, origin, match.group(), support_of(version))


def support_of(version: tuple[int, ...]) -> Support:
    if version < TESTED_FROM:
        return "older"
    return "tested" if version <= TESTED_TO else "newer"


def _setting_name(origin: Origin) -> str:
    return "agent.binary" if origin == "setting" else origin
