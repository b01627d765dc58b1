"""Judges the work of a finished, failed or killed run before `treadle land` lands it: what tools
run by themselves, how much it deletes, and how much it weakens the tests."""

from dataclasses import dataclass, replace

from treadle.adapters.stores.event_store import open_store
from treadle.domain.events.verification import EvidenceFileKind
from treadle.domain.events.work import ToolFile
from treadle.domain.run import DeletionLimits, WeakeningLimits
from treadle.domain.run_row import RunRow
from treadle.domain.stored_path import path_from
from treadle.policy.tool_files import ToolFileSettings
from treadle.runs.finished_work import FinishedWork, find_work
from treadle.runs.trust import not_trusted
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.settings.load import load_settings
from treadle.verify.commands.command_files import find_judges
from treadle.verify.judges.judge_files import find_touched_evidence
from treadle.wiring.protected_paths import tool_file_settings
from treadle.workflows.loop.recorded_changes import find_weakenings
from treadle.workspace.change_counts import count_changes
from treadle.workspace.changed_tool_files import LandingRules, find_changed_tool_files
from treadle.workspace.clone_git_dir import BUILD_PRODUCTS
from treadle.workspace.diffs import changed_files
from treadle.workspace.landing_decision import (
    why_ask_about_deletions,
    why_ask_about_tool_files,
    why_ask_about_weaker_tests,
)
from treadle.workspace.project import Project, find_project
from treadle.workspace.snapshot_ignore_rules import git_ignore_sources, read_rules

_TESTS: EvidenceFileKind = "tests"


@dataclass(frozen=True, slots=True)
class LandingReview:
    """The work that was judged, the files that tools obey by themselves, and why a person must
    allow it; no reason if nobody must."""

    work: FinishedWork
    tool_files: tuple[ToolFile, ...] = ()
    reasons: tuple[str, ...] = ()


async def review_run(row: RunRow, environment: Environment) -> LandingReview:
    """Judge the last import of a run from its commits; what its log says does not count."""
    store = open_store(environment.storage)
    try:
        work = find_work(store, row)
    finally:
        store.close()
    project = await find_project(path_from(row.project_path), environment.raw)
    head = await project.git.commit_of("HEAD")
    if head is not None and await project.git.is_ancestor(work.imported.commit, head):
        return LandingReview(work)  # it has landed before
    resolved = load_settings(project.root, environment=environment.raw)
    settings = resolved.settings
    # What the project's file lets through counts once it is trusted.
    is_trusted = not not_trusted(environment, project.root, resolved)
    files = tool_file_settings(settings) if is_trusted else ToolFileSettings()
    return await _review(project, work, settings, files)


async def _review(
    project: Project, work: FinishedWork, settings: Settings, files: ToolFileSettings
) -> LandingReview:
    git, before, after = project.git, work.prepared.snapshot, work.imported.commit
    sources = await git_ignore_sources(project, before)
    products = tuple(pattern.removesuffix("/") for pattern in BUILD_PRODUCTS)
    ignored = await read_rules(replace(sources, patterns=products))
    rules = LandingRules(files, ignored.covers_folder, settings.hooks.before_tool_use)
    tool_files = await find_changed_tool_files(project, before, after, rules)
    changes = await changed_files(git, before, after)
    kinds = dict.fromkeys(find_judges(settings.project.test, changes), _TESTS)
    touched = find_touched_evidence(changes, specification=settings.project.spec, named=kinds.get)
    deletions = DeletionLimits(settings.land_ask_deletions, settings.land_ask_deletions_percent)
    weakenings = WeakeningLimits(
        settings.land_ask_weaker_tests, settings.land_ask_weaker_tests_percent
    )
    reasons = (
        why_ask_about_tool_files(tool_files),
        why_ask_about_deletions(await count_changes(git, before, after), deletions),
        why_ask_about_weaker_tests(await find_weakenings(git, touched, before, after), weakenings),
    )
    return LandingReview(work, tool_files, tuple(filter(None, reasons)))
