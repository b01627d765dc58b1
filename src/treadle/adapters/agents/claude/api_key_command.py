"""The key that the user's own `apiKeyHelper` prints: run on the host, never in a sandbox."""

import asyncio
import base64
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from treadle.adapters.agents.claude.user_files import UserFiles
from treadle.domain.model_access import SecretMissing

LIFETIME_VARIABLE = "CLAUDE_CODE_API_KEY_HELPER_TTL_MS"
LIFETIME_S = 300.0
# A key whose own expiry is known is replaced this long before it.
EXPIRY_MARGIN_S = 30.0
TIMEOUT_S = 120.0
_KEY = re.compile(rb"[\x21-\x7e]+")
_MOST_BYTES = 64 * 1024
_REMEDY = "run it in a shell; it must print only the key"


@dataclass(frozen=True, slots=True)
class HelperCommand:
    """The command line of the helper, and what it runs with."""

    line: str = field(repr=False)
    # Not the project: its files must not decide what runs with the user's rights.
    directory: Path
    environment: Mapping[str, str] = field(repr=False)
    lifetime_s: float = LIFETIME_S
    timeout_s: float = TIMEOUT_S


def helper_command(files: UserFiles, environment: Mapping[str, str], home: Path) -> HelperCommand:
    """As Claude Code runs it: with the user's variables and those of the settings."""
    variables = {**environment, **files.variables}
    text = variables.get(LIFETIME_VARIABLE, "")
    lifetime_s = int(text) / 1000 if text.isascii() and text.isdigit() else LIFETIME_S
    variables.setdefault("PATH", os.defpath)
    # The path without what the project put there.
    variables["PATH"] = environment.get("PATH", variables["PATH"])
    return HelperCommand(files.key_helper, home, variables, lifetime_s)


class HelperKey:
    """The `SecretSource` of a key helper. It is asked in a thread: gateways come and go with their
    event loops."""

    def __init__(
        self,
        command: HelperCommand,
        *,
        learn_secret: Callable[[str], None] = lambda secret: None,
        unix_time: Callable[[], float] = time.time,
    ) -> None:
        self._command = command
        self._learn_secret = learn_secret
        self._unix_time = unix_time
        self._lock = Lock()
        self._key: bytes | None = None
        self._good_until = 0.0

    async def current(self) -> bytes | SecretMissing:
        """The key that was printed last, or a new one if that is too old."""
        return await asyncio.to_thread(self.ask)

    async def replace_refused(self, secret: bytes) -> bool:
        """Asks the helper once more; whether it has printed another key."""
        return await asyncio.to_thread(self._replace, secret)

    def ask(self) -> bytes | SecretMissing:
        """The same, for callers without an event loop."""
        with self._lock:
            if self._key is not None and self._unix_time() < self._good_until:
                return self._key
            printed = run_helper(self._command)
            if isinstance(printed, SecretMissing):
                return printed
            self._learn_secret(printed.decode())
            now = self._unix_time()
            self._key, self._good_until = printed, good_until(printed, now, self._command)
            return printed

    def _replace(self, secret: bytes) -> bool:
        with self._lock:
            if self._key == secret:
                self._key = None
        printed = self.ask()
        return not isinstance(printed, SecretMissing) and printed != secret


def good_until(key: bytes, now: float, command: HelperCommand) -> float:
    """When the helper is to be asked again; a JSON web token says when it expires."""
    expires_at = _web_token_expiry(key)
    latest = now + command.lifetime_s
    return latest if expires_at is None else min(latest, expires_at - EXPIRY_MARGIN_S)


def _web_token_expiry(key: bytes) -> float | None:
    parts = key.split(b".")
    if len(parts) != 3:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + b"=="))
    except ValueError:
        return None
    expiry = claims.get("exp") if isinstance(claims, dict) else None
    return float(expiry) if isinstance(expiry, int | float) else None


def run_helper(command: HelperCommand) -> bytes | SecretMissing:
    """What the helper prints. Its other output may hold secrets, so nobody is shown it."""
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command.line],
            cwd=command.directory,
            env=dict(command.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Ctrl-C is for Treadle, and all that it started ends with it.
            start_new_session=True,
        )
    except OSError as error:
        return SecretMissing("service", f"apiKeyHelper cannot be run: {error.strerror}; {_REMEDY}")
    try:
        printed, _ = process.communicate(timeout=command.timeout_s)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        seconds = f"{command.timeout_s:g}"
        return SecretMissing("service", f"apiKeyHelper took more than {seconds} s; {_REMEDY}")
    if process.returncode:
        code = process.returncode
        return SecretMissing("service", f"apiKeyHelper ended with exit code {code}; {_REMEDY}")
    key = printed[:_MOST_BYTES].strip()
    if not _KEY.fullmatch(key):
        message = f"apiKeyHelper printed something other than one key; {_REMEDY}"
        return SecretMissing("service", message)
    return key
