"""What came out of `git push`, from its output. Pure."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from treadle.domain.remote_address import without_login

_LONGEST_REASON = 300
# In the C locale, which every command of ours has.
_NO_PERMISSION = re.compile(
    r"authentication failed|permission to .* denied|permission denied|access denied"
    r"|could not read (?:username|password)|terminal prompts disabled"
    r"|returned error: 40[134]|repository .*not found|invalid username or (?:password|token)"
    r"|you are not allowed to push|write access to repository not granted|not authorized",
    re.IGNORECASE,
)
_MOVED = re.compile(r"\((?:fetch first|non-fast-forward|stale info|needs force)\)")


@dataclass(frozen=True, slots=True)
class Pushed:
    """The branch is at the commit now."""

    commit: str
    type: Literal["pushed"] = "pushed"


@dataclass(frozen=True, slots=True)
class AlreadyPushed:
    """The branch was at the commit before: an earlier push did it."""

    commit: str
    type: Literal["already_pushed"] = "already_pushed"


@dataclass(frozen=True, slots=True)
class RemoteMoved:
    """The branch has commits there that this commit does not contain; nothing was overwritten."""

    reason: str
    type: Literal["remote_moved"] = "remote_moved"


@dataclass(frozen=True, slots=True)
class PushRefused:
    """The remote has a rule against it, such as a protected branch."""

    reason: str
    type: Literal["push_refused"] = "push_refused"


@dataclass(frozen=True, slots=True)
class PushNotPermitted:
    """The login is missing, is not accepted, or may not write."""

    reason: str
    type: Literal["push_not_permitted"] = "push_not_permitted"


@dataclass(frozen=True, slots=True)
class RemoteUnreachable:
    """No answer, or none that can be used. The push may have been done all the same: repeat it."""

    reason: str
    type: Literal["remote_unreachable"] = "remote_unreachable"


PushOutcome: TypeAlias = (
    Pushed | AlreadyPushed | RemoteMoved | PushRefused | PushNotPermitted | RemoteUnreachable
)


def read_outcome(exit_code: int, output: str, stderr: str, commit: str) -> PushOutcome:
    """Read the result of `git push --porcelain` of one ref: `<flag> TAB <from>:<to> TAB <text>`."""
    for line in output.splitlines():
        flag, _, rest = line.partition("\t")
        if len(flag) != 1 or ":" not in rest:
            continue
        if flag == "=":
            return AlreadyPushed(commit)
        if flag in " *" and exit_code == 0:
            return Pushed(commit)
        if flag == "!":
            return _rejection(rest.rpartition("\t")[2], stderr)
    reason = _reason(stderr, exit_code)
    if _NO_PERMISSION.search(stderr):
        return PushNotPermitted(reason)
    return RemoteUnreachable(reason)


def _rejection(text: str, stderr: str) -> PushOutcome:
    if _MOVED.search(text):
        return RemoteMoved(without_login(text))
    if "[remote failure]" in text:
        return RemoteUnreachable(without_login(text))
    said = [line for line in _lines(stderr) if line.startswith("remote: ")]
    remarks = " ".join(line.removeprefix("remote: ").strip() for line in said)
    return PushRefused(without_login(f"{text} {remarks}".strip())[:_LONGEST_REASON])


def _reason(stderr: str, exit_code: int) -> str:
    """The line that names the error; a login in a URL is cut out."""
    lines = _lines(stderr)
    named = [line for line in lines if line.startswith(("remote: ", "fatal: ", "error: ", "ERROR"))]
    text = "; ".join(dict.fromkeys(named[:3])) or " ".join(lines[-1:])
    return without_login(text)[:_LONGEST_REASON] or f"git push ended with exit code {exit_code}"


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
