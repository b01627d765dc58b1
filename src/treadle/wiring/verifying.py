"""Looks at a run's evidence again: its logs, its commits, and its commands on fresh checkouts."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from treadle.adapters.stores.evidence import EvidenceLogs
from treadle.adapters.stores.runs import run_directory
from treadle.domain.agent import Identity
from treadle.domain.errors import ProjectError
from treadle.domain.ids import short
from treadle.domain.run_row import RunRow
from treadle.policy.redaction import redactor
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.verify.comparing import (
    Compared,
    Found,
    Recalled,
    compare,
    recall,
    set_back,
    worth_a_second_try,
)
from treadle.verify.proving_ground import NotShown, Shown, Trial
from treadle.verify.reports.asked_for import asked_for
from treadle.wiring.confining import prove
from treadle.wiring.equipment import secrets_of
from treadle.wiring.history import open_logs
from treadle.wiring.own_commands import Bounds
from treadle.wiring.proving import Ground
from treadle.wiring.request_json import kept_request
from treadle.wiring.run_request import Presence, Ready, RunRequest
from treadle.wiring.sandbox import choose_sandbox, find_surroundings
from treadle.wiring.search_path import without_project
from treadle.wiring.trust import load_trusted
from treadle.workflows.deliver.recollection import recollect
from treadle.workspace.disk import remove
from treadle.workspace.held_folder import make_held, sweep_unheld
from treadle.workspace.object_names import damage_of
from treadle.workspace.place import SETTINGS
from treadle.workspace.project import Project, find_project
from treadle.workspace.proving_tree import ProvingTree, tree_of

FOLDER, PREFIX = "verifying", "v-"
# Nothing is committed with it.
NOBODY = Identity("Treadle", "treadle@localhost")

UNSANDBOXED = "unsandboxed: what the run has written can do what you can do on this machine"

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Place:
    """Where evidence is looked at again: any clone that has the commits will do."""

    directory: Path
    environment: Environment
    unconfined: bool = False

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know before anything runs here."""
        return (UNSANDBOXED,) if self.unconfined or self.environment.no_sandbox else ()


async def verify_run(row: RunRow, place: Place, tell: Tell) -> list[Compared]:
    """Each piece of evidence that the run relies on; `tell` hears what is looked at next."""
    relied_on = _recalled(row, place.environment)
    ready = await _ready(row, place)
    logs = EvidenceLogs(run_directory(place.environment.root, row.id))
    compared = []
    with _ground(ready) as ground:
        await prove(ground.bounds.sandbox)
        looking = _Looking(ground, logs, ready.settings)
        for recalled in relied_on:
            tell(recalled.title)
            found = await looking.at(recalled)
            compared.append(compare(recalled, found, origin=row.project_path))
    return compared


def _recalled(row: RunRow, environment: Environment) -> tuple[Recalled, ...]:
    with open_logs(environment.storage) as store:
        log = list(store.read(row.id))
    known = recollect(log)
    passed = {each.id for each in known.deliverables if each.status == "passed"}
    found = recall((recorded.event for recorded in log), passed)
    if not found:
        if lost := set_back(recorded.event for recorded in log):
            raise ProjectError(
                f"nothing of run {short(row.id)} stands: what a check had shown was set back"
                f" ({', '.join(lost)})",
                hint=f"see why with `treadle show {short(row.id)}`",
            )
        raise ProjectError(
            f"run {short(row.id)} left no evidence: nothing that passed was shown by a check",
            hint="give criteria a check with `treadle check add`, or set project.test",
        )
    return found


async def _ready(row: RunRow, place: Place) -> Ready:
    """As the run's own command line said, in this clone and with this machine's settings."""
    environment = place.environment
    project = await find_project(place.directory, environment.raw)
    asked = _asked(row, environment, project)
    said = {name: value for name, value in asked.flags.items() if value is not None}
    flags = {**asked.variables, **said}
    settings = load_trusted(_settings_of(row, project), environment, flags).settings
    reach = await find_surroundings(
        settings.sandbox, settings.policy.profiles, environment, project.root
    )
    request = replace(asked, no_sandbox=place.unconfined)
    presence = Presence(environment, asyncio.Semaphore(1))
    return Ready(request, presence, settings, project, NOBODY, "", reach)


