"""The options that workflow commands share, and those for how a run is displayed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import click

from treadle.domain.run import LandingMode

DEFAULT_THINKING = 8192


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """How much of a run to show, and in which form."""

    json: bool
    quiet: bool
    verbose: bool
    debug: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowOptions:
    """The options of a workflow command; None for one that was not given, or that it does not
    have."""

    project_dir: str | None
    max_iterations: int | None
    max_retries: int | None
    model: str | None
    plan_model: str | None
    thinking: int | None
    max_cost: float | None
    max_minutes: float | None
    wait_for_quota: bool | None
    land: LandingMode | None = None
    approve_plan: bool | None = None
    no_sandbox: bool
    allow_destructive: bool = False
    detach: bool
    log_file: str | None
    json: bool
    quiet: bool
    verbose: bool
    debug: bool

    @property
    def output(self) -> "OutputOptions":
        return OutputOptions(self.json, self.quiet, self.verbose, self.debug)

    def flags(self) -> dict[str, object]:
        """The options as settings by their dotted names."""
        return {
            "limits.max_iterations": self.max_iterations,
            "limits.max_retries": self.max_retries,
            "limits.max_cost_usd": self.max_cost,
            "limits.max_minutes": self.max_minutes,
            "agent.model": self.model,
            "agent.plan_model": self.plan_model,
            "agent.thinking": self.thinking,
            "quota.wait": self.wait_for_quota,
            "land": self.land,
            "planning.approve": self.approve_plan,
        }


_Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare how a run is shown on a click command."""
    return _declared(_OUTPUT_OPTIONS, command)


def workflow_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the options above on a click command."""
    return _with_common((*_EDITING_OPTIONS, *_APPROVAL_OPTIONS), command)


def planning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those of a workflow in which nobody is asked about a plan."""
    return _with_common(_EDITING_OPTIONS, command)


def read_only_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Those of a workflow that changes no files."""
    return _with_common((), command)


def _with_common(own: Sequence[_Decorator], command: Callable[..., Any]) -> Callable[..., Any]:
    return _declared((*_RUN_OPTIONS, *own, *_BACKGROUND_OPTIONS, *_OUTPUT_OPTIONS), command)


def _declared(options: Sequence[_Decorator], command: Callable[..., Any]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command


_RUN_OPTIONS = (
    click.option(
        "-p", "--project-dir", metavar="DIR", help="The project (default: this directory)."
    ),
    click.option("-n", "--max-iterations", type=int, metavar="N", help="Maximum rounds (100)."),
    click.option(
        "--max-retries", type=int, metavar="N", help="Failed rounds in a row to retry (3)."
    ),
    click.option("-m", "--model", metavar="NAME", help="The model that writes code (sonnet)."),
    click.option("--plan-model", metavar="NAME", help="The model that plans (opus)."),
    click.option(
        "--thinking",
        type=int,
        is_flag=False,
        flag_value=DEFAULT_THINKING,
        metavar="[TOKENS]",
        help=f"Extended thinking; {DEFAULT_THINKING} tokens if you give no number.",
    ),
    click.option(
        "--max-cost", type=float, metavar="USD", help="Maximum cost in US dollars (20; auto: 50)."
    ),
    click.option(
        "--max-minutes",
        type=float,
        metavar="N",
        help="Maximum running time in minutes (480; task: 120).",
    ),
    click.option(
        "--wait-for-quota/--no-wait-for-quota",
        default=None,
        help="Wait until the quota resets instead of ending with exit code 6.",
    ),
    click.option(
        "--no-sandbox", is_flag=True, help="Run the agent without a sandbox. Every summary says so."
    ),
)

_EDITING_OPTIONS = (
    click.option(
        "-D",
        "--allow-destructive",
        is_flag=True,
        help="Let the agent use rm and mv in the project under the strict policy.",
    ),
    click.option(
        "--land",
        type=click.Choice(get_args(LandingMode)),
        help="What to do with finished work: land it, ask first, keep the branch, or open a pull"
        " request.",
    ),
    click.option(
        "--pr",
        "land",
        flag_value="pull_request",
        help="Push the branch and open a pull request (--land pull_request).",
    ),
)

_APPROVAL_OPTIONS = (
    click.option(
        "--approve-plan/--no-approve-plan",
        default=None,
        help="Ask for approval of the plan.",
    ),
)

_BACKGROUND_OPTIONS = (
    click.option("--detach", is_flag=True, help="Run in the background and return."),
    click.option(
        "--log-file",
        metavar="FILE",
        help="Also write the log to FILE as JSON lines; it is rotated at 10 MB.",
    ),
)

_OUTPUT_OPTIONS = (
    click.option("--json", is_flag=True, help="Print the event log as JSON lines on stdout."),
    click.option("-q", "--quiet", is_flag=True, help="Show only warnings and the summary."),
    click.option("-v", "--verbose", is_flag=True, help="Also show the output of tools."),
    click.option("-d", "--debug", is_flag=True, help="Also show instructions, thinking and usage."),
)
