"""Lines for verification: checks, tests, and changed evidence files."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.deliverable_line import REASON_LINES, SHORTEST_DESCRIPTION
from treadle.cli.terminal.evidence_lines import (
    last_lines,
    objection_lines,
    touched_block,
)
from treadle.cli.terminal.styled_lines import Line, RenderOptions, Verbosity, sentence
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    ClaimRefused,
    DeliverableClaimed,
    DeliverableGraded,
    EvidenceTouched,
    RegressionFound,
    SuiteFinished,
    SuiteGraded,
)
from treadle.views.check_text import exit_text
from treadle.views.duration import duration
from treadle.views.figures import short_commit
from treadle.views.safe_text import fit, one_spaced, width_of
from treadle.views.style import Style
from treadle.views.verification_state import VerificationState
from treadle.views.verification_text import (
    suite_makeup,
    suite_outcomes,
    suite_verdict,
    why_refused,
)

VerificationEvent: TypeAlias = (
    CheckAdded
    | DeliverableClaimed
    | ClaimRefused
    | CheckFinished
    | DeliverableGraded
    | SuiteGraded
    | RegressionFound
    | SuiteFinished
    | EvidenceTouched
)

# Lines of output below a red check, by level.
OUTPUT_LINES: dict[Verbosity, int] = {
    Verbosity.NORMAL: 5,
    Verbosity.VERBOSE: 20,
    Verbosity.DEBUG: 40,
}


def verification_lines(
    event: VerificationEvent, verified: VerificationState, options: RenderOptions
) -> list[Line]:
    """Failures from the normal level on, passes from the verbose level on.
    `verified` includes this event."""
    if options.level < Verbosity.NORMAL:
        return []
    match event:
        case CheckAdded():
            return _check_added_lines(event, verified, options)
        case DeliverableClaimed() | ClaimRefused():
            return [_claim_event_line(event, options)]
        case CheckFinished():
            return _check_finished_lines(event, options)
        case RegressionFound():
            return [_regression_line(event)]
        case DeliverableGraded() | SuiteGraded() | SuiteFinished():
            return _result_lines(event, verified, options)
        case EvidenceTouched():
            return _touched_event_lines(event, options)
        case _:
            assert_never(event)


def _check_added_lines(
    event: CheckAdded, verified: VerificationState, options: RenderOptions
) -> list[Line]:
    """Shown at once: from now on this check decides when the criterion is met."""
    check = event.check
    how = "is new"
    if verified.replaced is not None:
        same = verified.replaced.command == check.command
        how = "must fail again first" if same else "has changed"
    if options.level < Verbosity.VERBOSE:
        head = f"  check for {event.deliverable} {how}: "
        return [((head, "quiet"), (check.command, "plain"))]
    where: Line = (
        (f"  check {how} for ", "quiet"),
        (f"{event.deliverable}: {check.criterion}", "plain"),
    )
    return [where, _command_line(check.command)]


def _claim_event_line(event: DeliverableClaimed | ClaimRefused, options: RenderOptions) -> Line:
    if isinstance(event, DeliverableClaimed):
        return _claim_line(event, "claimed ", "checked after the session", options, style="signal")
    return _claim_line(
        event, "[PENDING] ", f"claim refused: {why_refused(event)}", options, style="bad"
    )


def _claim_line(
    event: DeliverableClaimed | ClaimRefused,
    head: str,
    tail: str,
    options: RenderOptions,
    *,
    style: Style,
) -> Line:
    name = f"({fit(event.id, options.width // 3)})"
    room = options.width - width_of(f"  {head} {name}  {tail}")
    return (
        (f"  {head}", style),
        (f"{fit(one_spaced(event.description), max(room, SHORTEST_DESCRIPTION))} ", "plain"),
        (name, "quiet"),
        (f"  {tail}", "quiet"),
    )


def _check_finished_lines(event: CheckFinished, options: RenderOptions) -> list[Line]:
    evidence = event.evidence
    if evidence.when == "before":
        return _check_before_lines(event, options)
    if evidence.when == "bisect":
        return _bisect_lines(event, options)
    if evidence.when == "pinned":
        return _pinned_lines(event, options)
    if event.is_green:
        return _check_passed_lines(event, options)
    how = event.unfinished or exit_text(evidence)
    return [
        _check_line(event, "✘ check failed", how, style="bad"),
        _command_line(evidence.command),
        *last_lines(event.output, options, most=OUTPUT_LINES[options.level], indent="    "),
    ]


def _check_before_lines(event: CheckFinished, options: RenderOptions) -> list[Line]:
    """A check should fail before the work; one that passes proves nothing and gets a warning."""
    took = duration(event.evidence.duration_s)
    if event.is_green:
        text = "! check passes before the work, so it proves nothing"
        return [
            _check_line(event, text, took, style="warning"),
            _command_line(event.evidence.command),
        ]
    if event.inconclusive:
        return [
            _check_line(event, "! check could not run before the work", took, style="warning"),
            ((f"    {fit(event.inconclusive, options.width - 4)}", "quiet"),),
        ]
    if options.level < Verbosity.VERBOSE:
        return []
    return [_check_line(event, "check fails before the work, as it should", took, style="quiet")]


def _check_passed_lines(event: CheckFinished, options: RenderOptions) -> list[Line]:
    if options.level < Verbosity.VERBOSE:
        return []
    again = " again" if event.evidence.when == "again" else ""
    took = duration(event.evidence.duration_s)
    line = _check_line(event, f"✔ check passed{again}", took, style="good")
    return [line, _command_line(event.evidence.command)]


def _pinned_lines(event: CheckFinished, options: RenderOptions) -> list[Line]:
    """The run with the user's own tests, which decides the grade."""
    if options.level < Verbosity.VERBOSE:
        return []
    mark, how = ("✔", "passes") if event.is_green else ("!", "fails")
    style: Style = "good" if event.is_green else "warning"
    text = f"{mark} check {how} with your version of the tests"
    return [_check_line(event, text, duration(event.evidence.duration_s), style=style)]


