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
from treadle.workspace.included_files import place_files, remove_files
from treadle.workspace.output_files import mark_files, read_written_files

FOLDER = "proving"
# A command with no time at all could not show a result.
MIN_SECONDS = 1.0
# Characters of the output that a result contains; the log has all of it.
MAX_OUTPUT = 8000
# Variables that differ between terminals and do not affect results.
VOLATILE_VARIABLES = frozenset({"TERM", "SHELL", "USER", "LOGNAME", "TMPDIR"})


def check_runner(context: RunContext, timer: RunTimer) -> CheckRunner:
    """The runner of an active run. Needs a running event loop."""
    directory = context.checked.directory
    tree, logs = CleanCheckout(directory / FOLDER), EvidenceLogs(directory)
    return SandboxedRunner(command_bounds(context), tree, logs, time_left=timer.time_left)


@dataclass(slots=True)
class SandboxedRunner:
    """The `CheckRunner` port. Runs one check at a time, each with its own checkout and home, so
    that no check sees files of another."""

    bounds: CommandBounds
    tree: CleanCheckout
    logs: EvidenceLogs
    time_left: Callable[[], float] = lambda: inf
    _failures: dict[str, int] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def run(self, check: CheckCommand) -> CommandResult | CommandStopped:
        async with self._lock:
            if self.bounds.stop.is_set():
                return CommandStopped()
            try:
                result = await unless_stopped(self._run_on_checkout(check), self.bounds.stop)
            finally:
                await asyncio.to_thread(self.tree.clear)
        return result or CommandStopped()

    async def _run_on_checkout(self, check: CheckCommand) -> CommandResult:
        project = self.bounds.checked.project
        tree = await find_tree(project, check.commit)
        if tree is None:
            raise ProjectError(
                f"{project.root} has no commit {check.commit}",
                hint="fetch it from where it was made, for example with `git fetch --all`",
            )
        setup_note = await self._prepare_tree(check.commit, tree)
        check = replace(check, seconds=min(check.seconds, self.time_left()))
        before = await asyncio.to_thread(mark_files, self.tree.work, check.collect)
        started = monotonic()
        result = await self._run(check)
        duration = monotonic() - started
        # Paths become relative, because readers have the files elsewhere.
        prefix = f"{self.tree.work}/"
        raw_output = (setup_note + output_text(result, check.seconds)).replace(prefix, "")
        text = await asyncio.to_thread(self.bounds.clean, raw_output)
        evidence = Evidence(
            command=check.command,
            when=check.when,
            commit=check.commit,
            tree=tree,
            exit_code=result.exit_code,
            duration_s=round(duration, 3),
            fingerprint=fingerprint_of(self.bounds, check),
            log=await asyncio.to_thread(self.logs.keep, text),
        )
        files = await asyncio.to_thread(
            read_written_files, self.tree.work, check.collect, before=before
        )
        files = {name: content.replace(prefix.encode(), b"") for name, content in files.items()}
        return CommandResult(evidence, text[-MAX_OUTPUT:], files, text)

    async def _run(self, check: CheckCommand) -> ProcessResult:
        checked = self.bounds.checked
        command = ProjectCommand(
            check.command,
            self._confinement(),
            seconds=check.seconds,
            variables=check.variables,
            capture="whole",
        )
        hosts = parse_entries(checked.settings.sandbox.hosts)
        network = network_for(checked.settings.sandbox.network)
        with sandbox_network(checked, network, hosts, self.bounds.record) as access:
            return await run_project_command(self.bounds, command, access)

    async def _prepare_tree(self, commit: str, tree: str) -> str:
        """Check out the commit and set it up; a note for the output if the setup failed."""
        project, command = (
            self.bounds.checked.project,
            self.bounds.checked.settings.project.setup,
        )
        if not command.strip():
            await self.tree.prepare(project, commit)
            await self._place_included()
            return ""
        base = await self._base(commit, setup_key(tree, command.strip()))
        await self.tree.prepare(project, commit, base)
        await self._place_included()
        return self.tree.note_of(base)

    async def _base(self, commit: str, key: str) -> SetupBase:
        """The base for this key; a failed setup is tried again, up to `MAX_TRIES`."""
        base = self.tree.base_for(key)
        failures = self._failures.get(key, 0)
        if base is not None and (not self.tree.note_of(base) or failures >= MAX_TRIES):
            return base
        checked = self.bounds.checked
        await self.tree.prepare(checked.project, commit)
        await self._place_included()
        command = checked.settings.project.setup.strip()
        finished = await Setup(self.bounds, self._confinement(), command).finish()
        note = ""
        if finished.exit_code != 0:
            self._failures[key] = failures + 1
            end = f"(setting up failed with exit code {finished.exit_code})"
            note = f"{finished.output.rstrip()}\n{end}\n\n"
        # Each checkout gets its own copy.
        await asyncio.to_thread(remove_files, self.tree.work, checked.included.names)
        return await asyncio.to_thread(self.tree.keep_base, key, note)

    async def _place_included(self) -> None:
        included = self.bounds.checked.included
        await asyncio.to_thread(place_files, included.sources(included.names), self.tree.work)

    def _confinement(self) -> Confinement:
        """Without protected paths, because the checkout is deleted afterwards."""
        checked = self.bounds.checked
        confined = confinement(checked, workspace=self.tree.work, home=self.tree.home)
        objects = object_directories(checked.project.git_dir)
        return replace(confined, protected=(), readable=(*confined.readable, *objects))


def setup_key(tree: str, command: str) -> str:
    """The key of a setup on a tree. Any file may affect the setup, so no other tree shares it."""
    return hashlib.sha256(f"{tree}\0{command}".encode()).hexdigest()


def network_for(network: Network) -> Network:
    """The network of checks: that of the agent, but without the model."""
    return "none" if network == "gateway" else network


def output_text(result: ProcessResult, seconds: float) -> str:
    """The output of a command, with a note if it was ended by its time limit."""
    if result.exit_code is not None:
        return result.output
    return f"{result.output.rstrip()}\n(it had not ended after {seconds:g} s, and was ended)\n"


def fingerprint_of(bounds: CommandBounds, check: CheckCommand) -> str:
    """A hash of the environment of a command, as far as it is cheap to read."""
    checked = bounds.checked
    variables = command_variables(checked, check.variables)
    included = checked.included.names
    parts = {
        **({"included": included} if included else {}),
        "sandbox": "unsandboxed" if bounds.sandbox is None else bounds.sandbox.name,
        "system": platform.platform(),
        "setup": checked.settings.project.setup.strip(),
        "network": network_for(checked.settings.sandbox.network),
        # Without secrets, because the hash of a short one reveals it.
        "variables": {
            name: bounds.clean(value)
            for name, value in sorted(variables.items())
            if name not in VOLATILE_VARIABLES
        },
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
