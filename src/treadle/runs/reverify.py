"""Runs the checks of a finished run again and compares the evidence."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.check import Evidence
from treadle.domain.errors import ProjectError
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.ids import short_id
from treadle.domain.run_request import RunRequest
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from, stored_path
from treadle.runs.find import open_logs
from treadle.runs.request import checked_commands
from treadle.runs.request_json import read_request
from treadle.runs.sandbox_probe import probe_sandbox
from treadle.runs.temporary_runner import temporary_runner
from treadle.runs.trust import load_trusted
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.verify.checks.evidence_diff import (
    CurrentEvidence,
    EvidenceDiff,
    RecordedEvidence,
    compare_evidence,
    find_once_verified,
    needs_second_try,
    read_evidence,
)
from treadle.verify.pins.judge_pins import JudgePins
from treadle.verify.reports.report_request import request_reports
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.workflows.loop.pinned_judges import PinnedJudges
from treadle.workflows.loop.run_history import RunHistory, read_history
from treadle.workflows.loop.sandboxed_check_runner import SandboxedCheckRunner
from treadle.workspace.object_integrity import find_damaged_object
from treadle.workspace.pinned_tree import find_tree
from treadle.workspace.project import Project, find_project
from treadle.workspace.project_root import SETTINGS_FILE

UNSANDBOXED = "unsandboxed: code of the run can do anything that you can do on this machine"

Report = Callable[[str], None]
# The pins for a command, the commit with the judges, and the commit of the work.


@dataclass(frozen=True, slots=True)
class ReverifyTarget:
    """Where checks run again: any clone that has the commits."""

    directory: Path
    environment: Environment
    unconfined: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings to show before anything runs."""
        return (UNSANDBOXED,) if self.unconfined or self.environment.no_sandbox else ()


async def verify_run(
    row: RunRow,
    target: ReverifyTarget,
    report: Report,
    make_judges: Callable[[CheckedRequest], JudgePins] = lambda checked: PinnedJudges(
        checked.project.git, checked.settings.project.setup
    ),
) -> list[EvidenceDiff]:
    """Compare each piece of evidence of the run; `report` gets the title of each first."""
    with open_logs(target.environment.storage) as store:
        log = list(store.read(row.id))
    history = read_history(log)
    evidence = _recorded_evidence(row, log, history)
    own_commit = history.prepared.snapshot if history.prepared else ""
    checked = await _check_target(row, target)
    logs = EvidenceLogs(run_directory(target.environment.root, row.id))
    compared = []
    with temporary_runner(checked, own_commit=own_commit) as runner:
        await probe_sandbox(runner.bounds.sandbox)
        reverification = _Reverification(runner, logs, checked.settings, make_judges(checked))
        for recorded in evidence:
            report(recorded.title)
            current = await reverification.current_evidence(recorded)
            compared.append(compare_evidence(recorded, current, origin=row.project_path))
    return compared


def _recorded_evidence(
    row: RunRow, log: Sequence[RecordedEvent], history: RunHistory
) -> tuple[RecordedEvidence, ...]:
    passed = {each.id for each in history.deliverables if each.status == "passed"}
    evidence = read_evidence((recorded.event for recorded in log), passed)
    if not evidence:
        if lost := find_once_verified(recorded.event for recorded in log):
            raise ProjectError(
                f"run {short_id(row.id)} has no evidence left: its passes were set back"
                f" ({', '.join(lost)})",
                hint=f"see why with `treadle show {short_id(row.id)}`",
            )
        raise ProjectError(
            f"run {short_id(row.id)} has no evidence: none of its passes was checked",
            hint="give criteria a check with `treadle check add`, or set project.test",
        )
    return evidence


async def _check_target(row: RunRow, target: ReverifyTarget) -> CheckedRequest:
    """The run's request with its options, for this clone and this machine's settings."""
    environment = target.environment
    project = await find_project(target.directory, environment.raw)
    request = _stored_request(row, environment, project)
    options = {name: value for name, value in request.flags.items() if value is not None}
    flags = {**request.variables, **options}
    settings = load_trusted(_settings_of(row, project), environment, flags).settings
    request = replace(request, no_sandbox=target.unconfined)
    host = RunHost(environment, asyncio.Semaphore(1))
    return await checked_commands(request, host, settings, project)


