"""Lines for what Treadle itself found out about the work: checks, tests, what judges it."""

from typing import TypeAlias, assert_never

from treadle.cli.terminal.duration import duration
from treadle.cli.terminal.figures import short_commit
from treadle.cli.terminal.palette import Style
from treadle.cli.terminal.standing import SHORTEST_DESCRIPTION
from treadle.cli.terminal.text import fit, width_of
from treadle.cli.terminal.verification_words import (
    LISTED_MOST,
    ended,
    last_lines,
    objection_lines,
    suite_makeup,
    suite_outcomes,
    suite_verdict,
    touched_lines,
    touched_title,
    why_refused,
)
from treadle.cli.terminal.verified import Verified
from treadle.cli.terminal.view import Level, Line, View
from treadle.domain.events.verification import (
    CheckAdded,
    CheckFinished,
    ClaimRefused,
    DeliverableClaimed,
    EvidenceTouched,
    RegressionFound,
    SuiteFinished,
)

VerificationEvent: TypeAlias = (
    CheckAdded
    | DeliverableClaimed
    | ClaimRefused
    | CheckFinished
    | RegressionFound
    | SuiteFinished
    | EvidenceTouched
)

# Lines of output behind a red check; somebody who wants more to be said gets more of them.
OUTPUT: dict[Level, int] = {Level.NORMAL: 5, Level.VERBOSE: 20, Level.DEBUG: 40}


def verification_lines(event: VerificationEvent, verified: Verified, view: View) -> list[Line]:
    """What is against the work, from the normal level on; what speaks for it, when asked.
    `verified` has this event in it already."""
    if view.level < Level.NORMAL:
        return []
    match event:
        case CheckAdded():
            return _added(event, verified, view)
        case DeliverableClaimed() | ClaimRefused():
            return [_claim(event, view)]
        case CheckFinished():
            return _finished(event, view)
        case RegressionFound():
            return [_broken(event)]
        case SuiteFinished():
            return _suite(event, verified, view)
        case EvidenceTouched():
            return _touched(event, view)
        case _:
            assert_never(event)


def _added(event: CheckAdded, verified: Verified, view: View) -> list[Line]:
    """Worth a line at once: from now on something else decides when it is done."""
    check = event.check
    how = "is new"
    if verified.replaced is not None:
        same = verified.replaced.command == check.command
        how = "must be seen to fail anew" if same else "is another now"
    if view.level < Level.VERBOSE:
        head = f"  check for {event.deliverable} {how}: "
        return [((head, "quiet"), (check.command, "plain"))]
    where: Line = (
        (f"  check {how} for ", "quiet"),
        (f"{event.deliverable}: {check.criterion}", "plain"),
    )
    return [where, _command(check.command)]


def _claim(event: DeliverableClaimed | ClaimRefused, view: View) -> Line:
    if isinstance(event, DeliverableClaimed):
        return _said(event, "claimed ", "checked after the session", view, style="signal")
    return _said(event, "[PENDING] ", f"claim refused: {why_refused(event)}", view, style="bad")


def _said(
    event: DeliverableClaimed | ClaimRefused, head: str, tail: str, view: View, *, style: Style
) -> Line:
    name = f"({fit(event.id, view.width // 3)})"
    room = view.width - width_of(f"  {head} {name}  {tail}")
    return (
        (f"  {head}", style),
        (f"{fit(event.description, max(room, SHORTEST_DESCRIPTION))} ", "plain"),
        (name, "quiet"),
        (f"  {tail}", "quiet"),
    )


def _finished(event: CheckFinished, view: View) -> list[Line]:
    evidence = event.evidence
    if evidence.when == "before":
        return _before(event, view)
    if evidence.when == "bisect":
        return _looked_for(event, view)
    if evidence.is_green:
        return _green(event, view)
    return [
        _told(event, "✘ check failed", ended(evidence), style="bad"),
        _command(evidence.command),
        *last_lines(event.output, view, most=OUTPUT[view.level], indent="    "),
    ]


