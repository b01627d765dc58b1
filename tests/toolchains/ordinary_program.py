"""An ordinary program: what it needs, the line that runs it, and what that prints."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Literal

# Waits for a server: tries a command until it succeeds, for ten seconds at most.
UNTIL = """
until_it_works() {
  for _ in $(seq 200); do "$@" >tried 2>&1 && return; sleep 0.05; done
  cat tried
  false
}
"""


@dataclass(frozen=True)
class OrdinaryProgram:
    """A line for bash, in a new git repository with these files and an empty home."""

    name: str
    line: str
    # All of its standard output. Its exit code must be 0.
    prints: str = ""
    # Commands that it needs besides those of the coreutils, git and Python.
    needs: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    # A long one runs with `make toolchains` only.
    length: Literal["short", "long"] = "short"
    # No limit of memory, as with `sandbox.memory_mb = 0`.
    memory: Literal["limited", "unlimited"] = "limited"

    @property
    def script(self) -> str:
        return f"set -eu\n{UNTIL}{dedent(self.line)}"
