"""`treadle check`: adds, accepts, lists and removes the commands that verify a criterion."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.cli.terminal.check_table import check_table
from treadle.cli.terminal.screen import detect_screen, print_lines
from treadle.domain.deliverable import Deliverable
from treadle.domain.errors import UsageError
from treadle.domain.ids import short_id
from treadle.domain.run_row import RunFilter
from treadle.runs.checks import accept_check, add_check, remove_check
from treadle.runs.find import deliverables_of, list_project_runs
from treadle.views.check_text import WITHOUT_CHECK_CLAIMED, WITHOUT_CHECK_REFUSED

RUNS_CONSIDERED = 50

PROJECT = click.option(
    "-p", "--project-dir", metavar="DIR", help="The project (default: this directory)."
)


_ALREADY_PASSED = (
    "{} has already passed, so this check was never seen to fail: the pass stays claimed, and the"
    " check runs before a run can succeed"
)

_RESTORED_FROM_SPEC = "the next run restores it from the specification: remove it there, too"
_OVERRIDES_SPEC = (
    "it overrides the check in the specification; if you remove it, the next run restores that one"
)


@click.group(name="check")
def command() -> None:
    """Manage the checks of criteria: commands that Treadle runs itself.

    A check passes with exit code 0. It runs in the sandbox, at the top of a clean checkout.

    \b
    Examples:
      treadle check list
      treadle check add DL-001 1 -- pytest -q tests/test_sum.py
    """


@command.command()
@click.argument("deliverable")
@click.argument("criterion")
@click.argument("command_words", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED)
@PROJECT
@click.pass_obj
def add(
    context: CommandContext,
    deliverable: str,
    criterion: str,
    command_words: Sequence[str],
    project_dir: str | None,
) -> None:
    """Use COMMAND as the check of CRITERION: its number, its text, or a new text to add.

    Replaces the check of the criterion, if it has one. A single argument is a whole shell line.

    \b
    Examples:
      treadle check add DL-001 1 -- pytest -q tests/test_sum.py
      treadle check add DL-001 2 -- 'make lint && make docs'
    """
    _refuse_agents(context)
    if not command_words:
        raise UsageError(
            "there is no command", hint="treadle check add DL-001 1 -- pytest -q tests/test_x.py"
        )
    line = command_words[0] if len(command_words) == 1 else shlex.join(command_words)
    project = context.project(project_dir)
    edit = add_check(project, deliverable, criterion, command=line, now=datetime.now(UTC))
    verb = "replaced the" if edit.previous else "added a"
    new = "new criterion " if edit.is_new_criterion else ""
    click.echo(f"{edit.deliverable.id}: {verb} check for {new}{edit.check.criterion!r}")
    if edit.previous is not None and edit.previous.origin == "spec":
        click.echo(_OVERRIDES_SPEC, err=True)
    if edit.deliverable.status == "passed":
        click.echo(_ALREADY_PASSED.format(edit.deliverable.id), err=True)
    _print_affected_runs(context, project_dir)


@command.command()
@click.argument("deliverable")
@click.argument("criterion")
@PROJECT
@click.pass_obj
def accept(
    context: CommandContext, deliverable: str, criterion: str, project_dir: str | None
) -> None:
    """Accept the check that the agent wrote for CRITERION. It then counts as yours.

    Read the command first, with `treadle check list`.

    \b
    Example:
      treadle check accept DL-001 1
    """
    _refuse_agents(context)
    now = datetime.now(UTC)
    edit = accept_check(context.project(project_dir), deliverable, criterion, now=now)
    click.echo(f"{edit.deliverable.id}: the check for {edit.check.criterion!r} is yours now")
    _print_affected_runs(context, project_dir)


@command.command("list")
@PROJECT
@click.option("--json", "as_json", is_flag=True, help="One JSON array on stdout.")
@click.pass_obj
def list_(context: CommandContext, *, project_dir: str | None, as_json: bool) -> None:
    """List every criterion and its check, if it has one.

    \b
    Example:
      treadle check list --json
    """
    deliverables = deliverables_of(context.project(project_dir))
    if as_json:
        click.echo(encode_json(list(_rows(deliverables))))
    elif not deliverables:
        click.echo("No deliverables yet. `treadle deliver` creates them from SPEC.md.", err=True)
    else:
        screen = detect_screen(sys.stdout, context.environment)
        without = _missing_check_text(context, project_dir)
        lines = check_table(deliverables, screen.render_options(sys.stdout), without=without)
        print_lines(lines, sys.stdout, screen)


@command.command("rm")
@click.argument("deliverable")
@click.argument("criterion")
@PROJECT
@click.pass_obj
def remove(
    context: CommandContext, deliverable: str, criterion: str, project_dir: str | None
) -> None:
    """Remove the check of CRITERION. The criterion stays, but can then only be claimed.

    \b
    Example:
      treadle check rm DL-001 1
    """
    _refuse_agents(context)
    now = datetime.now(UTC)
    edit = remove_check(context.project(project_dir), deliverable, criterion, now=now)
    click.echo(f"{edit.deliverable.id}: removed the check for {edit.check.criterion!r}")
    if edit.check.origin == "spec":
        click.echo(_RESTORED_FROM_SPEC, err=True)
    _print_affected_runs(context, project_dir)


def _missing_check_text(context: CommandContext, project_dir: str | None) -> str:
    # Here, because a program that asks for JSON does not wait for the settings.
    from treadle.settings.load import load_settings

    settings = load_settings(
        context.project(project_dir), environment=context.environment.raw
    ).settings
    return WITHOUT_CHECK_REFUSED if settings.verify.require_checks else WITHOUT_CHECK_CLAIMED


def _rows(deliverables: Sequence[Deliverable]) -> Iterator[dict[str, Any]]:
    for deliverable in deliverables:
        checks = {check.criterion: check for check in deliverable.checks}
        for number, criterion in enumerate(deliverable.acceptance_criteria, 1):
            check = checks.get(criterion)
            yield {
                "deliverable": deliverable.id,
                "number": number,
                "criterion": criterion,
                "command": check.command if check else None,
                "origin": check.origin if check else None,
                "before": (check.before or None) if check else None,
            }


def _refuse_agents(context: CommandContext) -> None:
    """A clear error for an agent; what keeps it away from the file is the sandbox."""
    if context.environment.raw.get("TREADLE_SESSION"):
        raise UsageError(
            "checks cannot be changed inside an agent's session",
            hint="use the tool add_check, or your own terminal",
        )


def _print_affected_runs(context: CommandContext, project_dir: str | None) -> None:
    storage, project = (
        context.in_project(project_dir).environment.storage,
        context.project(project_dir),
    )
    for run in list_project_runs(storage, project, RunFilter(limit=RUNS_CONSIDERED)):
        if run.alive:
            click.echo(f"run {short_id(run.id)} uses it from its next round", err=True)
