"""Finds the shfmt program of our dependencies and parses shell lines with it."""

import re
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from treadle.domain.shell import MalformedLine, ParserOutput, ParserUnavailable, SyntaxTree

_TIMEOUT_S = 1.0
# The first version whose JSON the policy was tested with; another major version may rename fields.
_MAJOR, _LEAST_MINOR = 3, 12
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.\d+")


@dataclass(frozen=True, slots=True)
class Shfmt:
    """Callable as `PrintTree`. It returns errors as values, so the policy refuses the line."""

    program: Path | None
    # Why the program must not be used; empty if it can be.
    problem: str = ""
    timeout_s: float = _TIMEOUT_S

    def __call__(self, line: str) -> ParserOutput:
        if self.program is None or self.problem:
            return ParserUnavailable(self.problem or "shfmt was not found")
        result = _run(self.program, ["-ln=bash", "--to-json"], line, timeout_s=self.timeout_s)
        if isinstance(result, ParserUnavailable):
            return result
        if result.returncode == 0:
            return SyntaxTree(result.stdout)
        if result.returncode == 1:
            return MalformedLine(result.stderr.decode(errors="replace").strip())
        return ParserUnavailable(f"shfmt ended with status {result.returncode}")


def find_shfmt() -> Shfmt:
    """The program of the installed package, after a check of its version."""
    program = _installed_program()
    return Shfmt(None, "shfmt is not installed") if program is None else check_shfmt(program)


def check_shfmt(program: Path, *, timeout_s: float = _TIMEOUT_S) -> Shfmt:
    """The program with its problem, if its version is not supported."""
    result = _run(program, ["--version"], "", timeout_s=timeout_s)
    if isinstance(result, ParserUnavailable):
        return Shfmt(program, result.why, timeout_s)
    version = result.stdout.decode(errors="replace").strip()
    match = _VERSION.fullmatch(version)
    if match is None or int(match[1]) != _MAJOR or int(match[2]) < _LEAST_MINOR:
        wanted = f"{_MAJOR}.{_LEAST_MINOR} or a later {_MAJOR}.x"
        return Shfmt(program, f"shfmt is {version[:40] or 'unknown'}, not {wanted}", timeout_s)
    return Shfmt(program, timeout_s=timeout_s)


def _installed_program() -> Path | None:
    try:
        files = metadata.files("shfmt-py") or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name in {"shfmt", "shfmt.exe"}:
            return Path(str(file.locate())).resolve()
    return None


def _run(
    program: Path, arguments: list[str], line: str, *, timeout_s: float
) -> subprocess.CompletedProcess[bytes] | ParserUnavailable:
    try:
        return subprocess.run(
            [str(program), *arguments],
            input=line.encode(),
            capture_output=True,
            timeout=timeout_s,
            env={},
            cwd="/",
            check=False,
        )
    except subprocess.TimeoutExpired:
        return ParserUnavailable(f"shfmt took longer than {timeout_s:g} s")
    except (OSError, UnicodeEncodeError) as error:
        return ParserUnavailable(f"shfmt could not be started: {error}")
