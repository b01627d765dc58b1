"""Makes the workspace and the parts of a run from its context."""

from datetime import timedelta
from pathlib import Path

from treadle.adapters.clock import SystemClock, fresh_session_id
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.adapters.stores.memory_store import MemoryStatusBoard
from treadle.adapters.stores.note_files import NoNotes, NoteFiles
from treadle.adapters.stores.status_file import StatusFile
from treadle.domain.events.run import RunWarned
from treadle.domain.ports import StatusBoard
from treadle.domain.run import LandingChoice
from treadle.durable.port import Steps
from treadle.gateway.metered_agent import before_today_usd, others_today_usd
from treadle.policy.available_tools import merge_tools
from treadle.policy.secret_search import SecretSearch
from treadle.session.driver import SessionDriver
from treadle.verify.suites.suite import SuiteCommand
from treadle.wiring.admission import session_admission, spread
from treadle.wiring.check_runner import run_check_runner
from treadle.wiring.limits import run_limits, session_limits
from treadle.wiring.past_efforts import past_efforts
from treadle.wiring.protected_paths import protected_paths, tool_file_settings
from treadle.wiring.run_context import RunContext
from treadle.wiring.setup import SETUP_MARKER, workspace_setup
from treadle.wiring.tool_guard import may_run, tool_guard, why_no_check
from treadle.wiring.validate_settings import execution_limit, permission_rules
from treadle.workflows.loop.instructions import UnusableContext, project_context
from treadle.workflows.loop.observation import Pacing, RunInputs
from treadle.workflows.loop.open_workspace import make_workspace, reopen_workspace
from treadle.workflows.loop.pinned_judges import PinnedJudges
from treadle.workflows.loop.run_parts import (
    CheckParts,
    PlanningRules,
    ProjectFacts,
    ProjectNotes,
    RunParts,
    SessionParts,
)
from treadle.workflows.loop.run_timer import RunTimer
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.session_briefs import SessionBriefs, SessionSetup
from treadle.workflows.loop.session_conditions import SessionConditions
from treadle.workflows.loop.workspace_spec import PreviousRuns, WorkspaceSpec
from treadle.workspace.disk_tree import NOTES_FILE
from treadle.workspace.merge import free_paths
from treadle.workspace.project import find_agent_settings, ignored_settings_notice

STATUS_FILE = Path(".treadle") / "status.json"


async def open_run_workspace(context: RunContext, previous: PreviousRuns) -> RunWorkspace:
    """Reopen the workspace that the log names, or make one."""
    checked, history, settings = context.checked, context.history, context.settings
    spec = WorkspaceSpec(
        project=checked.project,
        run=context.run,
        identity=checked.identity,
        directory=checked.directory,
        credit_patterns=() if settings.agent.attribution else checked.agent_kind.credit_patterns,
        form="commits" if settings.commit or checked.workflow.place == "branch" else "files",
        place=checked.workflow.place,
        free=free_paths(settings.project.specs),
        commit_strategy=settings.execution.commit_strategy
        if checked.workflow.execution
        else "incremental",
        log=context.recorder,
        landed=previous.landed,
        unlanded=previous.unlanded,
        search=SecretSearch(context.secrets),
        protected=protected_paths(settings, checked.project.root, checked.host_files),
        included=checked.included.names,
        tool_files=tool_file_settings(settings),
        hooks=settings.hooks.before_tool_use,
        clean=context.redact,
    )
    if history.prepared is None:
        return await make_workspace(spec, spec_text=checked.spec_text, spec_path=checked.spec)
    workspace = await reopen_workspace(spec, history.prepared, history.imported)
    if not history.has_worked:
        await workspace.prepare(checked.spec)
    return workspace


async def compose(
    context: RunContext,
    workspace: RunWorkspace,
    driver: SessionDriver,
    steps: Steps,
    previous: PreviousRuns,
    landing: LandingChoice,
) -> RunParts:
    """Everything that the workflow of the run builds its loop from."""
    checked = context.checked
    request, workflow = checked.request, checked.workflow
    timer = RunTimer(run_limits(context.settings).max_minutes * 60)
    return RunParts(
        workflow=workflow,
        request=request,
        facts=_project_facts(context),
        spec_text=checked.spec_text,
        spec_hash=checked.spec_hash,
        options=getattr(context.settings, workflow.name, None),
        history=context.history,
        previous=previous,
        workspace=workspace,
        git=checked.project.git,
        driver=driver,
        steps=steps,
        log=context.recorder,
        read_log=context.read_log,
        redact=context.redact,
        status=_status_board(context),
        notes=_notes(context),
        follower=context.follower,
        sessions=await _session_parts(context, workspace),
        checks=_check_parts(context, workspace, timer),
        inputs=_run_inputs(context),
        pacing=_pacing(context),
        timer=timer,
        requester=context.requester,
        planning=_planning_rules(context),
        landing=landing,
        warn_of_agent_settings=lambda: _warn_of_agent_settings(context, workspace.path),
        jitter=lambda: spread(request.run),
    )


def _status_board(context: RunContext) -> StatusBoard:
    """Where the deliverables of the run are kept; those of a branch are kept in its log alone."""
    checked = context.checked
    if checked.workflow.place == "branch" or checked.workflow.deliverables_in == "log":
        return MemoryStatusBoard(context.history.deliverables)
    return StatusFile(checked.project.root / STATUS_FILE)


def _notes(context: RunContext) -> ProjectNotes:
    """A run on a branch writes nothing into the checkout: its log has what it leaves."""
    checked = context.checked
    if checked.workflow.place == "branch":
        return NoNotes()
    return NoteFiles(checked.project.root, checked.request.run)


