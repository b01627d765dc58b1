"""Lines for the work: deliverables and their status, the workspace, commits and landing."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.deliverable_line import deliverable_lines
from treadle.cli.terminal.evidence_lines import tool_file_block
from treadle.cli.terminal.run_lines import marked_lines
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, paragraph, quoted
from treadle.domain.deliverable import tally
from treadle.domain.events.publishing import (
    BranchPushed,
    FeedbackItem,
    FeedbackReceived,
    PullRequestFollowed,
    PullRequestOpened,
    PullRequestUpdated,
)
from treadle.domain.events.work import (
    IGNORED_FILE,
    INCLUDED_FILE,
    SECRET_FILE,
    CommitsKept,
    DeliverableChanged,
    DeliverableCreated,
    LandingUndone,
    PlanMade,
    SetupFinished,
    StatusAdopted,
    ToolFilesTouched,
    WithheldPath,
    WorkChanged,
    WorkCommitted,
    WorkContinued,
    WorkDropped,
    WorkImported,
    WorkKept,
    WorkLanded,
    WorkRestored,
    WorkspacePrepared,
    WorkWithheld,
)
from treadle.domain.ids import short_id
from treadle.views.alerts import changes_text
from treadle.views.deliverable_state import find_deliverable
from treadle.views.deliverable_view import DeliverableView
from treadle.views.duration import duration
from treadle.views.figures import pluralize, short_commit
from treadle.views.log_state import LogState
from treadle.views.publishing_state import PublishingEvent
from treadle.views.recovery_text import RecoveryEvent
from treadle.views.workflow_labels import imports_branch

DeliverableEvent: TypeAlias = DeliverableCreated | DeliverableChanged | StatusAdopted | PlanMade
PreparationEvent: TypeAlias = WorkContinued | WorkspacePrepared | SetupFinished
CommitEvent: TypeAlias = (
    WorkCommitted | WorkImported | WorkChanged | WorkLanded | WorkKept | CommitsKept
)

ORIGIN_LINES = 3


def work_lines(
    event: DeliverableEvent
    | PreparationEvent
    | CommitEvent
    | PublishingEvent
    | RecoveryEvent
    | WorkWithheld
    | ToolFilesTouched,
    state: LogState,
    options: RenderOptions,
) -> list[Line]:
    """What happened to the work, from the deliverables to the landing."""
    match event:
        case WorkWithheld():
            return withheld_lines(event, options)
        case ToolFilesTouched():
            # At the normal level the summary that follows shows them.
            shown = options.level >= Verbosity.VERBOSE
            return tool_file_block(event.files, options) if shown else []
        case DeliverableCreated() | DeliverableChanged() | StatusAdopted() | PlanMade():
            return status_lines(event, state, options)
        case WorkContinued() | WorkspacePrepared() | SetupFinished():
            return preparation_lines(event, state, options)
        case (
            BranchPushed()
            | PullRequestOpened()
            | PullRequestUpdated()
            | PullRequestFollowed()
            | FeedbackReceived()
        ):
            return publishing_lines(event) if options.level >= Verbosity.NORMAL else []
        case WorkDropped() | WorkRestored() | LandingUndone():
            return recovery_lines(event) if options.level >= Verbosity.NORMAL else []
        case _:
            return commit_lines(event, options)


def publishing_lines(event: PublishingEvent) -> list[Line]:
    """What left this machine, and what came back."""
    match event:
        case BranchPushed():
            return [((f"pushed {event.branch} to {event.remote}", "quiet"),)]
        case PullRequestOpened():
            kind = "draft pull request" if event.draft else "pull request"
            return [((f"{kind} opened: {event.url}", "good"),)]
        case PullRequestUpdated():
            return [((f"pull request updated: {event.url}", "good"),)]
        case PullRequestFollowed():
            until = f"{event.until:%Y-%m-%d %H:%M} UTC"
            return [((f"following {event.url} until {until}", "quiet"),)]
        case FeedbackReceived():
            heading = f"feedback on the pull request (round {event.round}):"
            listed = [_feedback_line(each) for each in event.items]
            return [((heading, "signal"),), *listed]


def _feedback_line(item: FeedbackItem) -> Line:
    place = f" ({item.place})" if item.place else ""
    words = "CI check failed" if item.source == "ci" else "comment"
    return ((f"  {words}: {item.author}{place}", "plain"),)


def recovery_lines(event: RecoveryEvent) -> list[Line]:
    """What a person gave up, or brought back."""
    match event:
        case WorkDropped():
            names = ", ".join(each.branch for each in event.branches)
            return [((f"dropped {names or 'the workspace'}; `treadle undo` restores it", "quiet"),)]
        case WorkRestored():
            names = ", ".join((*event.branches, *event.refs))
            return [((f"restored {names or 'the workspace'}", "quiet"),)]
        case LandingUndone():
            text = f"landing undone; {short_commit(event.commit)} is on {event.branch}"
            return [((text, "quiet"),)]
        case _:
            assert_never(event)


def status_lines(event: DeliverableEvent, state: LogState, options: RenderOptions) -> list[Line]:
    """One line per change of status, from the normal level on."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case DeliverableCreated():
            created = event.deliverable
            deliverable = DeliverableView(created.id, created.description, created.status)
            return deliverable_lines(deliverable, options, note="new")
        case DeliverableChanged():
            known = find_deliverable(state.deliverables, event.id)
            plain = DeliverableView(event.id, event.description, event.status, event.proof)
            return deliverable_lines(known or plain, options)
        case StatusAdopted():
            return [_adopted_line(event)]
        case PlanMade():
            return []
        case _:
            assert_never(event)


