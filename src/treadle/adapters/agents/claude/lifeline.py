"""A command that dies when we do, however we die. Linux only: elsewhere it is left as it is."""

from pathlib import Path
from shutil import which
from sys import executable, platform

PLACES = "/usr/bin:/bin:/usr/sbin:/sbin"

# The signal survives an exec, so that a process can ask for it and become the agent. Run as code of
# its own, because what a fork runs in a process with threads can stand still for ever.
_ASKING = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"
)


def dying_with_us(command: list[str]) -> list[str]:
    """The command with SIGKILL asked for at the end of the thread that starts it."""
    if not platform.startswith("linux"):
        return command
    return bound_to_parent(command, setpriv=which("setpriv", path=PLACES), python=executable)


def bound_to_parent(command: list[str], *, setpriv: str | None, python: str) -> list[str]:
    """By `setpriv`, which takes a millisecond, or by Python, which takes fifteen."""
    # Busybox has a setpriv of its own, which does not know the option.
    if setpriv is not None and Path(setpriv).resolve().name == "setpriv":
        return [setpriv, "--pdeathsig", "KILL", "--", *command]
    return [python, "-I", "-S", "-c", _ASKING, *command]
