"""Checks everything about a requested run that can be checked before the run exists."""

import asyncio
from dataclasses import replace
from pathlib import Path

from treadle.domain.errors import UsageError
from treadle.domain.run_request import RunRequest
from treadle.runs.trust import load_trusted
from treadle.settings.definitions import Settings
from treadle.settings.environment import Environment
from treadle.settings.environment_values import read_variables
from treadle.settings.keys import known_keys
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.wiring.sandbox import find_sandbox_reach
from treadle.wiring.validate_settings import require_valid, require_way_to_model
from treadle.workflows.registry import find_workflow
from treadle.workspace.project import Project, find_project, read_identity


def with_variables(request: RunRequest, environment: Environment) -> RunRequest:
    """The request with what the asker's environment says: over what an earlier one said."""
    said = {
        name: list(valued.value) if isinstance(valued.value, tuple) else valued.value
        for name, valued in read_variables(environment.raw).items()
        if not _stays_here(name)
    }
    return replace(
        request,
        variables={**request.variables, **said},
        no_sandbox=request.no_sandbox or environment.no_sandbox,
    )


def _stays_here(name: str) -> bool:
    """What may hold a secret is not kept with a run: each process has it from its own place."""
    key = known_keys()[name]
    return key.kind == "tables" or key.rule == "database_url"


async def check_request(request: RunRequest, host: RunHost) -> CheckedRequest:
    """Everything that can be wrong before the run exists; a mistake of the user is raised."""
    environment = host.environment
    project = await find_project(Path(request.project_dir), environment.raw)
    said = {name: value for name, value in request.flags.items() if value is not None}
    flags = {**request.variables, **said}
    settings = load_trusted(project.root, environment, flags).settings
    workflow = find_workflow(request.workflow)
    if workflow.specification == "file":
        workflow.check(project.root)
        text = _specification(settings, project)
    else:
        settings = _with_specs_protected(settings, project)
        workflow.check(project.root)
        text = request.inputs.get(workflow.inputs[0], "")
    require_valid(settings, environment, project.root)
    if not (request.no_sandbox or environment.no_sandbox):
        require_way_to_model(settings, environment, rehearsal=request.rehearsal)
    who, reach = await asyncio.gather(
        read_identity(project),
        find_sandbox_reach(settings.sandbox, settings.policy.profiles, environment, project.root),
    )
    return CheckedRequest(request, host, settings, project, who, text, reach)


def _specification(settings: Settings, project: Project) -> str:
    spec = project.root / settings.project.spec
    if not spec.is_file():
        raise UsageError(
            f"no {settings.project.spec} in {project.root}",
            hint="write down what you want built, or name the file with project.spec",
        )
    try:
        return spec.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {spec}: {error}") from error


def _with_specs_protected(settings: Settings, project: Project) -> Settings:
    """What the work is held against is not the agent's to change, nor part of any commit."""
    specs = settings.project.specs
    if not (project.root / specs).exists():
        raise UsageError(
            f"there is no folder {specs.rstrip('/')}/ in {project.root}",
            hint="put your specifications there, or name the folder with project.specs",
        )
    verify = settings.verify
    return replace(settings, verify=replace(verify, protect=(*verify.protect, specs)))
