"""Runs the checks of a finished run again and compares the evidence."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import ProjectError
from treadle.domain.ids import short_id
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunRow
from treadle.policy.redaction import make_redactor
from treadle.runs.credentials import run_secrets
from treadle.runs.find import open_logs
from treadle.runs.request_json import read_request
from treadle.runs.trust import load_trusted
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.verify.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.verify.evidence_diff import (
    CurrentEvidence,
    EvidenceDiff,
    RecordedEvidence,
    compare_evidence,
    find_once_verified,
    needs_second_try,
    read_evidence,
)
from treadle.verify.reports.report_request import request_reports
from treadle.wiring.check_runner import SandboxedRunner
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.wiring.project_commands import CommandBounds
from treadle.wiring.sandbox import choose_sandbox, find_sandbox_reach
from treadle.wiring.sandboxed_agent import prove
from treadle.wiring.search_path import without_project
from treadle.workflows.loop.run_history import read_history
from treadle.workspace.clean_checkout import CleanCheckout, find_tree
from treadle.workspace.disk import remove
from treadle.workspace.object_integrity import find_damaged_object
from treadle.workspace.project import Project, find_project
from treadle.workspace.project_root import SETTINGS_FILE
from treadle.workspace.temporary_folders import make_locked_folder, remove_abandoned

FOLDER, PREFIX = "verifying", "v-"
# Nothing is committed with it.
NOBODY = CommitIdentity("Treadle", "treadle@localhost")

UNSANDBOXED = "unsandboxed: what the run has written can do what you can do on this machine"

Report = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ReverifyTarget:
    """Where evidence is looked at again: any clone that has the commits will do."""

    directory: Path
    environment: Environment
    unconfined: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know before anything runs here."""
        return (UNSANDBOXED,) if self.unconfined or self.environment.no_sandbox else ()


async def verify_run(row: RunRow, place: ReverifyTarget, tell: Report) -> list[EvidenceDiff]:
    """Each piece of evidence that the run relies on; `tell` hears what is looked at next."""
    relied_on = _recalled(row, place.environment)
    ready = await _ready(row, place)
    logs = EvidenceLogs(run_directory(place.environment.root, row.id))
    compared = []
    with _ground(ready) as ground:
        await prove(ground.bounds.sandbox)
        looking = _Reverification(ground, logs, ready.settings)
        for recalled in relied_on:
            tell(recalled.title)
            found = await looking.at(recalled)
            compared.append(compare_evidence(recalled, found, origin=row.project_path))
    return compared


def _recalled(row: RunRow, environment: Environment) -> tuple[RecordedEvidence, ...]:
    with open_logs(environment.storage) as store:
        log = list(store.read(row.id))
    known = read_history(log)
    passed = {each.id for each in known.deliverables if each.status == "passed"}
    found = read_evidence((recorded.event for recorded in log), passed)
    if not found:
        if lost := find_once_verified(recorded.event for recorded in log):
            raise ProjectError(
                f"nothing of run {short_id(row.id)} stands: what a check had shown was set back"
                f" ({', '.join(lost)})",
                hint=f"see why with `treadle show {short_id(row.id)}`",
            )
        raise ProjectError(
            f"run {short_id(row.id)} left no evidence: nothing that passed was shown by a check",
            hint="give criteria a check with `treadle check add`, or set project.test",
        )
    return found


async def _ready(row: RunRow, place: ReverifyTarget) -> CheckedRequest:
    """As the run's own command line said, in this clone and with this machine's settings."""
    environment = place.environment
    project = await find_project(place.directory, environment.raw)
    asked = _asked(row, environment, project)
    said = {name: value for name, value in asked.flags.items() if value is not None}
    flags = {**asked.variables, **said}
    settings = load_trusted(_settings_of(row, project), environment, flags).settings
    reach = await find_sandbox_reach(
        settings.sandbox, settings.policy.profiles, environment, project.root
    )
    request = replace(asked, no_sandbox=place.unconfined)
    presence = RunHost(environment, asyncio.Semaphore(1))
    return CheckedRequest(request, presence, settings, project, NOBODY, "", reach)


