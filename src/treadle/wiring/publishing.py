"""Makes what pushes the branch of a run and opens its pull request."""

from uuid import uuid4

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.service_health import DatabaseBreakers
from treadle.domain.forge import Forge, ForgeRepository
from treadle.session.http_breaker import HttpBreaker
from treadle.wiring.forge import (
    ForgeSite,
    NoRemote,
    connect_forge,
    find_forge,
    forge_connection,
    http_client,
)
from treadle.wiring.run_context import RunContext
from treadle.workflows.loop.publishing import PublishTarget
from treadle.workspace.push import push_branch
from treadle.workspace.push_outcome import PushOutcome


async def find_publish_target(context: RunContext, checkout: str | None) -> PublishTarget | None:
    """Where the run's branch goes; None if the project has no remote. `checkout` is the branch
    that the run started from."""
    project, environment = context.checked.project, context.checked.environment
    choice = await find_forge(project, environment)
    if isinstance(choice, NoRemote):
        return None
    forge = _connect(choice, context) if isinstance(choice, ForgeSite) else None
    target = choice.push_target if isinstance(choice, ForgeSite) else choice.remote

    async def push(branch: str, commit: str) -> PushOutcome:
        return await push_branch(project.git, target, branch=branch, commit=commit)

    remote = choice.remote.name
    tracked = f"refs/remotes/{remote}/{checkout}"
    is_there = checkout is not None and await project.git.commit_of(tracked) is not None
    base = checkout if is_there else await _default_branch(forge)
    return PublishTarget(remote, base or "main", push, forge)


async def _default_branch(forge: Forge | None) -> str:
    found = None if forge is None else await forge.find_repository()
    return found.default_branch if isinstance(found, ForgeRepository) else ""


def _connect(site: ForgeSite, context: RunContext) -> Forge | None:
    """None without a token: then git pushes with the user's own login."""
    if site.token is None:
        return None
    # One that `gh` has is in no list of the user's variables.
    context.secrets.learn(site.token.value)
    clock = SystemClock()
    sender = HttpBreaker(
        sender=http_client(context.checked.environment),
        breakers=DatabaseBreakers(context.database),
        service=f"{site.kind.title} ({site.address.host})",
        run=context.run,
        now=clock.now,
        make_id=lambda: str(uuid4()),
        tell=context.recorder.record,
    )
    return connect_forge(forge_connection(site, site.token, sender, clock.now))
