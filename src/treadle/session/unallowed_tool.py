"""Whether what a tool did was allowed. Pure."""

from collections.abc import Collection, Mapping

from treadle.domain.events.agent import ToolFinished
from treadle.domain.session import UnguardedTool


def unguarded(
    finished: ToolFinished, *, names: Mapping[str, str], allowed: Collection[str]
) -> UnguardedTool | None:
    """The end of a session whose agent got a result out of a tool that nobody allowed.

    An agent refuses some uses by itself, without asking, and its tools find some inputs wrong:
    those results are errors, and harmless.
    """
    if finished.is_error or finished.id in allowed:
        return None
    return UnguardedTool(names.get(finished.id, "a tool that it did not name"))
