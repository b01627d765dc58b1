"""Runs checks and tests on clean checkouts in the sandbox, and keeps the evidence."""

import asyncio
import hashlib
import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic
from typing import Protocol

from treadle.domain.check import Evidence
from treadle.domain.errors import ProjectError
from treadle.domain.events.work import SetupFinished
from treadle.domain.pin_plan import PinPlan
from treadle.domain.sandbox import Confinement, Network, Sandbox
from treadle.policy.redaction import Redactor
from treadle.session.stop_signal import unless_stopped
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.workflows.loop.workspace_setup import MAX_TRIES, SetupRuns
from treadle.workspace.access_times import AccessMark, keeps_access_times, mark_unread, read_files
from treadle.workspace.clean_checkout import CleanCheckout, SetupBase
from treadle.workspace.output_files import mark_files, read_written_files
from treadle.workspace.pinned_tree import find_tree
from treadle.workspace.project import Project
from treadle.workspace.project_programs import has_program
from treadle.workspace.setup_key import SetupNotYet, setup_key

# Characters of the output that a result contains; the log has all of it.
MAX_OUTPUT = 8000
# Variables that differ between terminals and do not affect results.
VOLATILE_VARIABLES = frozenset({"TERM", "SHELL", "USER", "LOGNAME", "TMPDIR"})


class CommandOutput(Protocol):
    """How a command ended; the exit code is None if it ran out of time."""

    @property
    def exit_code(self) -> int | None: ...

    @property
    def output(self) -> str: ...


class CheckCommands(Protocol):
    """Runs the command of a check, and nothing before or after it."""

    async def run(self, check: CheckCommand, confinement: Confinement) -> CommandOutput:
        """Run to the end, in the workspace of the confinement; a failing sandbox raises."""
        ...


class CheckLogs(Protocol):
    """Stores logs of commands."""

    def keep(self, text: str) -> str:
        """Store the text; returns its name."""
        ...


@dataclass(frozen=True, slots=True)
class CheckBounds:
    """What applies to all checks of a run."""

    project: Project
    # The setup command; empty: the project has none.
    setup: str
    network: Network
    # None: a person switched it off.
    sandbox: Sandbox | None
    variables: Mapping[str, str] = field(repr=False)
    stop: asyncio.Event
    clean: Redactor
    # The user's own commit, whose setup may reach more than that of a changed tree. Empty: none.
    own_commit: str = ""


@dataclass(frozen=True, slots=True)
class _Target:
    """What is checked out."""

    commit: str
    pins: PinPlan | None = None


