"""Runs checks and tests on clean checkouts in the sandbox, and keeps the evidence."""

import asyncio
import hashlib
import json
import platform
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic

from treadle.adapters.sandboxes.command_runner import ProcessResult
from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.domain.check import Evidence
from treadle.domain.errors import ProjectError
from treadle.domain.sandbox import Confinement, Network
from treadle.gateway.allowed_hosts import parse_entries
from treadle.session.stop_signal import unless_stopped
from treadle.verify.check_runner import (
    CheckCommand,
    CheckRunner,
    CommandResult,
    CommandStopped,
)
from treadle.wiring.project_commands import (
    CommandBounds,
    ProjectCommand,
    command_bounds,
    command_variables,
    run_project_command,
)
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandbox_network import sandbox_network
from treadle.wiring.sandboxed_agent import confinement
from treadle.wiring.setup import MAX_TRIES, Setup
from treadle.workflows.loop.run_timer import RunTimer
from treadle.workspace.alternates import object_directories
from treadle.workspace.clean_checkout import CleanCheckout, SetupBase, find_tree
from treadle.workspace.output_files import mark_files, read_written_files

FOLDER = "proving"
# What a command gets at the least: nothing at all would show nothing.
MIN_SECONDS = 1.0
# What is given back of a log, besides that it is kept.
MAX_OUTPUT = 8000
# Variables that differ from terminal to terminal and say nothing about what a command finds.
VOLATILE_VARIABLES = frozenset({"TERM", "SHELL", "USER", "LOGNAME", "TMPDIR"})


def check_runner(context: RunContext, timer: RunTimer) -> CheckRunner:
    """The runner of a run that is executed. Ask for it where an event loop runs."""
    directory = context.checked.directory
    tree, logs = CleanCheckout(directory / FOLDER), EvidenceLogs(directory)
    return SandboxedRunner(command_bounds(context), tree, logs, time_left=timer.time_left)


@dataclass(slots=True)
class SandboxedRunner:
    """The `ProvingGround` port. One trial at a time, each on a checkout and in a home of its own:
    none sees what another wrote, not even one on the same commit."""

    bounds: CommandBounds
    tree: CleanCheckout
    logs: EvidenceLogs
    time_left: Callable[[], float] = lambda: inf
    _failures: dict[str, int] = field(default_factory=dict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, trial: CheckCommand) -> CommandResult | CommandStopped:
        async with self._turn:
            if self.bounds.stop.is_set():
                return CommandStopped()
            try:
                shown = await unless_stopped(self._show(trial), self.bounds.stop)
            finally:
                await asyncio.to_thread(self.tree.clear)
        return shown or CommandStopped()

    async def _show(self, trial: CheckCommand) -> CommandResult:
        project = self.bounds.checked.project
        tree = await find_tree(project, trial.commit)
        if tree is None:
            raise ProjectError(
                f"{project.root} has no commit {trial.commit}",
                hint="fetch it from where it was made, for example with `git fetch --all`",
            )
        setup = await self._lay_out(trial.commit, tree)
        trial = replace(trial, seconds=min(trial.seconds, self.time_left()))
        before = await asyncio.to_thread(mark_files, self.tree.work, trial.collect)
        began = monotonic()
        ran = await self._run(trial)
        duration = monotonic() - began
        # Whoever reads it has the files elsewhere.
        top = f"{self.tree.work}/"
        said = (setup + output_text(ran, trial.seconds)).replace(top, "")
        text = await asyncio.to_thread(self.bounds.clean, said)
        evidence = Evidence(
            command=trial.command,
            when=trial.when,
            commit=trial.commit,
            tree=tree,
            exit_code=ran.exit_code,
            duration_s=round(duration, 3),
            fingerprint=fingerprint_of(self.bounds, trial),
            log=await asyncio.to_thread(self.logs.keep, text),
        )
        files = await asyncio.to_thread(
            read_written_files, self.tree.work, trial.collect, before=before
        )
        files = {name: content.replace(top.encode(), b"") for name, content in files.items()}
        return CommandResult(evidence, text[-MAX_OUTPUT:], files, text)

    async def _run(self, trial: CheckCommand) -> ProcessResult:
        checked = self.bounds.checked
        own = ProjectCommand(
            trial.command,
            self._within(),
            seconds=trial.seconds,
            variables=trial.variables,
            capture="whole",
        )
        hosts = parse_entries(checked.settings.sandbox.hosts)
        network = network_for(checked.settings.sandbox.network)
        with sandbox_network(checked, network, hosts, self.bounds.record) as out:
            return await run_project_command(self.bounds, own, out)

    async def _lay_out(self, commit: str, tree: str) -> str:
        """The files of the commit, set up; what to say first about that, if it failed."""
        project, command = self.bounds.checked.project, self.bounds.checked.settings.project.setup
        if not command.strip():
            await self.tree.prepare(project, commit)
            return ""
        base = await self._base(commit, setup_key(tree, command.strip()))
        await self.tree.prepare(project, commit, base)
        return self.tree.note_of(base)

    async def _base(self, commit: str, wanted: str) -> SetupBase:
        """What was set up for this; a setup that failed is tried again, but not for ever."""
        base = self.tree.base_for(wanted)
        tried = self._failures.get(wanted, 0)
        if base is not None and (not self.tree.note_of(base) or tried >= MAX_TRIES):
            return base
        checked = self.bounds.checked
        await self.tree.prepare(checked.project, commit)
        command = checked.settings.project.setup.strip()
        finished = await Setup(self.bounds, self._within(), command).finish()
        note = ""
        if finished.exit_code != 0:
            self._failures[wanted] = tried + 1
            end = f"(setting up failed with exit code {finished.exit_code})"
            note = f"{finished.output.rstrip()}\n{end}\n\n"
        return await asyncio.to_thread(self.tree.keep_base, wanted, note)

    def _within(self) -> Confinement:
        """Nothing in there is protected: it is all thrown away."""
        checked = self.bounds.checked
        given = confinement(checked, workspace=self.tree.work, home=self.tree.home)
        objects = object_directories(checked.project.git_dir)
        return replace(given, protected=(), readable=(*given.readable, *objects))


def setup_key(tree: str, command: str) -> str:
    """A name for what a command sets up on a tree, and on no other: any file can be one that it
    builds from or runs, and what it left of an earlier tree would stand in for this one's."""
    return hashlib.sha256(f"{tree}\0{command}".encode()).hexdigest()


def network_for(wanted: Network) -> Network:
    """A command of ours has no use for the model; what a person opened is open for it, too."""
    return "none" if wanted == "gateway" else wanted


def output_text(ran: ProcessResult, seconds: float) -> str:
    """What a command said; that its time was over, if it was."""
    if ran.exit_code is not None:
        return ran.output
    return f"{ran.output.rstrip()}\n(it had not ended after {seconds:g} s, and was ended)\n"


def fingerprint_of(bounds: CommandBounds, trial: CheckCommand) -> str:
    """The same wherever a command finds the same around it, as far as that is cheap to tell."""
    checked = bounds.checked
    variables = command_variables(checked, trial.variables)
    parts = {
        "sandbox": "unsandboxed" if bounds.sandbox is None else bounds.sandbox.name,
        "system": platform.platform(),
        "setup": checked.settings.project.setup.strip(),
        "network": network_for(checked.settings.sandbox.network),
        # Without secrets: of a short one, a hash would be as good as the value.
        "variables": {
            name: bounds.clean(value)
            for name, value in sorted(variables.items())
            if name not in VOLATILE_VARIABLES
        },
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