def _settings_of(row: RunRow, project: Project) -> Path:
    """This clone, or the run's own project if settings are not committed."""
    own_project = path_from(row.project_path)
    return (
        project.root
        if _has_settings(project.root) or not _has_settings(own_project)
        else own_project
    )


def _has_settings(directory: Path) -> bool:
    return (directory / SETTINGS_FILE).is_file()


def _stored_request(row: RunRow, environment: Environment, project: Project) -> RunRequest:
    try:
        return read_request(environment.root, row.id)
    except ProjectError:  # a run of another machine: only this clone's settings are known
        return RunRequest(row.id, stored_path(project.root), {}, no_sandbox=False, rehearsal=False)


@dataclass(frozen=True, slots=True)
class _Reverification:
    runner: SandboxedCheckRunner
    logs: EvidenceLogs
    settings: Settings
    judges: JudgePins
    # By commit; empty if it is intact.
    damages: dict[str, str] = field(default_factory=dict)

    async def current_evidence(self, recorded: RecordedEvidence) -> CurrentEvidence:
        """The evidence now. The command runs again only on the same tree."""
        current = await self._rerun(recorded)
        if recorded.before is None:
            return current
        log = await asyncio.to_thread(self.logs.check_integrity, recorded.before.log)
        return replace(current, log_before=log)

    async def _rerun(self, recorded: RecordedEvidence) -> CurrentEvidence:
        evidence, project = recorded.evidence, self.runner.bounds.project
        log = await asyncio.to_thread(self.logs.check_integrity, evidence.log)
        for commit in _commits(evidence):
            if await find_tree(project, commit) is None:
                base = commit if commit != evidence.commit else ""
                return CurrentEvidence(log, "", missing_base=base)
            if damage := await self._damage(project, commit):
                return CurrentEvidence(log, evidence.tree, damage=damage)
        command = await self._command(recorded)
        tree = await find_tree(project, evidence.commit, command.pins) or ""
        if tree != evidence.tree:
            return CurrentEvidence(log, tree)
        result = await self._run(command)
        if needs_second_try(recorded, result.evidence):
            second_result = await self._run(command)
            result = result if needs_second_try(recorded, second_result.evidence) else second_result
        return CurrentEvidence(log, tree, result.evidence, output=result.output)

    async def _run(self, command: CheckCommand) -> CommandResult:
        result = await self.runner.run(command)
        if isinstance(result, CommandStopped):
            raise AssertionError("nobody asks it to stop")
        return result

    async def _damage(self, project: Project, commit: str) -> str:
        if commit not in self.damages:
            damaged = await find_damaged_object(project, commit)
            name = damaged and (damaged.path or f"object {damaged.name[:12]}")
            damage = f"{name} in this repository is damaged: run `git fsck`" if name else ""
            self.damages[commit] = damage
        return self.damages[commit]

    async def _command(self, recorded: RecordedEvidence) -> CheckCommand:
        evidence, verify = recorded.evidence, self.settings.verify
        command, base = evidence.command, evidence.judges_of
        pins = await self.judges.plan(command, base, evidence.commit) if base else None
        if recorded.kind == "check":
            seconds = verify.check_minutes * 60
            return CheckCommand(command, evidence.commit, "verify", seconds, pins=pins)
        reports = request_reports(command, verify.reports, verify.coverage_reports)
        return CheckCommand(
            command,
            evidence.commit,
            "verify",
            verify.test_minutes * 60,
            variables=reports.variables,
            pins=pins,
        )


def _commits(evidence: Evidence) -> tuple[str, ...]:
    """The commits that the tree of the evidence is made of."""
    return (evidence.commit, *((evidence.judges_of,) if evidence.judges_of else ()))
