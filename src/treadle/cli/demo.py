"""`treadle demo`: the main job at work in a minute, on a sample project, without an account."""

import shutil
import subprocess
import tempfile
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

import click

from treadle.cli.context import Given
from treadle.cli.rehearse import rehearse
from treadle.rehearsal.script import load_script

GIT = ("git", "-c", "init.defaultBranch=main")


@click.command("demo")
@click.option("--keep", metavar="DIR", help="Make the sample project here and leave it there.")
@click.option("-v", "--verbose", is_flag=True, help="Also what tools answered.")
@click.pass_obj
def command(given: Given, keep: str | None, *, verbose: bool) -> int:
    """See it work in a minute: a real Claude Code process, a scripted model, a sample project."""
    place = Path(keep).expanduser() if keep else Path(tempfile.mkdtemp(prefix="treadle-demo-"))
    try:
        where = (given.working_directory / place).resolve()
        return _demo(given, where, verbose=verbose, keep=bool(keep))
    finally:
        if not keep:
            shutil.rmtree(place, ignore_errors=True)


def _demo(given: Given, place: Path, *, verbose: bool, keep: bool) -> int:
    project, root = place / "tally", place / "treadle-root"
    source = files("treadle.rehearsal") / "demo"
    make_project(project, (source / "SPEC.md").read_text(encoding="utf-8"), given)
    click.echo(f"A sample project with a SPEC.md is in {project}", err=True)
    click.echo(
        "The model is a script; Claude Code, its tools, git and the tests are real.\n", err=True
    )
    environment = replace(given.environment, root=root)
    with as_file(source / "script.yaml") as path:
        script = load_script(path)
    options = ["--verbose"] if verbose else []
    arguments = ("deliver", "-p", str(project), *options)
    code = rehearse(replace(given, environment=environment), script, arguments)
    click.echo("", err=True)
    click.echo(_git(project, given, "log", "--oneline", "--stat", "--no-decorate"), err=True)
    if not keep:
        click.echo("The sample is removed again; keep it with `treadle demo --keep DIR`.", err=True)
    return code


def make_project(project: Path, specification: str, given: Given) -> None:
    """A fresh repository with one commit: the specification."""
    project.mkdir(parents=True)
    (project / "SPEC.md").write_text(specification, encoding="utf-8")
    (project / ".gitignore").write_text("__pycache__/\n.treadle/\n.treadle-notes.md\n")
    (project / "treadle.toml").write_text("version = 1\n\n[deliver]\ndelay_s = 0.5\n")
    _git(project, given, "init", "-q")
    for key, value in (("user.name", "Demo User"), ("user.email", "demo@example.com")):
        _git(project, given, "config", key, value)
    _git(project, given, "add", "-A")
    _git(project, given, "commit", "-q", "-m", "The specification")


def _git(project: Path, given: Given, *arguments: str) -> str:
    done = subprocess.run(
        [*GIT, *arguments],
        cwd=project,
        env={"PATH": given.environment.path, "HOME": str(project.parent), "LC_ALL": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
