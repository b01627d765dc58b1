"""`treadle init`: detects a project's commands, asks, writes treadle.toml and a first SPEC.md."""

import asyncio
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.included_files_question import (
    INCLUDE,
    ask_to_include,
    files_to_include,
    print_left_out,
    trust_answers,
)
from treadle.domain.errors import UsageError
from treadle.runs.credentials import find_login_of
from treadle.runs.login_text import describe_login
from treadle.runs.trust import require_trust
from treadle.settings.environment import Environment
from treadle.settings.environment_values import parse_text
from treadle.settings.file import read_file
from treadle.settings.init_proposal import (
    FIRST_SPEC,
    IGNORE_FILE,
    QUESTIONS,
    InitFiles,
    InitQuestion,
    asks_for_commands,
    changed_files,
    ignore_lines,
    propose_answers,
)
from treadle.settings.json_schema import schema_text
from treadle.settings.keys import InvalidValue, known_keys
from treadle.settings.load import resolve_settings
from treadle.settings.template import SCHEMA_PATH
from treadle.workspace.detect import (
    ROOT,
    DetectedPackage,
    default_packages,
    detect,
    join_commands,
    package_commands,
)
from treadle.workspace.disk_tree import NOTES_FILE
from treadle.workspace.project_init import find_repository, make_repository, read_text, replace_text
from treadle.workspace.project_root import SETTINGS_FILE

NONE = "-"


@click.command(name="init")
@click.option("-p", "--project-dir", metavar="DIR", help="The project (default: this directory).")
@click.option("--yes", "-y", is_flag=True, help="Ask nothing; use what is set or detected.")
@click.pass_obj
def command(context: CommandContext, project_dir: str | None, *, yes: bool) -> None:
    """Set up a project: detect its commands, ask, write treadle.toml and a first SPEC.md.

    Run it again at any time: it shows the current values and changes only what you change.

    \b
    Examples:
      treadle init
      treadle init --yes
    """
    project = context.project(project_dir)
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "init asks questions, but there is no terminal",
            hint="pass --yes to take what is detected: treadle init --yes",
        )
    text = read_file(project)
    present = resolve_settings(text)
    require_trust(context.environment, project, present)
    detected = detect(project)
    files = InitFiles(text, read_text(project / IGNORE_FILE), read_text(project / SCHEMA_PATH))
    raw = context.environment.raw
    top = _own_repository(project, raw)
    _print_project(project, context.directory(project_dir))
    _print_detected(detected.packages)
    makes_repository = top is None and (yes or _confirm_repository(project))
    chosen = default_packages(detected.packages)
    if len(detected.packages) > 1 and asks_for_commands(present):
        chosen = chosen if yes else _ask_for_packages(detected.packages, chosen)
        _print_chosen(detected.packages, chosen)
    commands = join_commands(chosen)
    answers = propose_answers(present, detected, commands)
    included = files_to_include(project, raw, present) if top is not None else ()
    if yes:
        print_left_out(included)
    else:
        answers |= _ask(answers) | ask_to_include(included)
    ignored = ignore_lines(NOTES_FILE, commands.ignored)
    changes = changed_files(files, answers, schema=schema_text(), ignored=ignored)
    if makes_repository:
        asyncio.run(make_repository(project, raw))
        click.echo("made    a git repository")
    spec = str(answers["project.spec"])
    if not (project / spec).exists():
        changes = {spec: FIRST_SPEC, **changes}
    for path, new in changes.items():
        replace_text(project / path, new)
    if INCLUDE in answers:
        trust_answers(context.environment, project)
    _print_written(changes)
    _print_login(context.environment, resolve_settings(read_file(project)).settings.agent.kind)
    is_example = read_text(project / spec) == FIRST_SPEC
    _print_next(spec, is_example=is_example, has_repository=makes_repository or top is not None)


def _own_repository(project: Path, raw: Mapping[str, str]) -> Path | None:
    top = asyncio.run(find_repository(project, raw))
    if top is not None and top != project:
        raise UsageError(
            f"{project} is inside the repository {top}",
            hint=f"run `treadle init -p {top}`, or `git init` to make this a repository",
        )
    return top


