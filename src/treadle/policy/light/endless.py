"""Refuses commands that do not end while the agent waits. Pure."""

import re
from collections.abc import Callable, Mapping

from treadle.domain.agent import Deny
from treadle.policy.light.tables import FOLLOWS, LONGEST_SLEEP_S
from treadle.policy.light.tree import ENDLESS_LOOP
from treadle.policy.shell.syntax import ShellCommand

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([smhd]?)")
_ENDLESS_DEVICES = frozenset({"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"})
_INSTEAD = "Put `timeout 60` before it, or run it in the background."


def find_endless(command: ShellCommand, name: str) -> Deny | None:
    """The refusal if the command would run on for ever in the foreground."""
    if name == ENDLESS_LOOP and not command.arguments:
        reason = "The loop does not end by itself. Count: for i in 1 2 3 4 5; do …; done."
        return Deny(reason, "endless")
    check = _CHECKS.get(name)
    if check is None or not check([word.text for word in command.arguments], command):
        return None
    return Deny(f"`{name}` does not end by itself here. {_INSTEAD}", "endless")


def _tail(texts: list[str], command: ShellCommand) -> bool:
    if any(text.startswith("--pid") for text in texts):
        return False
    return any(FOLLOWS.fullmatch(text) for text in texts)


def _sleep(texts: list[str], command: ShellCommand) -> bool:
    total = 0.0
    for text in texts:
        if text.casefold() in ("inf", "infinity"):
            return True
        if found := _DURATION.fullmatch(text):
            total += float(found[1]) * _UNITS[found[2]]
    return total > LONGEST_SLEEP_S


def _yes(texts: list[str], command: ShellCommand) -> bool:
    """Behind a pipe it ends with the program that it answers."""
    return not command.scope


def _watch(texts: list[str], command: ShellCommand) -> bool:
    return not {"--version", "--help", "-v", "-h"} & set(texts)


def _journal(texts: list[str], command: ShellCommand) -> bool:
    return bool({"-f", "--follow"} & set(texts))


def _ping(texts: list[str], command: ShellCommand) -> bool:
    return bool(texts) and not any(text.startswith(("-c", "--count", "-w", "-W")) for text in texts)


def _monitor(texts: list[str], command: ShellCommand) -> bool:
    return any(re.fullmatch(r"-[a-z]*m[a-z]*|--monitor", text) for text in texts)


def _top(texts: list[str], command: ShellCommand) -> bool:
    return not any(re.search(r"^-?[a-zA-Z]*[bnl]", text) for text in texts)


def _listen(texts: list[str], command: ShellCommand) -> bool:
    return any(re.fullmatch(r"-[a-zA-Z]*l[a-zA-Z]*|--listen", text) for text in texts)


def _device(texts: list[str], command: ShellCommand) -> bool:
    """Behind a pipe it ends with the program that reads it."""
    return not command.scope and bool(_ENDLESS_DEVICES.intersection(texts))


_CHECKS: Mapping[str, Callable[[list[str], ShellCommand], bool]] = {
    "tail": _tail,
    "gtail": _tail,
    "sleep": _sleep,
    "yes": _yes,
    "watch": _watch,
    "viddy": _watch,
    "journalctl": _journal,
    "ping": _ping,
    "inotifywait": _monitor,
    "top": _top,
    "htop": _watch,
    **dict.fromkeys(("nc", "ncat", "netcat"), _listen),
    **dict.fromkeys(
        ("cat", "tac", "base64", "wc", "sort", "md5sum", "sha1sum", "sha256sum", "sha512sum"),
        _device,
    ),
}