def _before(event: CheckFinished, view: View) -> list[Line]:
    """Red is as it should be; green is a check that shows nothing, and worth a word at once."""
    took = duration(event.evidence.duration_s)
    if event.evidence.is_green:
        text = "! check passes before the work, so it shows nothing"
        return [_told(event, text, took, style="warning"), _command(event.evidence.command)]
    if view.level < Level.VERBOSE:
        return []
    return [_told(event, "check fails before the work, as it should", took, style="quiet")]


def _green(event: CheckFinished, view: View) -> list[Line]:
    if view.level < Level.VERBOSE:
        return []
    again = " again" if event.evidence.when == "again" else ""
    took = duration(event.evidence.duration_s)
    told = _told(event, f"✔ check passed{again}", took, style="good")
    return [told, _command(event.evidence.command)]


def _looked_for(event: CheckFinished, view: View) -> list[Line]:
    """One probe in the search for the round that broke it."""
    if view.level < Level.VERBOSE:
        return []
    how = "holds" if event.evidence.is_green else "is broken"
    return [
        _told(event, f"check {how}", f"at {short_commit(event.evidence.commit)}", style="quiet")
    ]


def _told(event: CheckFinished, what: str, fact: str, *, style: Style) -> Line:
    """The criterion stands last: it is the one part that may be long, and be cut."""
    return (
        (f"  {what}", style),
        (f" · {fact} · ", "quiet"),
        (f"{event.deliverable}: {event.criterion}", "plain"),
    )


def _broken(event: RegressionFound) -> Line:
    since = "" if event.round is None else f" in round {event.round}"
    return (
        (f"  ✘ broken{since}", "bad"),
        (" · it had been shown before · ", "quiet"),
        (f"{event.deliverable}: {event.criterion}", "plain"),
    )


def _suite(event: SuiteFinished, verified: Verified, view: View) -> list[Line]:
    took = duration(event.evidence.duration_s)
    if event.evidence.when == "before":
        return _baseline(event, took, view)
    verdict, style = suite_verdict(event, accepted_by=verified.accepted_by)
    mark = "✘" if event.objections else "✔"
    how = took if event.counts else ended(event.evidence)
    return [
        ((f"  {mark} tests: {verdict}", style), (f" · {how}", "quiet")),
        *_makeup(event),
        *objection_lines(event.objections, view, indent="    "),
        *_output(event, view),
        *_excused(event, view),
    ]


def _baseline(event: SuiteFinished, took: str, view: View) -> list[Line]:
    if event.evidence.is_green and view.level < Level.VERBOSE:
        return []
    outcomes = suite_outcomes(event)
    how = f"{outcomes} · {took}" if outcomes else ended(event.evidence)
    text = f"  tests before the work: {how}"
    return [((text, "quiet"),), *_makeup(event), *_excused(event, view)]


def _makeup(event: SuiteFinished) -> list[Line]:
    makeup = suite_makeup(event)
    return [((f"    {makeup}", "quiet"),)] if makeup else []


def _output(event: SuiteFinished, view: View) -> list[Line]:
    """Where no report tells what failed, the end of the output has to."""
    if any(each.finding != "broken_run" for each in event.objections) or not event.objections:
        return []
    return last_lines(event.output, view, most=OUTPUT[view.level], indent="    ")


def _excused(event: SuiteFinished, view: View) -> list[Line]:
    """Red tests that are not the work's fault: the names only when asked for."""
    kinds = ((event.known_red, "red before the work as well"), (event.flaky, "flaky"))
    lines: list[Line] = []
    for names, what in kinds:
        if names:
            listed = ", ".join(names) if view.level >= Level.VERBOSE else f"{len(names)}"
            lines.append(((f"    {what}: {listed}", "quiet"),))
    return lines


def _touched(event: EvidenceTouched, view: View) -> list[Line]:
    """The summary right behind it says so first."""
    if not event.files or view.level < Level.VERBOSE:
        return []
    title: Line = ((f"  ! {touched_title(event.files)}", "warning"),)
    return [title, *touched_lines(event.files, indent="    ", most=LISTED_MOST)]


def _command(command: str) -> Line:
    return (("    $ ", "quiet"), (command, "plain"))
