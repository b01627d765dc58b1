"""Treadle as it was at an earlier commit: a wheel of it, installed beside today's libraries."""

import subprocess
import sys
import sysconfig
import tarfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

REPOSITORY = Path(__file__).resolve().parents[2]
BUILT_VERSION = "0.0.1"
# The version says nothing about the code, and a build from an archive cannot find out.
BUILD_VARIABLES = {
    "SETUPTOOLS_SCM_PRETEND_VERSION": BUILT_VERSION,
    "PATH": "/usr/local/bin:/usr/bin:/bin",
}


@dataclass(frozen=True, slots=True)
class EarlierVersion:
    """An environment with one version of Treadle in it."""

    commit: str
    python: Path

    @property
    def command(self) -> Path:
        return self.python.with_name("treadle")


def commit_before() -> str:
    """The commit before the last one."""
    return _git("rev-parse", "--verify", "HEAD^").decode().strip()


def install_earlier(commit: str, folder: Path) -> EarlierVersion:
    """Build a wheel of the commit, and install it into an environment of its own. The libraries are
    those of the tests, so nothing is downloaded."""
    source, wheels, environment = folder / "source", folder / "wheels", folder / "environment"
    with tarfile.open(fileobj=BytesIO(_git("archive", commit)), mode="r:") as archive:
        archive.extractall(source, filter="data")
    _run(
        *(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(wheels)),
        str(source),
    )
    _run(sys.executable, "-m", "venv", "--without-pip", str(environment))
    [packages] = environment.glob("lib/python*/site-packages")
    [wheel] = wheels.glob("*.whl")
    with ZipFile(wheel) as content:
        content.extractall(packages)  # noqa: S202
    # Of this directory only the modules count, and not its .pth files, which lead to the source.
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python = environment / "bin" / "python"
    start = environment / "bin" / "treadle"
    start.write_text(f"#!{python}\nfrom treadle.__main__ import main\n\nmain()\n")
    start.chmod(0o755)
    return EarlierVersion(commit, python)


def _git(*arguments: str) -> bytes:
    done = subprocess.run(["git", *arguments], cwd=REPOSITORY, capture_output=True, check=False)
    # A clone without its history cannot show an upgrade.
    assert done.returncode == 0, f"git {arguments[0]}: {done.stderr.decode()} (unshallow the clone)"
    return done.stdout


def _run(*command: str) -> None:
    done = subprocess.run(command, env=BUILD_VARIABLES, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
