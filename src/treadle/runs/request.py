"""Checks a requested run before it exists."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from treadle.adapters.agents.registry import find_kind
from treadle.domain.agent import CommitIdentity
from treadle.domain.errors import ProjectError, UsageError
from treadle.domain.run_request import RunRequest
from treadle.domain.stored_path import path_from, stored_path
from treadle.runs.credentials import login_environment, require_login
from treadle.runs.local_root import require_local_root
from treadle.runs.trust import load_trusted
from treadle.settings.definitions import ProjectSettings, Settings, WorkspaceSettings
from treadle.settings.environment import Environment
from treadle.settings.environment_values import read_variables
from treadle.settings.init_proposal import FIRST_SPEC
from treadle.settings.keys import known_keys
from treadle.wiring.checked_request import CheckedRequest, RunHost
from treadle.wiring.package_indexes import find_sandbox_indexes
from treadle.wiring.protected_paths import agent_program_files
from treadle.wiring.sandbox import find_sandbox_reach
from treadle.wiring.validate_settings import (
    require_sandbox_for,
    require_valid,
    require_way_to_model,
)
from treadle.workflows.registry import find_workflow
from treadle.workspace.included_files import find_included
from treadle.workspace.project import Project, find_project, read_identity, require_writable
from treadle.workspace.project_root import find_link
from treadle.workspace.protected_files import find_git_files

# Commits nothing.
PLACEHOLDER_IDENTITY = CommitIdentity("Treadle", "treadle@localhost")
# About 50,000 tokens, which every session reads.
LARGE_SPECIFICATION = 200_000
LARGEST_SPECIFICATION = 4_000_000


def _require_terminal(request: RunRequest, host: RunHost, settings: Settings) -> None:
    """Raises a UsageError if the agent cannot be handed a terminal, or nothing would confine it."""
    command = f"treadle {request.workflow}"
    if host.terminal is None:
        raise UsageError(
            f"`{command}` needs a terminal: you talk to the agent there",
            hint="start it in a terminal, without pipes",
        )
    if request.no_sandbox or host.environment.no_sandbox:
        raise UsageError(
            f"`{command}` needs the sandbox: nothing else keeps the agent from writing code",
            hint="do not use --no-sandbox or TREADLE_NO_SANDBOX",
        )
    kind = find_kind(settings.agent.kind)
    if not kind.takes_terminal:
        raise UsageError(
            f"{kind.title} has no session in a terminal", hint='set agent.kind = "claude"'
        )


def with_variables(request: RunRequest, environment: Environment) -> RunRequest:
    """The request with the settings from environment variables, which replace earlier ones."""
    variables = {
        name: list(variable.value) if isinstance(variable.value, tuple) else variable.value
        for name, variable in read_variables(environment.raw).items()
        if not _may_hold_secret(name)
    }
    return replace(
        request,
        variables={**request.variables, **variables},
        no_sandbox=request.no_sandbox or environment.no_sandbox,
    )


def _may_hold_secret(name: str) -> bool:
    """Secrets are not stored with a run: each process reads them from its own environment."""
    key = known_keys()[name]
    return key.kind == "tables" or key.rule == "database_url"


async def check_request(request: RunRequest, host: RunHost) -> CheckedRequest:
    """Check the request, the project and the settings; raises errors of the user."""
    environment = host.environment
    project = await find_project(path_from(request.project_dir), environment.raw)
    options = {name: value for name, value in request.flags.items() if value is not None}
    workflow = find_workflow(request.workflow)
    flags = own_names({**request.variables, **options}, workflow.settings)
    settings = load_trusted(project.root, environment, flags).settings
    settings = with_own_names(settings, workflow.settings)
    if workflow.specification == "inputs_with_folder":
        settings = _with_specs_protected(_with_found_specs(settings, project), project)
    _require_own_folder(project)
    workflow.check(project.root)
    if workflow.needs_terminal:
        _require_terminal(request, host, settings)
    if workflow.specification == "file":
        spec_text = _specification(settings, project)
    else:
        spec_text = request.inputs.get(workflow.inputs[0], "")
    require_valid(settings, environment, project.root)
    _require_text_path(environment.root)
    require_local_root(environment.storage)
    require_writable(project)
    kind = find_kind(settings.agent.kind)
    if not request.rehearsal:
        require_login(environment, kind)
    if request.no_sandbox or environment.no_sandbox:
        require_sandbox_for(settings.policy)
    else:
        used = login_environment(environment, kind)
        require_way_to_model(settings, used, rehearsal=request.rehearsal)
    identity, checked = await asyncio.gather(
        read_identity(project), checked_commands(request, host, settings, project)
    )
    return replace(checked, identity=identity, spec_text=spec_text)


def _require_own_folder(project: Project) -> None:
    """Runs write there, and what they write belongs to nobody else."""
    if link := find_link(project.root / ".treadle" / "wip", project.root):
        raise ProjectError(f"{link} is a link", hint="make it a folder of the project")


async def checked_commands(
    request: RunRequest, host: RunHost, settings: Settings, project: Project
) -> CheckedRequest:
    """What the commands of a project need: no specification, and nobody to commit as."""
    environment, workspace = host.environment, settings.workspace
    if any(request.inputs.get(name) for name in find_workflow(request.workflow).foreign_inputs):
        # Whoever wrote the text must not get at what these files hold.
        workspace = WorkspaceSettings()
    reach, (indexes, logins), included, git_files = await asyncio.gather(
        find_sandbox_reach(settings.sandbox, settings.policy.profiles, environment, project.root),
        find_sandbox_indexes(settings, environment, project),
        find_included(project, workspace.include, workspace.include_for_agent),
        find_git_files(project),
    )
    return CheckedRequest(
        request=request,
        host=host,
        settings=settings,
        project=project,
        identity=PLACEHOLDER_IDENTITY,
        spec_text="",
        reach=reach,
        indexes=indexes,
        package_logins=logins,
        included=included,
        host_files=(*git_files, *agent_program_files(settings.agent, environment, project.root)),
    )


def _specification(settings: Settings, project: Project) -> str:
    spec_path = project.root / settings.project.spec
    if not spec_path.is_file():
        raise UsageError(
            f"no {settings.project.spec} in {project.root}",
            hint="describe in it what to build, or name another file: treadle deliver FILE",
        )
    if not spec_path.resolve().is_relative_to(project.root):
        raise UsageError(
            f"{spec_path} points outside the project", hint="put the file itself into the project"
        )
    try:
        with spec_path.open(encoding="utf-8") as file:
            text = file.read(LARGEST_SPECIFICATION + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {spec_path}: {error}") from error
    if len(text) > LARGEST_SPECIFICATION:
        raise UsageError(
            f"{spec_path} has more than {LARGEST_SPECIFICATION:,} characters",
            hint="keep only what every session must read, and refer to other files",
        )
    if problem := specification_problem(settings.project.spec, text):
        raise UsageError(problem, hint="write what you want built, one item per line")
    return text


def specification_problem(name: str, text: str) -> str:
    """Why there is nothing to build in a specification; else empty."""
    if not text.strip():
        return f"{name} is empty"
    if text.strip() == FIRST_SPEC.strip():
        return f"{name} is still the example that `treadle init` wrote"
    return ""


def specification_notice(name: str, text: str) -> str:
    """A warning about a very long specification; else empty."""
    if len(text) <= LARGE_SPECIFICATION:
        return ""
    return (
        f"{name} has {len(text):,} characters, and every session reads all of it: "
        "move details into other files and refer to them"
    )


def _require_text_path(root: Path) -> None:
    """The engine's database has an address, and an address is text."""
    stored = stored_path(root)
    if stored != str(root):
        raise UsageError(
            f"Treadle cannot keep runs in {stored}: the path is not UTF-8",
            hint="name another directory with TREADLE_ROOT",
        )


