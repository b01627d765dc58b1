"""The user's own Claude Code: the real binary, with an environment built from nothing."""

import json
import os
import select
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Self

from tests.identity.service import PATIENCE_S
from tests.identity.token_issuer import stored_login
from treadle.adapters.agents.claude.binary import bundled_binary

# A session that is prepared and asked nothing: no model, no hooks, no servers of tools.
PREPARE_SESSION = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
    *("--strict-mcp-config", "--setting-sources", "user"),
    *("--settings", '{"disableAllHooks":true}', "--no-session-persistence", "--tools", ""),
)
INITIALIZE = {
    "type": "control_request",
    "request_id": "r0",
    "request": {"subtype": "initialize"},
}
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "ENABLE_CLAUDEAI_MCP_SERVERS": "false",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_MAX_RETRIES": "2",
}


class ClaudeProcess:
    """One prepared session in a home; it is over when its input is closed."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home = home
        self._before = stored_login(home)
        home.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [bundled_binary(), *PREPARE_SESSION],
            cwd=home,
            env=claude_environment(home, environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
        self._stdin.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()
        self._stdin.close()

    def wait_for_login(self) -> None:
        """Until the file has another access token, or none, than at the start."""
        before = self._before["accessToken"]
        wait_until(lambda: stored_login(self._home)["accessToken"] != before)

    def close(self) -> int:
        """Close its input, and wait for its end."""
        self._stdin.close()
        return self._process.wait(PATIENCE_S)

    def kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin


def renew_login(home: Path, environment: Mapping[str, str]) -> int:
    """What a careful user of the binary does: hold its input until the file is another one."""
    with ClaudeProcess(home, environment) as claude:
        claude.wait_for_login()
        return claude.close()


def ask_claude(home: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """`claude -p hi`, as the user types it."""
    return subprocess.run(
        [bundled_binary(), "-p", "hi", "--model", "claude-sonnet-5-5"],
        cwd=home,
        env=claude_environment(home, environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def claude_environment(home: Path, environment: Mapping[str, str]) -> dict[str, str]:
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), **QUIET, **environment}


def wait_until(condition: Callable[[], bool]) -> None:
    """No file rings, so it is looked at again and again."""
    for _ in range(int(PATIENCE_S * 100)):
        if condition():
            return
        select.select([], [], [], 0.01)
    raise AssertionError("waited in vain")
