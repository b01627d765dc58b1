"""`treadle verify`: looks at a run's evidence again, and says whether it still holds."""

import asyncio
import sys

import click
import orjson

from treadle.cli.context import Given
from treadle.cli.run_reference import RUN
from treadle.cli.terminal.evidence_table import (
    agreement,
    evidence_table,
    reasons_against,
    said_now,
)
from treadle.cli.terminal.screen import Screen, print_lines, screen_of
from treadle.domain.errors import ProjectError
from treadle.verify.comparing import Compared
from treadle.wiring.history import find_run
from treadle.wiring.verifying import Place, verify_run
from treadle.workspace.place import enclosing_project


@click.command("verify")
@RUN
@click.option(
    "-p",
    "--project-dir",
    metavar="DIR",
    help="The repository to look in, and the project of `last` (default: this one).",
)
@click.option("--no-sandbox", is_flag=True, help="Run the checks unconfined.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(
    given: Given, run: str, project_dir: str | None, *, no_sandbox: bool, as_json: bool
) -> int:
    """Look at the evidence of RUN again: an id, any unique end of one, or `last`.

    For each check that passed, and for the tests: the log must be as it was kept, the commit must
    be in this repository (any clone that has it) with the same tree, and the command must end on
    a fresh checkout of it as it did then. Exit code 1 when anything does not agree.
    """
    given = given.in_project(project_dir)
    directory = given.directory(project_dir)
    row = find_run(given.environment.storage, run, standing_in=directory)
    if enclosing_project(directory) is None:
        raise ProjectError(
            f"{directory} is in no repository, so the commits of the run are not here",
            hint="go with `cd` to a clone that has them, or name one with -p",
        )
    place = Place(directory, given.environment, unconfined=no_sandbox)
    for warning in place.warnings:
        click.echo(f"! {warning}", err=True)
    compared = asyncio.run(verify_run(row, place, _tell))
    if as_json:
        click.echo(_json(str(row.id), compared, place.warnings))
    else:
        _show(compared, screen_of(sys.stdout, given.environment))
    return 0 if all(each.agrees for each in compared) else 1


def _tell(title: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"looking at {title} …", err=True)


def _show(compared: list[Compared], screen: Screen) -> None:
    print_lines(evidence_table(compared, screen.view(sys.stdout)), sys.stdout, screen)
    for each in compared:
        for reason in reasons_against(each):
            click.echo(reason)
        print_lines(said_now(each, screen.view(sys.stdout)), sys.stdout, screen)
    print_lines([agreement(compared)], sys.stdout, screen)


def _json(run: str, compared: list[Compared], warnings: tuple[str, ...]) -> bytes:
    document = {
        "run": run,
        "agrees": all(each.agrees for each in compared),
        "warnings": warnings,
        "evidence": [
            {
                "kind": each.recalled.kind,
                "deliverable": each.recalled.deliverable,
                "criterion": each.recalled.criterion,
                "agrees": each.agrees,
                "reasons": each.reasons,
                "log": each.found.log,
                "tree": each.found.tree,
                "environment": each.surroundings,
                "then": each.recalled.evidence,
                "now": each.found.now,
                "output": each.found.output,
            }
            for each in compared
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2)
