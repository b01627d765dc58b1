"""A run's workspace over real repositories, and what its rounds import."""

from dataclasses import dataclass
from pathlib import Path

from tests.builders import MemoryLog
from treadle.domain.events.all_events import Event
from treadle.domain.events.work import WithheldPath, WorkWithheld
from treadle.policy.redaction import make_redactor
from treadle.policy.secret_search import SecretSearch
from treadle.workflows.loop.open_workspace import make_workspace
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workspace_spec import ImportedTip, WorkspaceSpec
from treadle.workspace.project import find_project

from .real_git import ADA, RUN, Repository

KNOWN = "a password that is known: 47-11"


@dataclass
class WorkspaceHarness:
    spec: WorkspaceSpec
    workspace: RunWorkspace
    agent: Repository
    user: Repository
    events: list[Event]

    async def round(self) -> ImportedTip:
        return await self.workspace.commit_and_import("Round")

    @property
    def withheld(self) -> list[WithheldPath]:
        withheld_events = [event for event in self.events if isinstance(event, WorkWithheld)]
        return [path for event in withheld_events for path in event.places]

    def imported_files(self) -> dict[str, str]:
        """The files of the work as the user's repository has them."""
        [tip] = self.user.refs("refs/heads/treadle").values()
        return self.user.tree(tip)

    def holds(self, text: str) -> bool:
        """Whether any object that came into the user's repository has this text in it."""
        listed = self.user.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        return any(text in self.user.git("cat-file", "-p", name) for name in listed.splitlines())


async def make_harness(
    directory: Path,
    user: Repository,
    *,
    protected: tuple[str, ...] = (),
    included: tuple[str, ...] = (),
    credit_patterns: tuple[str, ...] = (),
) -> WorkspaceHarness:
    """A run of this user's in a directory of its own."""
    events: list[Event] = []
    spec = WorkspaceSpec(
        project=await find_project(user.path, user.environment),
        run=RUN,
        identity=ADA,
        directory=directory / "run",
        credit_patterns=credit_patterns,
        form="commits",
        log=MemoryLog(events),
        search=SecretSearch([KNOWN]),
        protected=protected,
        included=included,
        clean=make_redactor([KNOWN]),
    )
    workspace = await make_workspace(spec, spec_text="# Work", spec_path="kept.txt")
    agent = Repository(workspace.path, {**user.environment, "HOME": str(directory / "run")})
    return WorkspaceHarness(spec, workspace, agent, user, events)
