"""Finds what tools obey by themselves among the changes of some work, in the user's repository."""

from collections.abc import Callable
from dataclasses import dataclass

from treadle.domain.events.work import ToolFile
from treadle.policy.tool_files import ChangeFacts, ToolFileSettings, find_tool_files
from treadle.workspace.changed_links import changed_links
from treadle.workspace.diffs import changed_files
from treadle.workspace.embedded_repositories import embedded_repositories
from treadle.workspace.project import Project
from treadle.workspace.start_sources import find_started_files
from treadle.workspace.uncovered_files import find_uncovering


@dataclass(frozen=True, slots=True)
class LandingRules:
    """What the user has decided about such files, which folders git ignores, and the commands of
    the user's settings that Treadle runs at each tool use."""

    settings: ToolFileSettings
    is_ignored_folder: Callable[[str], bool]
    hooks: tuple[str, ...] = ()


async def find_changed_tool_files(
    project: Project, before: str, after: str, rules: LandingRules
) -> tuple[ToolFile, ...]:
    """The files between two commits that tools obey by themselves, what needs a question first."""
    changes = await changed_files(project.git, before, after)
    paths = [change.path for change in changes]
    if not paths:
        return ()
    facts = ChangeFacts(
        links=await changed_links(project.git, before, after),
        is_ignored_folder=rules.is_ignored_folder,
        repositories=await embedded_repositories(project.git, after, paths),
        started=await find_started_files(project, before, paths, rules.hooks),
        uncovering=await find_uncovering(project, before, after, paths),
    )
    return find_tool_files(changes, rules.settings, facts)
