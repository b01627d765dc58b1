"""Records what a person reads first of a run: that it has started, and what to know about it."""

from datetime import UTC, datetime

from treadle._version import __version__
from treadle.domain.detected_login import DetectedLogin
from treadle.domain.events.run import RunRecovered, RunStarted, RunWarned
from treadle.domain.stored_path import stored_path
from treadle.runs.credentials import find_login
from treadle.runs.login_text import lasting_warning, login_title
from treadle.runs.request import specification_notice
from treadle.wiring.checked_request import CheckedRequest
from treadle.wiring.limits import run_limits
from treadle.wiring.run_context import RunContext

UNSANDBOXED = "unsandboxed: the agent can do anything that you can do on this machine"


def record_start(context: RunContext, warnings: list[str]) -> None:
    """Record that the run has started, or that this process recovered it."""
    recorder, checked, last = context.recorder, context.checked, context.history.last_event
    fresh = last in ("", "run.queued")
    login = (
        None if checked.request.rehearsal else find_login(checked.environment, checked.agent_kind)
    )
    if fresh:
        recorder.record(start_event(checked, login))
    elif last != "run.reopened":
        recorder.record(RunRecovered(run_limits(context.settings), checked.confinement))
    if checked.unconfined:
        # Each time: the sandbox may have been switched off only for this leg.
        recorder.record(RunWarned(UNSANDBOXED))
    if checked.workflow.specification == "file":
        warnings = [specification_notice(checked.spec, checked.spec_text), *warnings]
    if login is not None:
        minutes = run_limits(context.settings).max_minutes
        warnings = [*warnings, lasting_warning(login, datetime.now(UTC), minutes)]
    for warning in filter(None, warnings):
        recorder.record(RunWarned(warning), once=f"told {warning}")


def start_event(checked: CheckedRequest, login: DetectedLogin | None = None) -> RunStarted:
    """The event of a run that starts now."""
    settings, request = checked.settings, checked.request
    return RunStarted(
        run=request.run,
        workflow=request.workflow,
        project=stored_path(checked.project.root),
        project_key=checked.project.key,
        version=__version__,
        model=settings.agent.model,
        plan_model=settings.agent.plan_model,
        limits=run_limits(settings),
        sandbox=checked.confinement,
        rehearsal=request.rehearsal,
        login=login_title(login),
        queue=request.queue,
    )
