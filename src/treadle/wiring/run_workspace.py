"""The workspace of a run, from its settings: found where the log names one, else made."""

from treadle.policy.secret_search import SecretSearch
from treadle.wiring.protected_paths import protected_paths
from treadle.wiring.run_context import RunContext
from treadle.workflows.loop.open_workspace import make_workspace, reopen_workspace
from treadle.workflows.loop.run_workspace import RunWorkspace
from treadle.workflows.loop.workspace_spec import PreviousRuns, WorkspaceSpec


async def open_run_workspace(context: RunContext, previous: PreviousRuns) -> RunWorkspace:
    checked, history, settings = context.checked, context.history, context.settings
    spec = WorkspaceSpec(
        project=checked.project,
        run=context.run,
        identity=checked.identity,
        directory=checked.directory,
        credit_patterns=() if settings.agent.attribution else checked.agent_kind.credit_patterns,
        form="commits" if settings.commit else "files",
        log=context.recorder,
        landed=previous.landed,
        earlier=previous.unlanded,
        search=SecretSearch(context.secrets),
        protected=protected_paths(settings, checked.project.root),
        clean=context.redact,
    )
    if history.prepared is None:
        return await make_workspace(spec, specification=checked.spec_text, spec=checked.spec)
    workspace = await reopen_workspace(spec, history.prepared, history.imported)
    if not history.has_worked:
        await workspace.prepare(checked.spec)
    return workspace