def _settings_of(row: RunRow, project: Project) -> Path:
    """Where they are not committed, a clone has none: then those of the run's own project count."""
    own = Path(row.project_path)
    return project.root if _has_settings(project.root) or not _has_settings(own) else own


def _has_settings(directory: Path) -> bool:
    return (directory / SETTINGS_FILE).is_file()


def _asked(row: RunRow, environment: Environment, project: Project) -> RunRequest:
    try:
        return read_request(environment.root, row.id)
    except ProjectError:  # another machine's run: then this clone's own settings are all there is
        return RunRequest(row.id, str(project.root), {}, no_sandbox=False, rehearsal=False)


@contextmanager
def _ground(ready: CheckedRequest) -> Iterator[SandboxedRunner]:
    """A proving ground of its own, apart from that of the run, and gone afterwards."""
    above = ready.environment.root / FOLDER
    above.mkdir(parents=True, exist_ok=True, mode=0o700)
    remove_abandoned(above, PREFIX)
    directory, lock = make_locked_folder(above, PREFIX)
    try:
        on_host = without_project(ready.environment, ready.project.root)
        sandbox = choose_sandbox(on_host, reports=directory, wanted=True)
        bounds = CommandBounds(
            ready,
            None if ready.unconfined else sandbox,
            asyncio.Event(),
            make_redactor(run_secrets(ready)),
            lambda host, port, allowed: None,
            # Not the run's: somebody may go on with that meanwhile.
            mark=directory.name,
        )
        yield SandboxedRunner(bounds, CleanCheckout(directory / "proving"), EvidenceLogs(directory))
    finally:
        remove(directory)
        os.close(lock)


@dataclass(frozen=True, slots=True)
class _Reverification:
    ground: SandboxedRunner
    logs: EvidenceLogs
    settings: Settings
    # By commit; empty: sound.
    damages: dict[str, str] = field(default_factory=dict)

    async def at(self, recalled: RecordedEvidence) -> CurrentEvidence:
        """Its command is run again only on the very tree that it ran on."""
        found = await self._found(recalled)
        if recalled.before is None:
            return found
        log = await asyncio.to_thread(self.logs.check_integrity, recalled.before.log)
        return replace(found, log_before=log)

    async def _found(self, recalled: RecordedEvidence) -> CurrentEvidence:
        then, project = recalled.evidence, self.ground.bounds.checked.project
        log = await asyncio.to_thread(self.logs.check_integrity, then.log)
        tree = await find_tree(project, then.commit)
        if tree != then.tree:
            return CurrentEvidence(log, tree or "")
        if damage := await self._damage(project, then.commit):
            return CurrentEvidence(log, tree, damage=damage)
        shown = await self._shown(recalled)
        if needs_second_try(recalled, shown.evidence):
            again = await self._shown(recalled)
            shown = shown if needs_second_try(recalled, again.evidence) else again
        return CurrentEvidence(log, tree, shown.evidence, output=shown.output)

    async def _shown(self, recalled: RecordedEvidence) -> CommandResult:
        shown = await self.ground.run(self._trial(recalled))
        if isinstance(shown, CommandStopped):
            raise AssertionError("nobody asks it to stop")
        return shown

    async def _damage(self, project: Project, commit: str) -> str:
        if commit not in self.damages:
            found = await find_damaged_object(project, commit)
            what = found and (found.path or f"object {found.name[:12]}")
            damage = f"{what} in this repository is damaged: run `git fsck`" if what else ""
            self.damages[commit] = damage
        return self.damages[commit]

    def _trial(self, recalled: RecordedEvidence) -> CheckCommand:
        then, verify = recalled.evidence, self.settings.verify
        if recalled.kind == "check":
            return CheckCommand(then.command, then.commit, "verify", verify.check_minutes * 60)
        asked = request_reports(then.command, verify.reports, verify.coverage_reports)
        return CheckCommand(
            then.command,
            then.commit,
            "verify",
            verify.test_minutes * 60,
            variables=asked.variables,
        )
