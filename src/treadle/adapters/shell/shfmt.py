"""Finds the shfmt program of our dependencies and parses shell lines with it."""

import re
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from treadle.domain.shell import MalformedLine, ParserOutput, ParserUnavailable, SyntaxTree

_TIMEOUT_S = 1.0
# The first version whose JSON the policy was tested with; another major one may name things anew.
_MAJOR, _LEAST_MINOR = 3, 12
_VERSION = re.compile(r"v?(\d+)\.(\d+)\.\d+")


@dataclass(frozen=True, slots=True)
class Shfmt:
    """Callable as `PrintTree`. Whatever goes wrong is a value, so that a line is then refused."""

    program: Path | None
    # Why it must not be asked; empty if all is well.
    problem: str = ""
    timeout_s: float = _TIMEOUT_S

    def __call__(self, line: str) -> ParserOutput:
        if self.program is None or self.problem:
            return ParserUnavailable(self.problem or "shfmt was not found")
        ended = _run(self.program, ["-ln=bash", "--to-json"], line, timeout_s=self.timeout_s)
        if isinstance(ended, ParserUnavailable):
            return ended
        if ended.returncode == 0:
            return SyntaxTree(ended.stdout)
        if ended.returncode == 1:
            return MalformedLine(ended.stderr.decode(errors="replace").strip())
        return ParserUnavailable(f"shfmt ended with status {ended.returncode}")


def find_shfmt() -> Shfmt:
    """The program of the installed package, at its absolute path, its version looked at once."""
    program = _installed_program()
    return Shfmt(None, "shfmt is not installed") if program is None else check_shfmt(program)


def check_shfmt(program: Path, *, timeout_s: float = _TIMEOUT_S) -> Shfmt:
    """That program, or why it cannot be used."""
    ended = _run(program, ["--version"], "", timeout_s=timeout_s)
    if isinstance(ended, ParserUnavailable):
        return Shfmt(program, ended.why, timeout_s)
    version = ended.stdout.decode(errors="replace").strip()
    found = _VERSION.fullmatch(version)
    if found is None or int(found[1]) != _MAJOR or int(found[2]) < _LEAST_MINOR:
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
