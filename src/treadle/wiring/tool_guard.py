"""What decides about an agent's tool uses, from the settings of a run."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from shutil import which

from treadle.adapters.hook_runner import hook_runner, unconfined
from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.domain.approval import hash_of
from treadle.domain.hooks import RunHook
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed
from treadle.policy.decide import DecideLine
from treadle.policy.judging.line_decision import decide_line
from treadle.policy.permission_rules import split_ask_before
from treadle.policy.roles import ShellSet
from treadle.policy.user_commands import allow_user_commands
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.policy import SEARCH_PATH, given_lines, shell_context, shell_looks
from treadle.wiring.protected_paths import protected_paths
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandboxed_agent import confinement
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.tool_approval import ToolApproval
from treadle.workflows.loop.tool_guard import ToolGuard, UserHooks
from treadle.workspace.snapshot import copy_commit

_IN_PLACE = ("/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh")


async def tool_guard(context: RunContext, workspace: RunWorkspace) -> ToolGuard:
    """The guard of all sessions of a run."""
    path, checked = workspace.path, context.checked
    settings = checked.settings
    _, rules = split_ask_before(settings.policy.ask_before)
    return ToolGuard(
        real_path=os.path.realpath,
        judge_line=shell_decider(checked, path),
        ask_person=tool_approval(context).ask,
        hooks=UserHooks(settings.hooks.before_tool_use, await _hook_runner(context, workspace)),
        readable=(*_own_places(context), *(str(path) for path in checked.reach.readable)),
        writable=tuple(str(path) for path in checked.reach.writable),
        protected=protected_paths(settings, path),
        ask_before=rules,
    )


def shell_decider(checked: CheckedRequest, root: Path) -> DecideLine:
    """What is said about a shell line; it starts in the directory that the agent's shell is in."""
    policy = checked.settings.policy
    commands, _ = split_ask_before(policy.ask_before)
    context = shell_context(root, policy, destructive=checked.request.allow_destructive)
    kept = protected_paths(checked.settings, root)
    context = replace(context, ask_before=commands, protected=kept)
    # Programs as the agent's own shell finds them.
    path = checked.reach.environment.get("PATH", SEARCH_PATH)
    looks = replace(shell_looks(), which=lambda name: which(name, path=path))

    given = given_lines(checked.settings, checked.spec_text)

    def judge_line(line: str, allowed: ShellSet, directory: str) -> PolicyDecision:
        judged = decide_line(
            line, replace(context, roles=allowed, directory=directory), lookups=looks
        )
        # Elsewhere the same words may stand for something else.
        return allow_user_commands(judged, line, given if directory == str(root) else (), allowed)

    return judge_line


def why_no_check(checked: CheckedRequest, root: Path) -> Callable[[str], str]:
    """Why a line is not run for an agent that gave it as a check; empty if it is.

    What a person is asked about is never done on the side. What the agent itself may not start,
    such as a script of the project, a sandbox holds; without one nothing does.
    """
    judge_line = shell_decider(checked, root)

    def why_not(line: str) -> str:
        judged = judge_line(line, "run", str(root))
        if isinstance(judged, Ask) or (isinstance(judged, Deny) and checked.unconfined):
            return judged.reason
        return ""

    return why_not


def may_run(checked: CheckedRequest, root: Path) -> Callable[[str], bool]:
    """Whether the policy lets an agent run this line itself."""
    decide_line_in = shell_decider(checked, root)
    return lambda line: isinstance(decide_line_in(line, "run", str(root)), Allow)


async def _hook_runner(context: RunContext, workspace: RunWorkspace) -> RunHook | None:
    """Hooks come from a file of the project, so they are confined as the agent is, but apart from
    it: their home is their own, they reach nothing, and they run in the project as the run found
    it. Nothing that the agent writes is where a hook, or what it loads, is looked for."""
    checked, sandbox = context.checked, context.sandbox
    if not checked.settings.hooks.before_tool_use:
        return None
    project = checked.directory / "hook-project"
    await copy_commit(checked.project, workspace.snapshot, project)
    if sandbox is None:
        environment = {"PATH": checked.environment.path, "HOME": str(checked.environment.home)}
        return hook_runner(unconfined(environment), directory=project)
    home = checked.directory / "hook-home"
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    # Where a confined process starts is writable, so it starts at home and goes on from there.
    given = confinement(checked, workspace=home, home=home)
    within = replace(
        given,
        network="none",
        readable=(*given.readable, *given.writable, project, workspace.path),
        writable=(),
        protected=(),
    )

    def start(command: Sequence[str]) -> ConfinedCommand | SandboxFailed:
        whole = (*sandbox.launcher(), *_IN_PLACE, str(project), *command)
        return sandbox.confine(whole, checked.reach.environment, within)

    return hook_runner(start, directory=project)


def tool_approval(context: RunContext) -> ToolApproval:
    """Asks whoever looks at `treadle approvals`."""
    checked = context.checked
    return ToolApproval(
        asker=context.requester,
        patience=timedelta(minutes=checked.settings.policy.ask_minutes),
        policy_hash=policy_hash(checked),
        clean=context.redact,
        used=set(context.history.used_approvals),
    )


def policy_hash(checked: CheckedRequest) -> str:
    """Another as soon as anything that the policy depends on is."""
    from treadle._version import __version__

    settings = checked.settings
    parts = [
        __version__,
        asdict(settings.policy),
        asdict(settings.permissions),
        list(settings.allowed_tools),
        list(settings.hooks.before_tool_use),
        list(settings.verify.protect),
        checked.request.allow_destructive,
    ]
    return hash_of(json.dumps(parts, sort_keys=True, default=list))


def _own_places(context: RunContext) -> tuple[str, ...]:
    """Where the agent itself keeps long answers of tools."""
    home, kind = context.checked.private_home, context.checked.agent_kind
    own = (str(home / "tmp"), *(str(home / folder) for folder in kind.readable_folders))
    # In a sandbox it has one of its own.
    return own if context.sandbox is None else (*own, "/tmp")  # noqa: S108
