"""Runs in the sandbox, by itself: gives lines to bash one by one and tells what bash ran.

Nothing of ours is imported here. Commands that are no builtins are not found, so bash calls the
function that logs them; a trace names the builtins.
"""

import base64
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

TRACE = "+%:"
END = "\1"
# Bash writes what it prints line by line, and two commands of one line may print at the same time:
# so no record has a line break in it.
BREAK = "\2"
# Some commands fail, so that `||` goes on, too. The function leaves its own trace out.
_START = """
command_not_found_handle() {
  set +x
  printf '%s\\0' "${@//$'\\n'/$'\\002'}" $'\\001' >> "$FUZZ_LOG"
  case $1 in b | y) return 1 ;; esac
}
PS4='TRACE' BASH_XTRACEFD=$FUZZ_TRACE
unset BASH_ENV
set -x
""".replace("TRACE'", TRACE + "'")
_SECONDS = 0.5


def main() -> None:
    work = Path(sys.argv[1])
    lines = json.load(sys.stdin)
    work.mkdir()
    (work / "start").write_text(_START)
    for number, line in enumerate(lines):
        place = work / f"{number}"
        (place / "here").mkdir(parents=True)
        try:
            _run(line, place)
        except (OSError, ValueError) as error:
            (place / "problem").write_text(str(error))
    # What still runs in the background of a case has its own files; it had until now to end.
    for number, _ in enumerate(lines):
        sys.stdout.write(json.dumps(_found(work / f"{number}")) + "\n")


def _run(line: str, place: Path) -> None:
    with (place / "trace").open("wb") as trace:
        environment = {
            "PATH": "/nonexistent",
            "BASH_ENV": str(place.parent / "start"),
            "FUZZ_LOG": str(place / "log"),
            "FUZZ_TRACE": str(trace.fileno()),
            "LC_ALL": "C.UTF-8",
        }
        process = subprocess.Popen(
            ["/bin/bash", "--norc", "--noprofile", "-c", line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=place / "here",
            env=environment,
            pass_fds=[trace.fileno()],
            start_new_session=True,
            preexec_fn=_limit,
        )
        try:
            process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _found(place: Path) -> dict[str, Any]:
    def text(name: str) -> str:
        path = place / name
        return base64.b64encode(path.read_bytes()[:200_000] if path.exists() else b"").decode()

    here = place / "here"
    files = sorted(str(path.relative_to(here)) for path in here.rglob("*"))
    return {"log": text("log"), "trace": text("trace"), "files": files}


if __name__ == "__main__":
    main()