def _adopted_line(event: StatusAdopted) -> Line:
    now = tally(event.deliverables)
    counts = f"{now.passed} passed, {now.blocked} blocked, {now.total} in total"
    match event.origin:
        case "hand_edit":
            return ((f"  ! status.json was edited by hand: {counts}", "warning"),)
        case "plan_accepted":
            return (("  the checks of the plan are yours now", "quiet"),)
        case "plan_rejected":
            return (("  the plan was dropped; a new one follows", "quiet"),)
        case "earlier_run":
            return ((f"earlier deliverables: {counts}", "quiet"),)


def preparation_lines(
    event: PreparationEvent, state: LogState, options: RenderOptions
) -> list[Line]:
    """The workspace that the work starts in."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case WorkContinued():
            name = short_id(event.run)
            return [
                ((f"continues the work of run {name}, which is not merged", "quiet"),),
                ((f"to start without it: treadle drop {name}", "quiet"),),
            ]
        case WorkspacePrepared():
            return _prepared_lines(event, state, options)
        case SetupFinished():
            return _setup_lines(event, options)
        case _:
            assert_never(event)


def commit_lines(event: CommitEvent, options: RenderOptions) -> list[Line]:
    """Commits and their import; the summary says where the work ended up."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case WorkCommitted():
            message = event.message.strip().partition("\n")[0]
            return [((f"  committed {short_commit(event.commit)} {message}", "quiet"),)]
        case WorkImported():
            text = f"  {pluralize(event.commits, 'commit')} on {event.branch}"
            return [((text, "quiet"),)] if options.level >= Verbosity.VERBOSE else []
        case WorkChanged():
            text = f"  files: {changes_text(event)}"
            return [((text, "quiet"),)] if options.level >= Verbosity.VERBOSE else []
        case WorkLanded():
            text = f"  landed {event.branch} at {short_commit(event.commit)}"
            return [((text, "good"),)] if options.level >= Verbosity.VERBOSE else []
        case WorkKept():
            text = f"  kept on {event.branch}: {event.reason}"
            return [((text, "warning"),)] if options.level >= Verbosity.VERBOSE else []
        case CommitsKept():
            text = f"  {pluralize(event.commits, 'dropped commit')} kept in {event.store}"
            return [((text, "quiet"),)] if options.level >= Verbosity.VERBOSE else []
        case _:
            assert_never(event)


def withheld_lines(event: WorkWithheld, options: RenderOptions) -> list[Line]:
    """One line for each path that was left out of a commit."""
    if options.level < Verbosity.NORMAL:
        return []
    texts = [f"not committed: {_withheld_text(path)}" for path in event.places]
    if event.more:
        texts.append(f"not committed: {event.more:,} more files")
    return [line for text in texts for line in marked_lines("!", text, options)]


def _withheld_text(withheld: WithheldPath) -> str:
    if withheld.is_protected:
        return f"{withheld.path} is protected from changes by an agent"
    if withheld.kind == SECRET_FILE:
        return f"{withheld.path} looks like a secret file"
    if withheld.kind == INCLUDED_FILE:
        return f"{withheld.path} is in workspace.include"
    if withheld.kind == IGNORED_FILE:
        return f"{withheld.path} is new, and git ignores that path"
    line = f" line {withheld.line}" if withheld.line else ""
    return f"{withheld.path}{line} holds what looks like {withheld.kind}"


def _prepared_lines(
    event: WorkspacePrepared, state: LogState, options: RenderOptions
) -> list[Line]:
    # The branch of a clone whose work is not imported never exists in the user's repository.
    imports = state.started is None or imports_branch(state.started.workflow)
    start = f"branch {event.branch} from" if imports else "judging"
    text = f"{start} {_origin_text(event)}"
    lines = paragraph(text, style="quiet", options=options, most=ORIGIN_LINES, indent="")
    if options.level >= Verbosity.VERBOSE:
        lines.append(((f"workspace {event.path}", "quiet"),))
    return lines


def _setup_lines(event: SetupFinished, options: RenderOptions) -> list[Line]:
    took = duration(event.duration_s)
    where = f" on a clean checkout of {short_commit(event.commit)}" if event.commit else ""
    if event.exit_code == 0:
        # A round may need several checkouts.
        if event.commit and options.level < Verbosity.VERBOSE:
            return []
        return [((f"set up in {took}{where}: {event.command}", "quiet"),)]
    # Logs of older versions name no cause.
    cause = event.cause or event.output.strip().splitlines()[-3:]
    first = f"setup failed with exit code {event.exit_code}{where} after {took}: {event.command}"
    return [
        *marked_lines("!", first, options),
        *((quoted("  "), (line, "quiet")) for line in cause),
    ]


def _origin_text(event: WorkspacePrepared) -> str:
    if event.head is None:
        return "a repository without commits"
    checkout = f"{event.checkout} at " if event.checkout else ""
    changes = "" if event.head == event.snapshot else " with its uncommitted changes"
    return f"{checkout}{short_commit(event.head)}{changes}"
