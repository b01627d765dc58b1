"""Makes what decides about an agent's tool uses, from the settings of a run."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from shutil import which

from treadle.adapters.hook_runner import hook_runner, unconfined
from treadle.domain.agent import Allow, Ask, Deny, PolicyDecision
from treadle.domain.approval import hash_of
from treadle.domain.hooks import RunHook
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed
from treadle.policy.command_limit import DecideLine
from treadle.policy.modes import choose_policy, is_network_open
from treadle.policy.permission_rules import split_ask_before
from treadle.policy.roles import ShellSet
from treadle.policy.shell.line_parser import parse_line
from treadle.policy.user_commands import allow_user_commands
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.policy import (
    SEARCH_PATH,
    confinement_facts,
    decider,
    shell_context,
    system_lookups,
    user_command_lines,
)
from treadle.wiring.protected_paths import protected_paths
from treadle.wiring.run_context import RunContext
from treadle.wiring.sandboxed_agent import confinement
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.tool_approval import ToolApproval
from treadle.workflows.loop.tool_guard import ToolGuard, UserHooks
from treadle.workspace.snapshot import copy_commit

_IN_DIRECTORY = ("/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh")


async def tool_guard(context: RunContext, workspace: RunWorkspace) -> ToolGuard:
    """The guard of all sessions of a run."""
    path, checked = workspace.path, context.checked
    settings = checked.settings
    _, rules = split_ask_before(settings.policy.ask_before)
    return ToolGuard(
        real_path=os.path.realpath,
        decide_line=shell_decider(checked, path),
        ask_person=tool_approval(context).ask,
        hooks=UserHooks(settings.hooks.before_tool_use, await _hook_runner(context, workspace)),
        readable=(*_agent_folders(context), *(str(path) for path in checked.reach.readable)),
        writable=tuple(str(path) for path in checked.reach.writable),
        protected=protected_paths(settings, path, checked.host_files),
        ask_before=rules,
        parse=partial(parse_line, shfmt=system_lookups().shfmt),
    )


def shell_decider(checked: CheckedRequest, root: Path) -> DecideLine:
    """A function that decides about a shell line in the directory of the agent's shell."""
    policy = checked.settings.policy
    commands, _ = split_ask_before(policy.ask_before)
    context = shell_context(root, policy, destructive=checked.request.allow_destructive)
    protected = protected_paths(checked.settings, root, checked.host_files)
    facts = confinement_facts(checked)
    context = replace(
        context,
        ask_before=commands,
        protected=protected,
        reachable=is_network_open(facts.network),
    )
    # The agent's shell finds programs with this PATH.
    path = checked.reach.environment.get("PATH", SEARCH_PATH)
    lookups = replace(system_lookups(), which=lambda name: which(name, path=path))

    user_lines = user_command_lines(checked.settings, checked.spec_text)

    def decide(line: str, allowed: ShellSet, directory: str) -> PolicyDecision:
        judge = decider(choose_policy(policy.mode, facts, allowed).name)
        decision = judge(
            line, replace(context, roles=allowed, directory=directory), lookups=lookups
        )
        # In another directory the same line may run something else.
        return allow_user_commands(
            decision, line, user_lines if directory == str(root) else (), allowed
        )

    return decide


def why_no_check(checked: CheckedRequest, root: Path) -> Callable[[str], str]:
    """Why an agent's line is not run as a check; empty if it is.

    A line that needs a person's approval never runs. A line that the agent itself may not run,
    such as a script of the project, runs only in a sandbox.
    """
    decide = shell_decider(checked, root)

    def why_not(line: str) -> str:
        decision = decide(line, "run", str(root))
        if isinstance(decision, Ask) or (isinstance(decision, Deny) and checked.unconfined):
            return decision.reason
        return ""

    return why_not


def may_run(checked: CheckedRequest, root: Path) -> Callable[[str], bool]:
    """Whether the policy lets an agent run this line itself."""
    decide_line_in = shell_decider(checked, root)
    return lambda line: isinstance(decide_line_in(line, "run", str(root)), Allow)


async def _hook_runner(context: RunContext, workspace: RunWorkspace) -> RunHook | None:
    """Hooks come from a file of the project, so they are confined like the agent, but apart from
    it: with their own home, without network, and in a copy of the project's snapshot. So they
    load no file that the agent wrote."""
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
    # The workspace of a confinement is writable, so the process starts in its home.
    base = confinement(checked, workspace=home, home=home)
    confined = replace(
        base,
        network="none",
        readable=(*base.readable, *base.writable, project, workspace.path),
        writable=(),
        protected=(),
    )

    def start(command: Sequence[str]) -> ConfinedCommand | SandboxFailed:
        argv = (*sandbox.launcher(), *_IN_DIRECTORY, str(project), *command)
        return sandbox.confine(argv, checked.reach.environment, confined)

    return hook_runner(start, directory=project)


def tool_approval(context: RunContext) -> ToolApproval:
    """Asks through `treadle approvals`."""
    checked = context.checked
    return ToolApproval(
        requester=context.requester,
        patience=timedelta(minutes=checked.settings.policy.ask_minutes),
        policy_hash=policy_hash(checked),
        clean=context.redact,
        used=set(context.history.used_approvals),
    )


def policy_hash(checked: CheckedRequest) -> str:
    """A hash of everything that the policy depends on."""
    from treadle._version import __version__

    settings = checked.settings
    parts = [
        __version__,
        asdict(settings.policy),
        asdict(settings.permissions),
        list(settings.allowed_tools),
        list(settings.execution.allowed_tools),
        list(settings.hooks.before_tool_use),
        list(settings.verify.protect),
        checked.request.allow_destructive,
    ]
    return hash_of(json.dumps(parts, sort_keys=True, default=list))


def _agent_folders(context: RunContext) -> tuple[str, ...]:
    """The folders where the agent stores long tool results."""
    home, kind = context.checked.private_home, context.checked.agent_kind
    folders = (str(home / "tmp"), *(str(home / folder) for folder in kind.readable_folders))
    # A sandbox has its own /tmp.
    return folders if context.sandbox is None else (*folders, "/tmp")  # noqa: S108