def _result_lines(
    event: DeliverableGraded | SuiteGraded | SuiteFinished,
    verified: VerificationState,
    options: RenderOptions,
) -> list[Line]:
    if isinstance(event, SuiteFinished):
        return _suite_lines(event, verified, options)
    return _grade_lines(event, options)


def _grade_lines(event: DeliverableGraded | SuiteGraded, options: RenderOptions) -> list[Line]:
    """Grades of criteria from the verbose level on: the line of the pass shows the lowest."""
    if isinstance(event, SuiteGraded):
        if event.grade == "proven" or not event.why:
            return []
        text = f"graded {event.grade}: {event.why}"
        return sentence(text, style="quiet", options=options, most=REASON_LINES, indent="    ")
    if options.level < Verbosity.VERBOSE:
        return []
    return [
        ((f"    {each.grade}: ", "quiet"), (each.criterion, "plain"), (f"  {each.why}", "quiet"))
        for each in event.criteria
    ]


def _bisect_lines(event: CheckFinished, options: RenderOptions) -> list[Line]:
    """One probe in the search for the round that broke it."""
    if options.level < Verbosity.VERBOSE:
        return []
    how = "holds" if event.is_green else "is broken"
    return [
        _check_line(
            event, f"check {how}", f"at {short_commit(event.evidence.commit)}", style="quiet"
        )
    ]


def _check_line(event: CheckFinished, what: str, fact: str, *, style: Style) -> Line:
    """The criterion comes last: it may be long and be cut."""
    return (
        (f"  {what}", style),
        (f" · {fact} · ", "quiet"),
        (f"{event.deliverable}: {event.criterion}", "plain"),
    )


def _regression_line(event: RegressionFound) -> Line:
    since = "" if event.round is None else f" in round {event.round}"
    return (
        (f"  ✘ broken{since}", "bad"),
        (" · it passed before · ", "quiet"),
        (f"{event.deliverable}: {event.criterion}", "plain"),
    )


def _suite_lines(
    event: SuiteFinished, verified: VerificationState, options: RenderOptions
) -> list[Line]:
    took = duration(event.evidence.duration_s)
    if event.evidence.when == "before":
        return _baseline_lines(event, took, options)
    if event.evidence.when == "pinned" and options.level < Verbosity.VERBOSE:
        return []
    verdict, style = suite_verdict(event, accepted_by=verified.accepted_by)
    mark = "✘" if event.objections else "✔"
    how = took if event.counts else exit_text(event.evidence)
    whose = "your version of the tests" if event.evidence.when == "pinned" else "tests"
    return [
        ((f"  {mark} {whose}: {verdict}", style), (f" · {how}", "quiet")),
        *_makeup_lines(event),
        *objection_lines(event.objections, options, indent="    "),
        *_output_lines(event, options),
        *_excused_lines(event, options),
    ]


def _baseline_lines(event: SuiteFinished, took: str, options: RenderOptions) -> list[Line]:
    if event.evidence.is_green and options.level < Verbosity.VERBOSE:
        return []
    outcomes = suite_outcomes(event)
    how = f"{outcomes} · {took}" if outcomes else exit_text(event.evidence)
    text = f"  tests before the work: {how}"
    return [((text, "quiet"),), *_makeup_lines(event), *_excused_lines(event, options)]


def _makeup_lines(event: SuiteFinished) -> list[Line]:
    makeup = suite_makeup(event)
    return [((f"    {makeup}", "quiet"),)] if makeup else []


def _output_lines(event: SuiteFinished, options: RenderOptions) -> list[Line]:
    """The end of the output, if no report says what failed."""
    if any(each.finding != "broken_run" for each in event.objections) or not event.objections:
        return []
    return last_lines(event.output, options, most=OUTPUT_LINES[options.level], indent="    ")


def _excused_lines(event: SuiteFinished, options: RenderOptions) -> list[Line]:
    """Red tests that the work did not cause; their names from the verbose level on."""
    kinds = ((event.known_red, "failing before the work too"), (event.flaky, "flaky"))
    lines: list[Line] = []
    for names, what in kinds:
        if names:
            listed = ", ".join(names) if options.level >= Verbosity.VERBOSE else f"{len(names)}"
            lines.append(((f"    {what}: {listed}", "quiet"),))
    return lines


def _touched_event_lines(event: EvidenceTouched, options: RenderOptions) -> list[Line]:
    """At the normal level the summary that follows shows them."""
    if not event.files or options.level < Verbosity.VERBOSE:
        return []
    return touched_block(event.files, options)


def _command_line(command: str) -> Line:
    return (("    $ ", "quiet"), (command, "plain"))
