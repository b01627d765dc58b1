"""What is built is all there is: the wheel works in an empty environment of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.repository import ROOT

pytestmark = pytest.mark.slow

BUILT_FROM = ("src", "pyproject.toml", "README.md", "LICENSE", ".gitignore")


@pytest.mark.timeout(300)
@pytest.mark.xdist_group("wheel")
def test_the_wheel_installed_alone_shows_the_demo(tmp_path: Path) -> None:
    python = install(build(tmp_path), tmp_path)

    done = subprocess.run(
        [python.with_name("treadle"), "demo"],
        cwd=tmp_path,
        env={"PATH": os.defpath, "HOME": str(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "Done: every deliverable passed" in done.stderr
    assert "treadle show" not in done.stderr  # the project is gone by now


def build(place: Path) -> Path:
    """The wheel, built from a copy: a build writes its version into the tree it builds from."""
    source = place / "source"
    source.mkdir()
    for name in BUILT_FROM:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source / name)
    run("-m", "build", "--wheel", "--no-isolation", "--outdir", str(place / "dist"), str(source))
    (wheel,) = (place / "dist").glob("*.whl")
    return wheel


def install(wheel: Path, place: Path) -> Path:
    """The Python of a new environment that holds the wheel and what it asks for, as locked."""
    environment = place / "environment"
    run("-m", "uv", "venv", "--quiet", "--python", sys.executable, str(environment))
    python = environment / "bin" / "python"
    wanted = ("--python", str(python), "-c", str(ROOT / "requirements.lock"), str(wheel))
    # Everything was fetched when this very environment was set up, so mostly the cache will do.
    cached = run("-m", "uv", "pip", "install", "--quiet", "--offline", *wanted, required="no")
    if cached != 0:
        run("-m", "uv", "pip", "install", "--quiet", *wanted)
    return python


def run(*arguments: str, required: str = "yes") -> int:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or required == "no", done.stdout + done.stderr
    return done.returncode
