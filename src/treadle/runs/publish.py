"""Publishes the work of a run that ended: pushes its branch and opens a pull request."""

from treadle.domain.exit_reasons import ExitReason
from treadle.domain.run import RunResult
from treadle.wiring.publishing import find_publish_target
from treadle.wiring.run_context import RunContext
from treadle.workflows.loop.publishing import NotPublished, Publication, Publisher
from treadle.workflows.loop.pull_request_text import FACT_EVENTS, pull_request_text, read_facts
from treadle.workflows.loop.run_history import read_history
from treadle.workflows.loop.run_parts import RunParts

# The ends whose work is worth a look; that of the last one is a draft.
PUBLISHED: tuple[ExitReason, ...] = ("approved", "all_passed", "unproven")


async def publish_at_end(context: RunContext, parts: RunParts, result: RunResult) -> None:
    """Publish finished work; otherwise record why it is kept on its branch."""
    work = parts.workspace.imported
    if work is None:
        return
    if reason := _why_not(context, parts, result):
        parts.workspace.keep(reason)
        return
    target = await find_publish_target(context, parts.workspace.origin.branch)
    if target is None:
        parts.workspace.keep("the project has no git remote to push it to")
        return
    context.recorder.flush()
    facts = read_facts(parts.read_log(FACT_EVENTS))
    deliverables = read_history(context.read_log()).deliverables
    words = parts.request.inputs.get("words", "") or parts.facts.spec
    text = pull_request_text(words, facts, deliverables, result, context.run)
    publication = Publication(work.branch, work.commit, text, draft=result.reason == "unproven")
    publisher = Publisher(target, parts.steps, parts.driver.clock, parts.log)
    outcome = await publisher.publish(publication)
    if isinstance(outcome, NotPublished):
        command = f"git push -u {target.remote} {work.branch}"
        parts.workspace.keep(outcome.reason, command)


def _why_not(context: RunContext, parts: RunParts, result: RunResult) -> str:
    """Why the work stays here; empty if it may be published."""
    if result.reason not in PUBLISHED:
        return "the run did not finish its work"
    if context.checked.request.rehearsal:
        return "a rehearsal pushes nothing"
    if parts.workspace.origin.commit != parts.workspace.origin.head:
        return "it contains your uncommitted changes"
    return ""
