"""A `deliver` run asked for, and everything checked that can be checked before it exists."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from treadle.adapters.stores.recorder import Reader
from treadle.domain.agent import Identity
from treadle.domain.errors import SettingsError, UsageError
from treadle.domain.ids import RunId
from treadle.policy.permission_rules import Rule, parse_rule
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.settings.load import load
from treadle.wiring.agent import Rehearsing, require_free_names
from treadle.wiring.earlier import Past
from treadle.workflows.worksite import Ask
from treadle.workspace.project import Project, find_project, identity


@dataclass(frozen=True, slots=True)
class DeliverRequest:
    """What was asked for, before anything has been looked at."""

    run: RunId
    project_dir: Path
    flags: dict[str, object]
    no_sandbox: bool
    rehearsing: Rehearsing | None
    readers: Sequence[Reader]
    ask: Ask | None


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything checked that can be checked before the run exists."""

    request: DeliverRequest
    environment: Environment
    settings: Settings
    project: Project
    identity: Identity
    spec_text: str
    past: Past = field(default_factory=Past)

    @property
    def spec_hash(self) -> str:
        return hashlib.sha256(self.spec_text.encode()).hexdigest()


async def check(request: DeliverRequest, environment: Environment) -> Ready:
    """Everything that can be wrong before the run exists; a mistake of the user is raised."""
    project = await find_project(request.project_dir, environment.raw)
    settings = load(project.root, environment=environment.raw, flags=request.flags).settings
    spec = project.root / settings.project.spec
    if not spec.is_file():
        raise UsageError(
            f"no {settings.project.spec} in {project.root}",
            hint="write down what you want built, or name the file with project.spec",
        )
    # Said by the person who starts the run: a file that came with a repository does not count.
    unconfined = request.no_sandbox or environment.no_sandbox
    if request.rehearsing is None and not unconfined:
        raise UsageError(
            "there is no sandbox yet, so a run on a real model needs --no-sandbox",
            hint="use a machine you can lose, or rehearse with `treadle rehearse`",
        )
    try:
        text = spec.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {spec}: {error}") from error
    permission_rules(settings)
    require_free_names(settings.mcp_servers or {})
    return Ready(request, environment, settings, project, await identity(project), text)


def permission_rules(settings: Settings) -> list[Rule]:
    """The rules of `permissions.allow`; one that cannot be read is refused, never passed over."""
    rules = []
    for text in settings.permissions.allow:
        rule = parse_rule(text)
        if rule is None:
            raise SettingsError(
                f"permissions.allow: {text!r} is not a rule",
                hint="write Tool or Tool(pattern), for example WebFetch(https://example.com/*)",
            )
        rules.append(rule)
    return rules
