"""The facts about a run's work: where it is, how it is merged, who follows it. Pure."""

from shlex import quote

from treadle.domain.ids import short_id
from treadle.domain.run import RunResult
from treadle.views.completion import PublishedWork, change_line, published_work, usage_line
from treadle.views.facts import CommandFact, Fact, ReasonFact, RunFact
from treadle.views.figures import pluralize, short_commit
from treadle.views.log_state import LogState


def work_facts(state: LogState, result: RunResult | None) -> list[RunFact]:
    """Where the work is, and the one command that merges it if it waits."""
    commits = pluralize(state.commits, "commit")
    if state.landed is not None:
        text = f"landed in your checkout: {commits} at {short_commit(state.landed.commit)}"
        if state.landed.form == "files":
            text = "landed in your checkout as uncommitted changes"
        facts: list[RunFact] = [Fact("work", text, "good"), Fact("branch", state.landed.branch)]
        if state.snapshot and state.landed.form == "commits":
            text = f"your uncommitted changes are in {short_commit(state.snapshot)}, before it"
            facts.append(Fact("yours", text, "warning"))
        return facts
    if (published := published_work(state)) is not None:
        return _published_facts(published, result, state)
    if state.kept is not None:
        return [
            Fact("work", f"{commits}, not merged: {state.kept.reason}", "warning"),
            Fact("branch", state.kept.branch),
            CommandFact("to merge", state.kept.command),
        ]
    return [Fact("work", f"{commits} on {state.branch}" if state.commits else "no commits")]


def dropped_facts(state: LogState) -> list[RunFact]:
    """Commits that sessions made and dropped again, and the command that shows them."""
    dropped = state.dropped
    if dropped is None or not dropped.refs:
        return []
    first, last = dropped.refs[0], dropped.refs[-1]
    refs = first if first == last else f"{first} to {last.rpartition('/')[2]}"
    return [
        Fact("dropped", f"{pluralize(dropped.commits, 'dropped commit')} kept"),
        ReasonFact(refs),
        CommandFact("to see", f"git --git-dir={quote(dropped.store)} log --no-walk --all"),
    ]


def _published_facts(
    published: PublishedWork, result: RunResult | None, state: LogState
) -> list[RunFact]:
    """Title, link, change and tests, what it took."""
    return [
        Fact(published.label, published.title, published.style),
        Fact("", published.place),
        Fact("", change_line(state)),
        *([] if result is None else [Fact("", usage_line(result, state))]),
        *_follow_facts(state),
        *([] if state.published.pull_request is None else [Fact("branch", state.branch)]),
    ]


def _follow_facts(state: LogState) -> list[RunFact]:
    """Whether CI and reviews become work, and until when; how to end that."""
    following, feedback, result = state.published.following, state.published.feedback, state.result
    if result is not None:
        until = result.follow_until
    else:
        until = None if following is None else following.until
    rounds = 0 if feedback is None else feedback.round
    received = Fact("feedback", pluralize(rounds, "round"))
    answered: list[RunFact] = [received] if rounds else []
    if until is None or state.started is None:
        return answered
    name, text = short_id(state.started.run), f"CI and reviews, until {until:%Y-%m-%d}"
    return [*answered, Fact("follows", text), CommandFact("to stop", f"treadle cancel {name}")]
