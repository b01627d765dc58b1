"""Keeps the commits that a session makes, also those that it drops again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from treadle.domain.agent import Decide, Decision, ToolUse
from treadle.domain.events.run import RunWarned
from treadle.domain.events.work import CommitsKept
from treadle.domain.ports import Log
from treadle.workflows.loop.workspace_spec import WorkspaceSpec
from treadle.workspace.clone import Clone
from treadle.workspace.commit_store import discard_links, keep_dropped_commits, links_folder
from treadle.workspace.object_links import LinkLimits
from treadle.workspace.object_watch import ObjectWatch

TOO_MANY = (
    "the session wrote more git objects than are kept while it works: commits that it dropped after"
    " that are lost"
)


@asynccontextmanager
async def watch_commits(
    clone: Path, log: Log, limits: LinkLimits | None = None
) -> AsyncIterator[ObjectWatch]:
    """Link the clone's new objects while a session runs."""
    watch = ObjectWatch(clone, links_folder(clone) / "objects", limits=limits)
    await asyncio.to_thread(watch.start)
    try:
        yield watch
    finally:
        # Shielded: a cancelled session has commits, too.
        await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(watch.stop)))
        if watch.is_cut:
            log.record(RunWarned(TOO_MANY))


def decide_after_linking(decide: Decide, watch: ObjectWatch) -> Decide:
    """Decide about a tool use after what the ones before it committed is linked, so that no later
    one can destroy that."""

    async def decide_use(use: ToolUse) -> Decision:
        await asyncio.to_thread(watch.catch_up)
        return await decide(use)

    return decide_use


async def record_dropped_commits(clone: Clone, spec: WorkspaceSpec, made: str, work: str) -> None:
    """Keep and record the session's commits that neither `made` nor `work` contains: the work
    before and after it was judged."""
    kept = await keep_dropped_commits(clone, spec.run, made, work)
    if kept is not None and kept.refs:
        event = CommitsKept(str(kept.store), kept.refs, kept.commits)
        spec.log.record(event, once=f"dropped {kept.refs[0]} {kept.refs[-1]}")
    if kept is not None and kept.missing:
        text = f"not all commits that the session dropped are kept: {kept.missing}"
        spec.log.record(RunWarned(text), once=text)
    discard_links(clone.path)
