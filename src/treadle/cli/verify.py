"""`treadle verify`: checks again whether the evidence of a run still holds."""

import asyncio
import sys

import click

from treadle.cli.context import CommandContext
from treadle.cli.json_output import encode_json
from treadle.cli.run_reference import RUN
from treadle.cli.terminal.evidence_table import (
    agreement_line,
    current_output_lines,
    disagreement_texts,
    evidence_table,
    grade_texts,
)
from treadle.cli.terminal.screen import Screen, detect_screen, print_lines
from treadle.domain.errors import ProjectError
from treadle.domain.events.verification import CriterionGrade, SuiteGraded
from treadle.runs.find import find_run
from treadle.runs.reverify import ReverifyTarget, verify_run
from treadle.verify.checks.evidence_diff import EvidenceDiff
from treadle.workspace.project_root import find_project_root


@click.command("verify")
@RUN
@click.option(
    "-p",
    "--project-dir",
    metavar="DIR",
    help="The repository to look in, and the project of `last` (default: this one).",
)
@click.option("--no-sandbox", is_flag=True, help="Run the checks without a sandbox.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
@click.pass_obj
def command(
    context: CommandContext, run: str, project_dir: str | None, *, no_sandbox: bool, as_json: bool
) -> int:
    """Check the evidence of RUN again: an id, its beginning or end, or `last`.

    For each check that passed, and for the tests: the stored log must be unchanged, the commit must
    be in this repository with the same tree, and the command must give the same result on a fresh
    checkout, also with your own tests if they were used. You can run it in any clone that has the
    commit. Exit code 1 if anything differs.

    \b
    Example:
      treadle verify last
    """
    context = context.in_project(project_dir)
    directory = context.directory(project_dir)
    row = find_run(context.environment.storage, run, directory=directory)
    if find_project_root(directory) is None:
        raise ProjectError(
            f"{directory} is not in a repository, so it has no commits of the run",
            hint="change to a clone that has them, or name one with -p",
        )
    repository = ReverifyTarget(directory, context.environment, unconfined=no_sandbox)
    for warning in repository.warnings:
        click.echo(f"! {warning}", err=True)
    compared = asyncio.run(verify_run(row, repository, _print_progress))
    if as_json:
        click.echo(_json(str(row.id), compared, repository.warnings))
    else:
        _print_comparison(compared, detect_screen(sys.stdout, context.environment))
    return 0 if all(each.agrees for each in compared) else 1


def _print_progress(title: str) -> None:
    if sys.stderr.isatty():
        click.echo(f"checking {title} …", err=True)


def _print_comparison(compared: list[EvidenceDiff], screen: Screen) -> None:
    print_lines(evidence_table(compared, screen.render_options(sys.stdout)), sys.stdout, screen)
    for text in grade_texts(compared):
        click.echo(text)
    for each in compared:
        for reason in disagreement_texts(each):
            click.echo(reason)
        print_lines(
            current_output_lines(each, screen.render_options(sys.stdout)), sys.stdout, screen
        )
    print_lines([agreement_line(compared)], sys.stdout, screen)


def _json(run: str, compared: list[EvidenceDiff], warnings: tuple[str, ...]) -> bytes:
    document = {
        "run": run,
        "agrees": all(each.agrees for each in compared),
        "warnings": warnings,
        "evidence": [
            {
                "kind": each.recorded.kind,
                "deliverable": each.recorded.deliverable,
                "criterion": each.recorded.criterion,
                "pinned": each.recorded.is_pinned,
                "graded": _grade(each.recorded.graded),
                "agrees": each.agrees,
                "reasons": each.reasons,
                "log": each.current.log,
                "tree": each.current.tree,
                "environment": each.environment,
                "then": each.recorded.evidence,
                "now": each.current.now,
                "output": each.current.output,
            }
            for each in compared
        ],
    }
    return encode_json(document)


def _grade(graded: CriterionGrade | SuiteGraded | None) -> dict[str, str] | None:
    if graded is None:
        return None
    return {"grade": graded.grade, "judge": graded.judge, "why": graded.why}
