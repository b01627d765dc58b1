"""The options that workflow commands share, and those for how a run is displayed."""

from collections.abc import Callable
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


@dataclass(frozen=True, slots=True)
class WorkflowOptions:
    """The options of a workflow command; None for one that was not given."""

    project_dir: str | None
    max_iterations: int | None
    max_retries: int | None
    model: str | None
    plan_model: str | None
    thinking: int | None
    max_cost: float | None
    max_minutes: float | None
    wait_for_quota: bool | None
    land: LandingMode | None
    approve_plan: bool | None
    no_sandbox: bool
    allow_destructive: bool
    detach: bool
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


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare how a run is shown on a click command."""
    for option in reversed(_OUTPUT_OPTIONS):
        command = option(command)
    return command


def workflow_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the options above on a click command."""
    for option in reversed((*_WORKFLOW_OPTIONS, *_OUTPUT_OPTIONS)):
        command = option(command)
    return command


_WORKFLOW_OPTIONS = (
    click.option(
        "-p", "--project-dir", metavar="DIR", help="The project (default: this directory)."
    ),
    click.option(
        "-n", "--max-iterations", type=int, metavar="N", help="Rounds the run may take (100)."
    ),
    click.option(
        "--max-retries", type=int, metavar="N", help="Failed rounds in a row to retry (3)."
    ),
    click.option("-m", "--model", metavar="NAME", help="The model that codes (sonnet)."),
    click.option("--plan-model", metavar="NAME", help="The model that plans (opus)."),
    click.option(
        "--thinking",
        type=int,
        is_flag=False,
        flag_value=DEFAULT_THINKING,
        metavar="[TOKENS]",
        help=f"Extended thinking; {DEFAULT_THINKING} tokens if no number is given.",
    ),
    click.option("--max-cost", type=float, metavar="USD", help="Dollars the run may cost (20)."),
    click.option("--max-minutes", type=float, metavar="N", help="Minutes the run may take (480)."),
    click.option(
        "--wait-for-quota/--no-wait-for-quota",
        default=None,
        help="Sleep until the provider's quota is back, instead of ending with exit code 6.",
    ),
    click.option(
        "--land",
        type=click.Choice(get_args(LandingMode)),
        help="What happens to finished work: into your checkout, ask first, leave the branch, or"
        " pull_request.",
    ),
    click.option(
        "--pr",
        "land",
        flag_value="pull_request",
        help="Push the branch and open a pull request: --land pull_request.",
    ),
    click.option(
        "--approve-plan/--no-approve-plan",
        default=None,
        help="Ask about the plan before it is carried out.",
    ),
    click.option(
        "--no-sandbox", is_flag=True, help="Run the agent unconfined. Every summary says so."
    ),
    click.option(
        "-D",
        "--allow-destructive",
        is_flag=True,
        help="Let the agent use rm and mv inside the project.",
    ),
    click.option(
        "--detach", is_flag=True, help="Leave the run to a worker in the background and return."
    ),
)

_OUTPUT_OPTIONS = (
    click.option("--json", is_flag=True, help="Print the event log as JSON lines on stdout."),
    click.option("-q", "--quiet", is_flag=True, help="Only warnings and the summary."),
    click.option("-v", "--verbose", is_flag=True, help="Also what tools answered."),
    click.option("-d", "--debug", is_flag=True, help="Also instructions, thinking and usage."),
)
