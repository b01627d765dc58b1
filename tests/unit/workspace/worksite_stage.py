"""A worksite over real repositories, and what its rounds bring home."""

from dataclasses import dataclass
from pathlib import Path

from treadle.domain.events.all_events import Event
from treadle.domain.events.work import Withheld, WorkWithheld
from treadle.policy.redaction import redactor
from treadle.policy.secret_search import SecretSearch
from treadle.workflows.opening_worksites import prepare_worksite
from treadle.workflows.site import Home, Site
from treadle.workflows.worksite import Worksite
from treadle.workspace.project import find_project

from .real_git import ADA, RUN, Repository

KNOWN = "a password that is known: 47-11"


@dataclass
class Stage:
    site: Site
    worksite: Worksite
    agent: Repository
    user: Repository
    events: list[Event]

    async def round(self) -> Home:
        return await self.worksite.bring_home("Round")

    @property
    def withheld(self) -> list[Withheld]:
        told = [event for event in self.events if isinstance(event, WorkWithheld)]
        return [place for event in told for place in event.places]

    def home(self) -> dict[str, str]:
        """The files of the work as the user's repository has them."""
        [tip] = self.user.refs("refs/heads/treadle").values()
        return self.user.tree(tip)

    def holds(self, text: str) -> bool:
        """Whether any object that came into the user's repository has this text in it."""
        listed = self.user.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
        return any(text in self.user.git("cat-file", "-p", name) for name in listed.splitlines())


async def stage_in(directory: Path, user: Repository, *, protected: tuple[str, ...] = ()) -> Stage:
    """A run of this user's in a directory of its own."""
    events: list[Event] = []
    site = Site(
        project=await find_project(user.path, user.environment),
        run=RUN,
        identity=ADA,
        directory=directory / "run",
        attribution="removed",
        form="commits",
        record=events.append,
        record_once=lambda _, event: events.append(event),
        search=SecretSearch([KNOWN]),
        protected=protected,
        clean=redactor([KNOWN]),
    )
    worksite = await prepare_worksite(site, specification="# Work", spec="kept.txt")
    agent = Repository(worksite.path, {**user.environment, "HOME": str(directory / "run")})
    return Stage(site, worksite, agent, user, events)