def _project_facts(context: RunContext) -> ProjectFacts:
    project = context.settings.project
    return ProjectFacts(
        spec=project.spec,
        specs=project.specs,
        notes=NOTES_FILE,
        setup=project.setup,
        check=project.check,
        test=project.test,
    )


async def _session_parts(context: RunContext, workspace: RunWorkspace) -> SessionParts:
    checked = context.checked
    briefs = SessionBriefs(
        workflow=checked.workflow,
        setup=await _session_setup(context, workspace),
        workspace=workspace,
        guard=await tool_guard(context, workspace),
        new_session_id=fresh_session_id,
    )
    return SessionParts(
        briefs=briefs,
        limits=session_limits(context.settings),
        admission=session_admission(context),
        slots=checked.host.slots,
        terminal=checked.host.terminal,
        new_setup=lambda: workspace_setup(context, workspace).prepare,
        forget_setup=lambda: (checked.directory / SETUP_MARKER).unlink(missing_ok=True),
        awaited_files=lambda: workspace_setup(context, workspace).awaited_files(),
    )


async def _session_setup(context: RunContext, workspace: RunWorkspace) -> SessionSetup:
    settings, servers = context.settings, context.servers.table
    return SessionSetup(
        model=settings.agent.model,
        plan_model=settings.agent.plan_model,
        thinking_tokens=settings.agent.thinking or None,
        toolset=merge_tools(settings.allowed_tools, permission_rules(settings), servers),
        mcp_servers=servers,
        instructions=await _project_instructions(context, workspace),
        identity=context.checked.identity,
        home=context.checked.private_home,
        conditions=SessionConditions(
            context.checked.confinement,
            settings.sandbox.network,
            settings.sandbox.hosts,
            "closed" if context.checked.open_indexes is None else "open",
        ),
        limit=execution_limit(settings),
    )


async def _project_instructions(context: RunContext, workspace: RunWorkspace) -> str:
    """What the project's file for agents says; a file that cannot be used is warned of once."""
    file = context.checked.agent_kind.instructions_file
    if not file:
        return ""
    text = await project_context(context.checked.project.git, workspace.snapshot, file)
    if isinstance(text, UnusableContext):
        warning = f"{file} is left out: {text.reason}"
        context.recorder.record(RunWarned(warning), once=warning)
        return ""
    return text


def _check_parts(context: RunContext, workspace: RunWorkspace, timer: RunTimer) -> CheckParts:
    checked, verify = context.checked, context.settings.verify
    return CheckParts(
        runner=run_check_runner(context, workspace, timer),
        suite=_test_suite(context) if checked.workflow.runs_tests else None,
        check_s=verify.check_minutes * 60,
        coverage=verify.coverage,
        require_checks=verify.require_checks,
        required=verify.require,
        judges=PinnedJudges(checked.project.git, context.settings.project.setup),
        why_not_run=why_no_check(checked, workspace.path),
        is_allowed=may_run(checked, workspace.path),
    )


def _test_suite(context: RunContext) -> SuiteCommand | None:
    """The project's tests, if it has a command for them."""
    command, verify = context.settings.project.test.strip(), context.settings.verify
    if not command:
        return None

    def warn_unmatched(pattern: str) -> None:
        warning = f"the test command wrote no report that matches {pattern!r}"
        hint = "see verify.reports and verify.coverage_reports"
        context.recorder.record(RunWarned(f"{warning}; {hint}"), once=f"unmatched {pattern}")

    return SuiteCommand(
        command, verify.test_minutes * 60, verify.reports, verify.coverage_reports, warn_unmatched
    )


def _run_inputs(context: RunContext) -> RunInputs:
    settings, request = context.settings, context.checked.request
    ledger = DatabaseLedger(context.database)

    def others_today() -> float:
        now = SystemClock().now()
        return others_today_usd(ledger, request.run, now, rehearsal=request.rehearsal)

    def before_today() -> float:
        now = SystemClock().now()
        return before_today_usd(ledger, request.run, now, rehearsal=request.rehearsal)

    return RunInputs(
        limits=lambda: run_limits(settings),
        wait_for_quota=settings.quota.wait,
        stopping=lambda: context.stop.reason,
        others_today_usd=others_today,
        fix_rounds=settings.verify.fix_rounds,
        before_today_usd=before_today,
        own_names=context.checked.workflow.settings,
    )


def _planning_rules(context: RunContext) -> PlanningRules:
    planning = context.settings.planning
    minutes = planning.auto_approve_minutes
    return PlanningRules(
        gate="open" if planning.approve or context.checked.workflow.asks_about_plan else "off",
        patience=timedelta(minutes=minutes) if minutes else None,
        max_cost_usd=planning.max_planning_cost_usd,
        past_efforts=lambda: past_efforts(
            context.database, context.checked.environment.storage, context.run
        ),
    )


def _pacing(context: RunContext) -> Pacing:
    settings = context.settings
    return Pacing(
        delay_s=settings.deliver.delay_s,
        backoff_s=settings.deliver.backoff_s,
        quota_margin_s=settings.quota.margin_s,
    )


def _warn_of_agent_settings(context: RunContext, workspace: Path) -> None:
    """Warn once per run about settings for coding agents that Treadle does not load."""
    found = find_agent_settings(workspace, context.checked.agent_kind.project_settings)
    if notice := ignored_settings_notice(found):
        context.recorder.record(RunWarned(notice), once="foreign settings")
