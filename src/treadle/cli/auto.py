"""`treadle auto`: works through increments, each until it is complete and verified."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from treadle.cli.context import CommandContext
from treadle.cli.run_options import WorkflowOptions, workflow_options
from treadle.cli.start import start_run
from treadle.domain.errors import TreadleError, UsageError
from treadle.domain.exit_reasons import PERSON_NEEDED
from treadle.domain.storage import Storage
from treadle.runs.increments import AutoPlan, add_increment, find_open_increment, plan_auto
from treadle.settings.load import load_settings
from treadle.settings.workflow_definitions import AutoSettings

_LONGEST_TITLE = 80


class StartDeclined(TreadleError):
    """A person must agree to what a queue may cost."""

    exit_code = PERSON_NEEDED


@dataclass(frozen=True, slots=True)
class AutoOptions:
    """The options of `auto` besides those of all workflows."""

    words: str
    increments: str
    max_hours: float | None
    promise: str | None
    yes: bool


@click.command("auto")
@click.argument("words", metavar="[WORDS]", required=False, default="")
@click.option(
    "--increments", metavar="A,B", default="", help="Only these, by name or number, in this order."
)
@click.option("--max-hours", type=float, metavar="N", help="Maximum hours for all increments (24).")
@click.option(
    "--promise",
    metavar="TEXT",
    help="What the agent writes when an increment is complete (AUTO_COMPLETE).",
)
@click.option("-y", "--yes", is_flag=True, help="Start without asking about the estimated cost.")
@workflow_options
@click.pass_obj
def command(
    context: CommandContext,
    /,
    *,
    words: str,
    increments: str,
    max_hours: float | None,
    promise: str | None,
    yes: bool,
    **values: Any,
) -> int:
    """Work through increments, or through WORDS as a new one: each until it is complete.

    An increment is complete once the agent says so, and its checks and the tests pass. It waits for
    the increments that it depends on, and is skipped if one of them fails. Limits apply to all
    increments together. See `treadle increments ls`.

    \b
    Examples:
      treadle auto
      treadle auto "Log in by e-mail" --max-cost 10
    """
    chosen = AutoOptions(words, increments, max_hours, promise, yes)
    return _start(context, chosen, WorkflowOptions(**values))


def _start(context: CommandContext, chosen: AutoOptions, options: WorkflowOptions) -> int:
    within, project = context.in_project(options.project_dir), context.project(options.project_dir)
    settings = load_settings(project, environment=context.environment.raw).settings
    auto = settings.auto
    promise = " ".join((chosen.promise or auto.completion_promise).split())
    if not auto.enabled:
        raise UsageError("`auto` is turned off for this project", hint="set auto.enabled = true")
    if not promise or "<" in promise:
        raise UsageError("the promise must be words without tags", hint="--promise AUTO_COMPLETE")
    storage = within.environment.storage
    wanted = _wanted(storage, project, chosen)
    plan = plan_auto(storage, project, wanted, rehearsal=context.rehearsing is not None)
    _require_agreement(plan, auto, chosen)
    inputs = {
        "words": chosen.words,
        "increments": ",".join(plan.names),
        "done": ",".join(plan.done),
        "promise": promise,
    }
    gates = (*settings.policy.ask_before, *auto.human_gates)
    flags = {"limits.max_minutes": _minutes(chosen, options, auto), **_flags(auto, gates)}
    return start_run(context, options, "auto", inputs, flags)


def _wanted(storage: Storage, project: Path, chosen: AutoOptions) -> Sequence[str]:
    named = [each.strip() for each in chosen.increments.split(",") if each.strip()]
    words = " ".join(chosen.words.split())
    if not words:
        return named
    if named:
        raise UsageError(
            "WORDS and --increments cannot be combined", hint="leave out WORDS or --increments"
        )
    title = words[:_LONGEST_TITLE]
    if name := find_open_increment(storage, project, title, words):
        return [name]
    name = add_increment(project, title, text=words, depends_on=())
    click.echo(f"Added .treadle/increments/{name}/spec.md", err=True)
    return [name]


def _minutes(chosen: AutoOptions, options: WorkflowOptions, auto: AutoSettings) -> float:
    """What all increments may take together."""
    if options.max_minutes is not None:
        return options.max_minutes
    return (auto.max_hours if chosen.max_hours is None else chosen.max_hours) * 60


def _flags(auto: AutoSettings, gates: Sequence[str]) -> dict[str, object]:
    """Settings for the queue, and for the runs of its increments."""
    flags: dict[str, object] = {}
    if auto.test_command:
        flags["project.test"] = auto.test_command
    if auto.coverage_threshold:
        flags["verify.coverage"] = auto.coverage_threshold
    if auto.human_gates:
        flags["policy.ask_before"] = list(gates)
    return flags


def _require_agreement(plan: AutoPlan, auto: AutoSettings, chosen: AutoOptions) -> None:
    """Say what it may cost; ask if that is more than the settings let pass."""
    count = "1 increment" if len(plan.names) == 1 else f"{len(plan.names)} increments"
    if plan.estimate_usd is None:
        click.echo(f"{count}; no estimate: no increment has finished here yet", err=True)
        return
    text = f"{count}, about ${plan.estimate_usd:.2f} going by finished ones"
    click.echo(text, err=True)
    if chosen.yes or plan.estimate_usd <= auto.ask_above_usd:
        return
    if sys.stdin.isatty() and click.confirm("Start?", err=True):
        return
    raise StartDeclined(
        f"{text}: more than auto.ask_above_usd (${auto.ask_above_usd:.2f})",
        hint="start with --yes, or with fewer increments",
    )
