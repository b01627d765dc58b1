"""Has the user's own Claude Code renew its login, on the host, without a request to a model.

The binary is given a session that is asked nothing. It must not lose its input before it has
written the file: the new refresh token would be in its memory alone, and the old one is spent. So a
process that outlives this one holds the input, and nothing is killed before its time.
"""

import json
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from errno import EACCES, ENOENT, ENOEXEC, ENOTDIR, EPERM
from pathlib import Path
from shutil import which
from tempfile import TemporaryFile
from typing import IO, Literal

from treadle.adapters.agents.claude.renewal_rules import RenewalOutcome, judge_renewal
from treadle.adapters.agents.claude.subscription_file import StoredLogin, SubscriptionFile

# 30 s for the token, 10 s for the account, a second try, and locks of others.
HOLD_S = 90.0
# The binary has let go of its lock and written nothing: a failure, unless it asks once more.
SETTLED_S = 5.0
# From the end of its input to its own.
EXIT_S = 30.0
_POLL_S = 0.02

_FLAGS = (
    *("-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"),
    *("--strict-mcp-config", "--setting-sources", "user"),
    *("--settings", '{"disableAllHooks":true}', "--no-session-persistence", "--tools", ""),
)
_QUIET = {
    "ENABLE_CLAUDEAI_MCP_SERVERS": "false",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
}
_NO_OTHER_TRAFFIC = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
# Other logins, other services, and what says that an agent has started it.
_LEFT_OUT = frozenset(
    {
        *("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_SIMPLE", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"),
        *_NO_OTHER_TRAFFIC,
    }
)
_LEFT_OUT_PREFIXES = ("ANTHROPIC_", "CLAUDE_CODE_USE_", "TREADLE_")

_NO_PROGRAM = frozenset({ENOENT, ENOTDIR, EACCES, EPERM, ENOEXEC})
_USAGE_REQUEST = "usage"
_MOST_OUTPUT = 1 << 20

RenewalKind = Literal["expiring", "refused"]


@dataclass(frozen=True, slots=True)
class RenewalTimes:
    """How long a renewal waits, in seconds."""

    hold_s: float = HOLD_S
    settled_s: float = SETTLED_S
    exit_s: float = EXIT_S


@dataclass(frozen=True, slots=True)
class LoginRenewer:
    """Renews the login in a file with the user's own program."""

    # Looked for each time, since the user may update it; None: there is none to trust.
    find_program: Callable[[], Path | None]
    home: Path
    environment: Mapping[str, str] = field(repr=False)
    times: RenewalTimes = field(default_factory=RenewalTimes)

    def renew(self, file: SubscriptionFile, kind: RenewalKind) -> RenewalOutcome:
        """Blocks until the file has another login, or none, or it is clear that it will not."""
        before = file.read()
        if not isinstance(before, StoredLogin):
            return "ended"
        program, holding = self.find_program(), which("sleep", path=os.defpath)
        if program is None or holding is None:
            return "missing"
        try:
            renewing = _start(self, program, holding, kind)
        except OSError as error:
            return "missing" if error.errno in _NO_PROGRAM else "failed"
        try:
            _watch(renewing, file, before.access_token, self.times)
        finally:
            exit_code = _end(renewing, self.times)
        outcome = judge_renewal(before.access_token, file.read())
        ended_with_error = exit_code is not None and exit_code > 0  # not by a signal
        return "unusable" if outcome == "failed" and ended_with_error else outcome


@dataclass(frozen=True, slots=True)
class _Renewing:
    claude: subprocess.Popen[bytes]
    # Not a pipe: the binary must be able to write after our end.
    output: IO[bytes]
    # Holds the input of the other; its end is the end of that input.
    holder: subprocess.Popen[bytes]


def renewal_environment(given: Mapping[str, str], home: Path, kind: RenewalKind) -> dict[str, str]:
    """The user's own variables, without those that keep the binary from renewing."""
    kept = {
        name: value
        for name, value in given.items()
        if name not in _LEFT_OUT and not name.startswith(_LEFT_OUT_PREFIXES)
    }
    # A refused token is renewed once the binary sees its refusal, at an address that it asks only
    # with all its traffic.
    other = _NO_OTHER_TRAFFIC if kind == "expiring" else {}
    return {**kept, "HOME": str(home), **_QUIET, **other}


def _start(renewer: LoginRenewer, program: Path, holding: str, kind: RenewalKind) -> _Renewing:
    read_end, write_end = os.pipe()
    output = TemporaryFile()  # noqa: SIM115  # closed by `_end`
    try:
        holder = subprocess.Popen(
            [holding, f"{renewer.times.hold_s:g}"],
            env={},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=write_end,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            claude = subprocess.Popen(
                [str(program), *_FLAGS],
                env=renewal_environment(renewer.environment, renewer.home, kind),
                cwd=renewer.home,
                stdin=read_end,
                stdout=output,
                stderr=subprocess.DEVNULL,
                # Ctrl-C and the end of a terminal are not for it.
                start_new_session=True,
            )
        except OSError:
            output.close()
            holder.kill()
            holder.wait()
            raise
        with suppress(BrokenPipeError):
            os.write(write_end, _requests(kind))
    finally:
        os.close(read_end)
        os.close(write_end)
    return _Renewing(claude, output, holder)


def _has_answered(output: IO[bytes]) -> bool:
    """Whether the binary has told the usage: if it saw a refusal on the way, it has renewed."""
    content = os.pread(output.fileno(), _MOST_OUTPUT, 0)
    return any(_answers(line, _USAGE_REQUEST) for line in content.splitlines())


def _answers(line: bytes, request: str) -> bool:
    try:
        message = json.loads(line)
    except ValueError:
        return False  # not all of it is there yet
    if not isinstance(message, dict) or message.get("type") != "control_response":
        return False
    response = message.get("response")
    return isinstance(response, dict) and response.get("request_id") == request


def _requests(kind: RenewalKind) -> bytes:
    subtypes = {"initialize": "prepare"}
    if kind == "refused":
        subtypes["get_usage"] = _USAGE_REQUEST
    lines = (
        {"type": "control_request", "request_id": name, "request": {"subtype": subtype}}
        for subtype, name in subtypes.items()
    )
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _watch(renewing: _Renewing, file: SubscriptionFile, before: str, times: RenewalTimes) -> None:
    """Until the file changes, the binary ends, its input ends, or it has tried in vain."""
    released_at: float | None = None
    was_locked = False
    while renewing.claude.poll() is None and renewing.holder.poll() is None:
        if judge_renewal(before, file.read()) != "failed":
            return
        now = time.monotonic()
        if file.lock.exists():
            was_locked, released_at = True, None
        elif _has_answered(renewing.output):
            return
        elif was_locked:
            released_at = now if released_at is None else released_at
            if now - released_at >= times.settled_s:
                return
        with suppress(subprocess.TimeoutExpired):
            renewing.claude.wait(_POLL_S)  # no file rings


def _end(renewing: _Renewing, times: RenewalTimes) -> int | None:
    """End the binary's input and wait for its exit code; None if it had to be told to end."""
    renewing.holder.kill()
    renewing.holder.wait()
    renewing.output.close()
    claude = renewing.claude
    for stop in (None, claude.terminate, claude.kill):
        if stop is not None:
            stop()
        try:
            code = claude.wait(times.exit_s)
        except subprocess.TimeoutExpired:
            continue
        return code if stop is None else None
    return None