@dataclass(slots=True)
class SandboxedCheckRunner:
    """The `CheckRunner` port. Runs one check at a time, each with its own checkout and home, so
    that no check sees files of another."""

    bounds: CheckBounds
    confine: Callable[[CleanCheckout], Confinement]
    commands: CheckCommands
    setup_runs: SetupRuns
    tree: CleanCheckout
    logs: CheckLogs
    record_setup: Callable[[SetupFinished], None] = lambda finished: None
    time_left: Callable[[], float] = lambda: inf
    _failures: dict[str, int] = field(default_factory=dict)
    _trees: dict[str, str] = field(default_factory=dict)
    _own_key: str | SetupNotYet | None = None
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
        await self._require_commits(check)
        target = _Target(check.commit, check.pins)
        tree, setup_note = await self._prepare_tree(target)
        check = replace(check, seconds=min(check.seconds, self.time_left()))
        marks = await asyncio.to_thread(self._mark_watched, check.watched)
        # Afterwards, because marks of access change files as far as marks of output can tell.
        before = await asyncio.to_thread(mark_files, self.tree.work, check.collect)
        has_own_program = await self._has_program(check)
        started = monotonic()
        result = await self._run(check)
        duration = monotonic() - started
        # Before Treadle itself reads any of them.
        accessed = None if marks is None else read_files(self.tree.work, marks)
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
            fingerprint=fingerprint_of(self.bounds, check, self.tree.included.names),
            log=await asyncio.to_thread(self.logs.keep, text),
            judges_of=check.pins.base if check.pins else "",
        )
        files = await asyncio.to_thread(
            read_written_files, self.tree.work, check.collect, before=before
        )
        files = {name: content.replace(prefix.encode(), b"") for name, content in files.items()}
        setup_failure = setup_note.strip().rpartition("\n")[2].strip("()")
        return CommandResult(
            evidence,
            text[-MAX_OUTPUT:],
            files,
            text,
            setup_failure,
            read_files=accessed,
            # The command may have built it.
            program_present=has_own_program or await self._has_program(check),
        )

    async def _require_commits(self, check: CheckCommand) -> None:
        """Raise ProjectError if the repository lacks what the tree is made of."""
        project = self.bounds.project
        for commit in (check.commit, *((check.pins.base,) if check.pins else ())):
            if await self._tree_of(commit) is None:
                raise ProjectError(
                    f"{project.root} has no commit {commit}",
                    hint="fetch it from where it was made, for example with `git fetch --all`",
                )

    def _mark_watched(self, watched: Sequence[str]) -> dict[str, AccessMark] | None:
        """Marks of the watched files; None if this file system does not tell what is read."""
        if not watched:
            return {}
        known = keeps_access_times(self.tree.directory)
        return mark_unread(self.tree.work, watched) if known else None

    async def _has_program(self, check: CheckCommand) -> bool:
        program = check.find_program
        return bool(program) and await asyncio.to_thread(has_program, self.tree.work, program)

    async def _run(self, check: CheckCommand) -> CommandOutput:
        return await self.commands.run(check, self.confine(self.tree))

    async def _prepare_tree(self, target: _Target) -> tuple[str, str]:
        """Check the target out and set it up; the name of the tree, and a note for the output if
        the setup failed."""
        project, key = self.bounds.project, await self._setup_key(target)
        if isinstance(key, SetupNotYet):
            return await self.tree.prepare(project, target.commit, pins=target.pins), ""
        base = await self._base(target, key)
        tree = await self.tree.prepare(project, target.commit, base, target.pins)
        return tree, self.tree.note_of(base)

    async def try_setup(self, commit: str) -> SetupFinished | SetupNotYet:
        """Set a clean checkout of the commit up; the next check on it uses the result."""
        target = _Target(commit)
        key = await self._setup_key(target)
        return key if isinstance(key, SetupNotYet) else (await self._set_up(target, key))[0]

    async def _setup_key(self, target: _Target) -> str | SetupNotYet:
        project, command = self.bounds.project, self.bounds.setup
        if not command:
            return SetupNotYet(())
        included = self.tree.included.names
        return await setup_key(project, target.commit, command, included, target.pins)

    async def _base(self, target: _Target, key: str) -> SetupBase:
        """The base for this key; a failed setup is tried again, up to `MAX_TRIES`."""
        base, own_commit = self.tree.base_for(key), self.bounds.own_commit
        if key == await self._own_setup_key():
            # What an agent changed has no effect on this setup, so it is run on the user's tree.
            target = _Target(own_commit)
            base = base if await self._is_made_on(base, own_commit) else None
        elif target.pins is not None and not await self._is_made_on(base, target.pins.base):
            key = f"{key}-pinned"
            base = self.tree.base_for(key)
        is_final = self._failures.get(key, 0) >= MAX_TRIES
        if base is not None and (is_final or not self.tree.note_of(base)):
            return base
        return (await self._set_up(target, key))[1]

    async def _own_setup_key(self) -> str | SetupNotYet:
        commit = self.bounds.own_commit
        if self._own_key is None:
            # A clone on another machine may lack the commit.
            is_there = commit and await self._tree_of(commit) is not None
            self._own_key = await self._setup_key(_Target(commit)) if is_there else SetupNotYet(())
        return self._own_key

    async def _is_made_on(self, base: SetupBase | None, commit: str) -> bool:
        """Whether the setup was run on this commit. One that was run on the work may have used
        files that the pinned tree leaves out, such as a `pip.py`."""
        return base is not None and self.tree.tree_of(base) == await self._tree_of(commit)

    async def _tree_of(self, commit: str) -> str | None:
        """The tree of a commit, which git is asked for once; None if the repository lacks it."""
        if commit not in self._trees and (tree := await find_tree(self.bounds.project, commit)):
            self._trees[commit] = tree
        return self._trees.get(commit)

    async def _set_up(self, target: _Target, key: str) -> tuple[SetupFinished, SetupBase]:
        """Run the setup on a clean checkout, and keep that as the base for this key."""
        project = self.bounds.project
        tree = await self.tree.prepare(project, target.commit, pins=target.pins)
        own_commit, runs = self.bounds.own_commit, self.setup_runs
        is_own = own_commit and tree == await self._tree_of(own_commit)
        run = runs.on_own_tree if is_own else runs.on_changed_tree
        finished = await run(self.confine(self.tree))
        finished = replace(finished, commit=target.commit, tree=tree)
        self.record_setup(finished)
        note = ""
        if finished.exit_code != 0:
            self._failures[key] = self._failures.get(key, 0) + 1
            end = f"(setup failed with exit code {finished.exit_code})"
            # The reasons of refusals, which tools do not always print.
            untold = [line for line in finished.cause if line not in finished.output]
            note = "\n".join((finished.output.rstrip(), *untold, f"{end}\n\n"))
        return finished, await asyncio.to_thread(self.tree.keep_base, key, note, tree)


def output_text(result: CommandOutput, seconds: float) -> str:
    """The output of a command, with a note if it was ended by its time limit."""
    if result.exit_code is not None:
        return result.output
    return f"{result.output.rstrip()}\n(it had not ended after {seconds:g} s, and was ended)\n"


def fingerprint_of(bounds: CheckBounds, check: CheckCommand, included: Sequence[str] = ()) -> str:
    """A hash of the environment of a command, as far as it is cheap to read."""
    variables = {**bounds.variables, **check.variables}
    parts = {
        # Absent without such files, so that evidence of earlier versions agrees.
        **({"included": list(included)} if included else {}),
        "sandbox": "unsandboxed" if bounds.sandbox is None else bounds.sandbox.name,
        "system": platform.platform(),
        "setup": bounds.setup,
        "network": bounds.network,
        # Without secrets, because the hash of a short one reveals it.
        "variables": {
            name: bounds.clean(value)
            for name, value in sorted(variables.items())
            if name not in VOLATILE_VARIABLES
        },
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