def _with_found_specs(settings: Settings, project: Project) -> Settings:
    """Without a folder of specifications, the file of `deliver` is what work is held against, and
    without that the words of the run alone."""
    own = settings.project
    if own.specs != ProjectSettings().specs or (project.root / own.specs).exists():
        return settings
    specs = own.spec if (project.root / own.spec).is_file() else ""
    return replace(settings, project=replace(own, specs=specs))


def _with_specs_protected(settings: Settings, project: Project) -> Settings:
    """Protect the specifications from agents' changes and commits."""
    specs = settings.project.specs
    if not specs:
        return settings
    if not (project.root / specs).exists():
        raise UsageError(
            f"there is no folder {specs.rstrip('/')}/ in {project.root}",
            hint="put your specifications there, or name the folder with project.specs",
        )
    verify = settings.verify
    return replace(settings, verify=replace(verify, protect=(*verify.protect, specs)))


def own_names(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Values by dotted name, with the workflow's own names instead of the general ones."""
    return {names.get(name, name): value for name, value in values.items()}


def with_own_names(settings: Settings, names: Mapping[str, str]) -> Settings:
    """The settings whose general values are those of the workflow's own names."""
    for general, own in names.items():
        section, _, key = general.partition(".")
        own_section, _, own_key = own.partition(".")
        value = getattr(getattr(settings, own_section), own_key)
        changed = replace(getattr(settings, section), **{key: value})
        settings = replace(settings, **{section: changed})
    return settings
