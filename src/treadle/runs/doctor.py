"""Examines this machine and this project: what works, what does not, and the fix for each."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from sys import platform, version_info
from tempfile import TemporaryDirectory
from typing import Any, Literal

from treadle.adapters.agents.registry import find_kind
from treadle.adapters.browser.browser_choice import NoBrowser
from treadle.adapters.browser.browser_search import browser_versions
from treadle.adapters.disk.file_system import find_file_system
from treadle.domain.agent_kind import AgentKind
from treadle.domain.errors import TreadleError
from treadle.domain.sandbox import ProbePassed, SandboxFailed
from treadle.domain.stored_path import stored_path
from treadle.runs.credentials import find_login, login_environment
from treadle.runs.local_root import MOVE, network_root_text, require_local_root
from treadle.runs.login_text import describe_login, lasting_warning
from treadle.runs.trust import load_trusted
from treadle.settings.definitions import AgentSettings
from treadle.settings.environment import Environment
from treadle.settings.load import load_settings
from treadle.wiring.agent import program_choice
from treadle.wiring.browser import find_browser, wants_browser
from treadle.wiring.forge import describe_forge, find_forge
from treadle.wiring.limits import disk_watch
from treadle.wiring.sandbox import choose_sandbox, find_groups
from treadle.wiring.search_path import without_project
from treadle.wiring.validate_settings import require_valid, require_way_to_model
from treadle.workspace.git import user_git
from treadle.workspace.project import find_project, read_identity

Verdict = Literal["good", "warning", "bad"]
SPACE_WANTED = 1 << 30
# What holds of a sandbox whose control group has no such controller.
LIMITS_ALONE = {
    "memory": "sandbox.memory_mb limits each process, not shared memory",
    "pids": "sandbox.processes counts all processes of your account, and does not limit root",
}
GROUP_REMEDY = (
    "needs a control group: log in with a systemd user session, or start Treadle in a delegated one"
)


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """One thing looked at: what it is like, and how to put it right."""

    name: str
    verdict: Verdict
    text: str
    fix: str = ""
    # What a program printed about it.
    output: tuple[str, ...] = ()


async def examine(project: Path, environment: Environment) -> list[DoctorFinding]:
    """Every check, in a fixed order; one that finds nothing to complain about says so."""
    kind = _agent_kind(project, environment)
    checks: tuple[tuple[str, Callable[[], Awaitable[DoctorFinding]]], ...] = (
        ("python", lambda: _python()),
        ("git", lambda: _git(project, environment)),
        ("project", lambda: _project(project, environment)),
        ("identity", lambda: _identity(project, environment)),
        ("forge", lambda: _forge(project, environment)),
        ("settings", lambda: _settings(project, environment)),
        (kind.name, lambda: _agent(kind, project, environment)),
        ("login", lambda: _login(kind, project, environment)),
        ("sandbox", lambda: _sandbox(project, environment)),
        ("limits", lambda: _limits(environment)),
        ("browser", lambda: _browser(project, environment)),
        ("disk", lambda: _disk(project, environment)),
    )
    findings: list[DoctorFinding] = []
    for name, check in checks:
        try:
            findings.append(await check())
        except (TreadleError, OSError) as error:
            findings.append(_said_once(failed_check(name, error), findings))
    return findings


def _said_once(failed: DoctorFinding, before: Sequence[DoctorFinding]) -> DoctorFinding:
    """The finding, without the cause and the fix if an earlier one has the same."""
    same = (each.name for each in before if (each.text, each.fix) == (failed.text, failed.fix))
    first = next(same, "")
    if not first:
        return failed
    return DoctorFinding(failed.name, "bad", f"not checked: see {first}")


def failed_check(name: str, error: TreadleError | OSError) -> DoctorFinding:
    """The finding of a check that an error ended."""
    if isinstance(error, TreadleError):
        return DoctorFinding(name, "bad", error.message, error.hint)
    text = f"{error.filename}: {error.strerror}"
    return DoctorFinding(name, "bad", text, "check its permissions with `ls -ld`")


async def _python() -> DoctorFinding:
    return DoctorFinding("python", "good", f"Python {version_info.major}.{version_info.minor}")


async def _git(project: Path, environment: Environment) -> DoctorFinding:
    version = await user_git(project, environment.raw).run("version")
    return DoctorFinding("git", "good", version.removeprefix("git version "))


async def _project(project: Path, environment: Environment) -> DoctorFinding:
    found = await find_project(project, environment.raw)
    spec = load_settings(found.root, environment=environment.raw).settings.project.spec
    if not (found.root / spec).is_file():
        return DoctorFinding(
            "project",
            "warning",
            f"no {spec} yet",
            "write down what you want built; `treadle task` needs none",
        )
    return DoctorFinding("project", "good", stored_path(found.root))


async def _identity(project: Path, environment: Environment) -> DoctorFinding:
    who = await read_identity(await find_project(project, environment.raw))
    return DoctorFinding("identity", "good", f"commits carry {who.name} <{who.email}>")


async def _forge(project: Path, environment: Environment) -> DoctorFinding:
    choice = await find_forge(await find_project(project, environment.raw), environment)
    text, fix = describe_forge(choice)
    return DoctorFinding("forge", "warning" if fix else "good", text, fix)


async def _settings(project: Path, environment: Environment) -> DoctorFinding:
    settings = load_trusted(project, environment).settings
    require_valid(settings, environment, project)
    if not environment.no_sandbox:
        used = login_environment(environment, find_kind(settings.agent.kind))
        require_way_to_model(settings, used, rehearsal=False)
    if not (project / "treadle.toml").is_file():
        return DoctorFinding(
            "settings", "warning", "no treadle.toml: defaults apply", "treadle init"
        )
    return DoctorFinding("settings", "good", "treadle.toml is valid")


def _agent_kind(project: Path, environment: Environment) -> AgentKind[Any]:
    """The kind that the settings name; that of the defaults if they cannot be loaded."""
    try:
        settings = load_settings(project, environment=environment.raw).settings.agent
    except TreadleError:
        settings = AgentSettings()
    return find_kind(settings.kind)


async def _agent(kind: AgentKind[Any], project: Path, environment: Environment) -> DoctorFinding:
    # A program that a stranger's file names is not even asked for its version.
    setting = load_trusted(project, environment).settings.agent.binary
    on_host = without_project(environment, project)
    program = program_choice(kind, setting, on_host, project)
    text, warnings = await asyncio.to_thread(kind.describe, program)
    if warnings:
        return DoctorFinding(kind.name, "warning", text, warnings[0])
    return DoctorFinding(kind.name, "good", text)


async def _login(kind: AgentKind[Any], project: Path, environment: Environment) -> DoctorFinding:
    login = find_login(environment, kind)
    if login is None:
        return DoctorFinding("login", "good", f"{kind.title} needs none")
    if login.problem is not None:
        text = f"{login.problem.message}; rehearsals need none"
        return DoctorFinding("login", "bad", text, login.problem.remedy)
    now = datetime.now(UTC)
    text = describe_login(login, now)
    minutes = load_settings(project, environment=environment.raw).settings.limits.max_minutes
    warning = lasting_warning(login, now, minutes) if login.expires_at else ""
    return DoctorFinding("login", "warning" if warning else "good", text, warning)


async def _sandbox(project: Path, environment: Environment) -> DoctorFinding:
    with TemporaryDirectory(prefix="treadle-doctor-") as place:
        wanted = not environment.no_sandbox
        on_host = without_project(environment, project)
        sandbox = choose_sandbox(on_host, reports=Path(place), wanted=wanted)
        match await sandbox.probe():
            case SandboxFailed(message, hint):
                return DoctorFinding("sandbox", "bad", message, hint)
            case ProbePassed(told):
                pass
    if not wanted:
        text = "switched off by TREADLE_NO_SANDBOX: the agent can do whatever you can"
        return DoctorFinding("sandbox", "warning", text, "unset TREADLE_NO_SANDBOX")
    text = f"{sandbox.name} was tested, and works"
    if told:
        return DoctorFinding("sandbox", "warning", f"{text}; but {'; '.join(told)}")
    return DoctorFinding("sandbox", "good", text)


async def _limits(environment: Environment) -> DoctorFinding:
    if environment.no_sandbox or not platform.startswith("linux"):
        return DoctorFinding("limits", "warning", "memory and processes are not limited here")
    with TemporaryDirectory(prefix="treadle-doctor-") as place:
        groups = await asyncio.to_thread(find_groups, environment, Path(place))
    return limits_finding(frozenset() if groups is None else groups.controllers)


def limits_finding(held: Collection[str]) -> DoctorFinding:
    """Which limits hold for a sandbox as a whole, by the controllers of its control group."""
    alone = [LIMITS_ALONE[name] for name in LIMITS_ALONE if name not in held]
    if not alone:
        return DoctorFinding(
            "limits", "good", "sandbox.memory_mb and sandbox.processes limit the whole sandbox"
        )
    return DoctorFinding("limits", "warning", "; ".join(alone), GROUP_REMEDY)


async def _browser(project: Path, environment: Environment) -> DoctorFinding:
    if not wants_browser(load_settings(project, environment=environment.raw).settings.mcp_servers):
        return DoctorFinding("browser", "good", "set by mcp_servers in treadle.toml")
    found = find_browser(environment, project)
    told = (
        found
        if isinstance(found, NoBrowser)
        else await browser_versions(found, environment.path, environment.root)
    )
    if isinstance(told, NoBrowser):
        return DoctorFinding(
            "browser", "warning", f"none for the agent: {told.missing}", told.remedy
        )
    return DoctorFinding("browser", "good", told)


async def _disk(project: Path, environment: Environment) -> DoctorFinding:
    root = environment.root
    require_local_root(environment.storage)
    place = next(path for path in (root, *root.parents) if path.exists())
    free = shutil.disk_usage(place).free
    limits = load_settings(project, environment=environment.raw).settings.sandbox
    text = f"{free / (1 << 30):.1f} GiB free for {root}"
    if low := disk_watch(limits, place).low_now(()):
        return DoctorFinding("disk", "bad", low, "free some space, or set TREADLE_ROOT elsewhere")
    if free < SPACE_WANTED:
        return DoctorFinding("disk", "bad", text, "free some space, or set TREADLE_ROOT elsewhere")
    kept = f"runs leave {limits.free_mb} MB free" if limits.free_mb else "runs leave nothing free"
    found = find_file_system(root)
    if found is not None and found.is_network:
        return DoctorFinding("disk", "warning", network_root_text(root, found), MOVE)
    most = f"use at most {limits.disk_mb} MB each" if limits.disk_mb else "use any amount"
    return DoctorFinding("disk", "good", f"{text}; {kept} and {most}")
