"""`treadle init`: looks at a project, asks, and writes what a run needs."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from treadle.cli.context import Given
from treadle.domain.errors import UsageError
from treadle.settings.file import FILE, read_file
from treadle.settings.json_schema import schema_text
from treadle.settings.keys import Misfit, known_keys
from treadle.settings.load import resolve
from treadle.settings.proposal import IGNORE_FILE, QUESTIONS, Found, Question, proposed, writes
from treadle.settings.template import SCHEMA_PATH
from treadle.settings.variables import from_text
from treadle.wiring.trust import require_trust
from treadle.workspace.contents import NOTES
from treadle.workspace.detect import Detected, detect
from treadle.workspace.setup import make_repository, read_text, replace_text, repository_of

NONE = "-"


@click.command(name="init")
@click.option("-p", "--project-dir", metavar="DIR", help="The project; default: this directory.")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing: take what is there or was detected.")
@click.pass_obj
def command(given: Given, project_dir: str | None, *, yes: bool) -> None:
    """Set a project up: detect its commands, ask, and write treadle.toml.

    Run it again at any time: it shows what is set and changes only what you answer differently.
    """
    project = given.project(project_dir)
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "init asks questions, and there is no terminal to ask them on",
            hint="pass --yes to take what is detected: treadle init --yes",
        )
    text = read_file(project)
    present = resolve(text)
    require_trust(given.environment, project, present)
    detected = detect(project)
    found = Found(text, read_text(project / IGNORE_FILE), read_text(project / SCHEMA_PATH))
    raw = given.environment.raw
    top = _own_repository(project, raw)
    if project != given.directory(project_dir):
        click.echo(f"project {project}")
    _tell_detected(detected)
    makes_one = top is None and (yes or _wants_repository(project))
    answers = proposed(present, detected)
    if not yes:
        answers |= _ask(answers)
    changes = writes(found, answers, schema=schema_text(), notes=NOTES)
    if makes_one:
        asyncio.run(make_repository(project, raw))
        click.echo("made    a git repository")
    for path, new in changes.items():
        replace_text(project / path, new)
    _tell_written(changes)
    _tell_next(project, str(answers["project.spec"]), has_repository=makes_one or top is not None)


def _own_repository(project: Path, raw: Mapping[str, str]) -> Path | None:
    top = asyncio.run(repository_of(project, raw))
    if top is not None and top != project:
        raise UsageError(
            f"{project} lies inside the repository {top}",
            hint=f"set that one up: treadle init -p {top}; or make this one of its own: git init",
        )
    return top


def _wants_repository(project: Path) -> bool:
    return click.confirm(f"{project} is not a git repository. Make it one?", default=True, err=True)


def _ask(answers: Mapping[str, Any]) -> dict[str, Any]:
    click.echo(f"Return keeps what stands in brackets; {NONE} stands for none.", err=True)
    return {question.name: _answer(question, answers[question.name]) for question in QUESTIONS}


def _answer(question: Question, present: Any) -> Any:
    if isinstance(present, bool):
        return click.confirm(question.text, default=present, err=True)
    return click.prompt(
        question.text,
        default=str(present).removesuffix(".0"),
        show_default=present != "",
        value_proc=lambda text: _taken(question, text),
        err=True,
    )


def _taken(question: Question, text: str) -> Any:
    key = known_keys()[question.name]
    held = from_text(key, "" if text.strip() == NONE else text.strip())
    if isinstance(held, Misfit):
        raise click.UsageError(str(held))
    return held


def _tell_detected(detected: Detected) -> None:
    languages = ", ".join(detected.languages) or "no language that Treadle knows"
    click.echo(f"found   {languages}")
    for name in ("setup", "check", "test"):
        if value := getattr(detected, name):
            click.echo(f"        {name:<6} {value}")


def _tell_written(changes: Mapping[str, str]) -> None:
    for path in changes:
        click.echo(f"wrote   {path}")
    if not changes:
        click.echo(f"kept    {FILE} and the rest: nothing to change")


def _tell_next(project: Path, spec: str, *, has_repository: bool) -> None:
    if not has_repository:
        click.echo("next    git init, since Treadle works in git repositories")
    if (project / spec).is_file():
        click.echo("next    treadle deliver")
    else:
        click.echo(f"next    say in {spec} what is to be built, then: treadle deliver")
