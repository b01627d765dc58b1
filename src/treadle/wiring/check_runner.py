"""Makes the runner of checks and tests from the settings."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

from treadle.adapters.project_commands.command import SandboxedCheckCommands
from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.domain.sandbox import Confinement, Network
from treadle.gateway.allowed_hosts import parse_entries
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.project_commands import ProjectCommandContext, command_bounds, command_context
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandbox_network import sandbox_network
from treadle.wiring.sandboxed_agent import confinement
from treadle.wiring.setup import setup_runs
from treadle.workflows.loop.run_timer import RunTimer
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.sandboxed_check_runner import CheckBounds, SandboxedCheckRunner
from treadle.workspace.alternates import lent_directories
from treadle.workspace.clean_checkout import CleanCheckout

CHECKOUT_FOLDER = "proving"


def run_check_runner(
    context: RunContext, workspace: RunWorkspace, timer: RunTimer
) -> SandboxedCheckRunner:
    """The runner of an active run. Needs a running event loop."""
    runner = check_runner(
        command_context(context),
        context.checked.directory,
        own_commit=workspace.snapshot,
        time_left=timer.time_left,
    )
    return replace(runner, record_setup=context.recorder.record)


def check_runner(
    context: ProjectCommandContext,
    directory: Path,
    *,
    own_commit: str = "",
    time_left: Callable[[], float] = lambda: inf,
) -> SandboxedCheckRunner:
    """A runner with its checkouts and logs in this directory; `own_commit` is the user's own work,
    without that of an agent."""
    checked = context.checked
    bounds, network = command_bounds(context), network_for(checked.settings.sandbox.network)
    return SandboxedCheckRunner(
        bounds=CheckBounds(
            project=checked.project,
            setup=checked.settings.project.setup.strip(),
            network=network,
            sandbox=context.sandbox,
            variables=bounds.variables,
            stop=context.stop,
            clean=context.clean,
            own_commit=own_commit,
        ),
        confine=lambda tree: checkout_confinement(checked, tree),
        commands=SandboxedCheckCommands(
            bounds,
            lambda: sandbox_network(
                checked,
                network,
                parse_entries(checked.settings.sandbox.hosts),
                context.record,
                checked.open_indexes,
            ),
        ),
        setup_runs=setup_runs(context),
        tree=CleanCheckout(directory / CHECKOUT_FOLDER, checked.included),
        logs=EvidenceLogs(directory),
        time_left=time_left,
    )


def checkout_confinement(checked: CheckedRequest, tree: CleanCheckout) -> Confinement:
    """Without protected paths, because the checkout is deleted afterwards."""
    confined = confinement(checked, workspace=tree.work, home=tree.home)
    objects = lent_directories(checked.project.git_dir, tree.directory.parent)
    return replace(confined, protected=(), readable=(*confined.readable, *objects))


def network_for(network: Network) -> Network:
    """The network of checks: that of the agent, but without the model."""
    return "none" if network == "gateway" else network