def _settings_of(row: RunRow, project: Project) -> Path:
    """Where they are not committed, a clone has none: then those of the run's own project count."""
    own = Path(row.project_path)
    return project.root if _has_settings(project.root) or not _has_settings(own) else own


def _has_settings(directory: Path) -> bool:
    return (directory / SETTINGS).is_file()


def _asked(row: RunRow, environment: Environment, project: Project) -> RunRequest:
    try:
        return kept_request(environment.root, row.id)
    except ProjectError:  # another machine's run: then this clone's own settings are all there is
        return RunRequest(row.id, str(project.root), {}, no_sandbox=False, rehearsal=False)


@contextmanager
def _ground(ready: Ready) -> Iterator[Ground]:
    """A proving ground of its own, apart from that of the run, and gone afterwards."""
    above = ready.environment.root / FOLDER
    above.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep_unheld(above, PREFIX)
    directory, lock = make_held(above, PREFIX)
    try:
        on_host = without_project(ready.environment, ready.project.root)
        sandbox = choose_sandbox(on_host, reports=directory, wanted=True)
        bounds = Bounds(
            ready,
            None if ready.unconfined else sandbox,
            asyncio.Event(),
            redactor(secrets_of(ready)),
            lambda host, port, allowed: None,
            # Not the run's: somebody may go on with that meanwhile.
            mark=directory.name,
        )
        yield Ground(bounds, ProvingTree(directory / "proving"), EvidenceLogs(directory))
    finally:
        remove(directory)
        os.close(lock)


@dataclass(frozen=True, slots=True)
class _Looking:
    ground: Ground
    logs: EvidenceLogs
    settings: Settings
    # By commit; empty: sound.
    damages: dict[str, str] = field(default_factory=dict)

    async def at(self, recalled: Recalled) -> Found:
        """Its command is run again only on the very tree that it ran on."""
        found = await self._found(recalled)
        if recalled.before is None:
            return found
        log = await asyncio.to_thread(self.logs.standing, recalled.before.log)
        return replace(found, log_before=log)

    async def _found(self, recalled: Recalled) -> Found:
        then, project = recalled.evidence, self.ground.bounds.ready.project
        log = await asyncio.to_thread(self.logs.standing, then.log)
        tree = await tree_of(project, then.commit)
        if tree != then.tree:
            return Found(log, tree or "")
        if damage := await self._damage(project, then.commit):
            return Found(log, tree, damage=damage)
        shown = await self._shown(recalled)
        if worth_a_second_try(recalled, shown.evidence):
            again = await self._shown(recalled)
            shown = shown if worth_a_second_try(recalled, again.evidence) else again
        return Found(log, tree, shown.evidence, output=shown.output)

    async def _shown(self, recalled: Recalled) -> Shown:
        shown = await self.ground.show(self._trial(recalled))
        if isinstance(shown, NotShown):
            raise AssertionError("nobody asks it to stop")
        return shown

    async def _damage(self, project: Project, commit: str) -> str:
        if commit not in self.damages:
            found = await damage_of(project, commit)
            what = found and (found.path or f"object {found.name[:12]}")
            damage = f"{what} in this repository is damaged: run `git fsck`" if what else ""
            self.damages[commit] = damage
        return self.damages[commit]

    def _trial(self, recalled: Recalled) -> Trial:
        then, verify = recalled.evidence, self.settings.verify
        if recalled.kind == "check":
            return Trial(then.command, then.commit, "verify", verify.check_minutes * 60)
        asked = asked_for(then.command, verify.reports, verify.coverage_reports)
        return Trial(
            then.command,
            then.commit,
            "verify",
            verify.test_minutes * 60,
            variables=asked.variables,
        )