def _confirm_repository(project: Path) -> bool:
    return click.confirm(f"{project} is not a git repository. Make it one?", default=True, err=True)


def _ask(answers: Mapping[str, Any]) -> dict[str, Any]:
    click.echo(f"Press Return to keep the value in brackets, or type {NONE} for none.", err=True)
    return {question.name: _answer(question, answers[question.name]) for question in QUESTIONS}


def _answer(question: InitQuestion, present: Any) -> Any:
    if isinstance(present, bool):
        return click.confirm(question.text, default=present, err=True)
    return click.prompt(
        question.text,
        default=str(present).removesuffix(".0"),
        show_default=present != "",
        value_proc=lambda text: _parse_answer(question, text),
        err=True,
    )


def _parse_answer(question: InitQuestion, text: str) -> Any:
    key = known_keys()[question.name]
    value = parse_text(key, "" if text.strip() == NONE else text.strip())
    if isinstance(value, InvalidValue):
        raise click.UsageError(str(value))
    return value


def _print_project(project: Path, directory: Path) -> None:
    if project != directory:
        click.echo(f"project {project}")
        part = directory.relative_to(project)
        click.echo(f"        {part} is part of it; treadle.toml belongs in the root")


def _print_detected(packages: Sequence[DetectedPackage]) -> None:
    if not packages:
        click.echo("found   no known language")
    for package in packages:
        found = package_commands(package)
        folder = "" if package.folder == ROOT else f" in {package.folder}"
        click.echo(f"found   {', '.join(found.languages)}{folder}")
        for name in ("setup", "check", "test"):
            if value := getattr(found, name):
                click.echo(f"        {name:<6} {value}")


def _print_chosen(packages: Sequence[DetectedPackage], chosen: Sequence[DetectedPackage]) -> None:
    others = [package.folder for package in packages if package not in chosen]
    how = "joined" if len(chosen) > 1 else "alone"
    click.echo(f"takes   {_folders(chosen)} {how}")
    if others:
        click.echo(f"        not {', '.join(others)}: join their commands in {SETTINGS_FILE}")


def _folders(packages: Sequence[DetectedPackage]) -> str:
    return ", ".join("the root" if p.folder == ROOT else p.folder for p in packages)


def _ask_for_packages(
    packages: Sequence[DetectedPackage], default: Sequence[DetectedPackage]
) -> tuple[DetectedPackage, ...]:
    by_folder = {package.folder: package for package in packages}

    def parse(text: str) -> tuple[DetectedPackage, ...]:
        names = [name.strip().rstrip("/") or ROOT for name in text.split(",")]
        if unknown := [name for name in names if name not in by_folder]:
            known = ", ".join(by_folder)
            raise click.UsageError(f"{unknown[0]} was not found; choose from: {known}")
        return tuple(by_folder[name] for name in dict.fromkeys(names))

    chosen: tuple[DetectedPackage, ...] = click.prompt(
        f"Packages to set up, check and test (of {', '.join(by_folder)})",
        default=", ".join(package.folder for package in default),
        value_proc=parse,
        err=True,
    )
    return chosen


def _print_written(changes: Mapping[str, str]) -> None:
    for path in changes:
        click.echo(f"wrote   {path}")
    if not changes:
        click.echo(f"kept    {SETTINGS_FILE} and the rest: nothing has changed")


def _print_login(environment: Environment, kind: str) -> None:
    login = find_login_of(environment, kind)
    if login is None:
        return
    if login.problem is None:
        click.echo(f"login   {describe_login(login, datetime.now(UTC))}")
        return
    click.echo(f"login   {login.problem.message}")
    click.echo(f"        {login.problem.remedy}")


def _print_next(spec: str, *, is_example: bool, has_repository: bool) -> None:
    if not has_repository:
        click.echo("next    git init  # Treadle needs a git repository")
    if is_example:
        click.echo(f"next    replace the example in {spec} with what you want built")
    click.echo("next    treadle deliver")
