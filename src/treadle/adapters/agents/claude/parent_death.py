"""Makes a command die with its parent process. Linux only: elsewhere it changes nothing."""

from pathlib import Path
from shutil import which
from sys import executable, platform

SYSTEM_FOLDERS = "/usr/bin:/bin:/usr/sbin:/sbin"

# The signal survives an exec, so that a process can ask for it and become the agent. Run as code of
# its own, because what a fork runs in a process with threads can stand still for ever.
_PRCTL_AND_EXEC = (
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"
)


def kill_with_parent(command: list[str]) -> list[str]:
    """The command with SIGKILL asked for at the end of the thread that starts it."""
    if not platform.startswith("linux"):
        return command
    return with_death_signal(
        command, setpriv=which("setpriv", path=SYSTEM_FOLDERS), python=executable
    )


def with_death_signal(command: list[str], *, setpriv: str | None, python: str) -> list[str]:
    """By `setpriv`, which takes a millisecond, or by Python, which takes fifteen."""
    # Busybox has a setpriv of its own, which does not know the option.
    if setpriv is not None and Path(setpriv).resolve().name == "setpriv":
        return [setpriv, "--pdeathsig", "KILL", "--", *command]
    return [python, "-I", "-S", "-c", _PRCTL_AND_EXEC, *command]
