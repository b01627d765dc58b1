"""The sandbox around the process of one session: its report, its first process, its group."""

from pathlib import Path

from treadle.adapters.agents.claude.sandboxed_start import sandbox_fault
from treadle.adapters.sandboxes.cgroup_files import read_exceeded, remove_ended_group
from treadle.adapters.sandboxes.init_process import InitProcess, find_init_process
from treadle.adapters.sandboxes.process_exit import wait_until_sandbox_inactive
from treadle.domain.agent import Fault
from treadle.domain.agent_kind import SessionSandbox
from treadle.domain.sandbox import ConfinedCommand, ControlGroup


class SandboxedProcess:
    """What is known of it, from its start until nothing of it is left."""

    def __init__(self, sessions: SessionSandbox | None) -> None:
        self._sessions = sessions
        # Where the sandbox says whether the agent really ran in it.
        self._report: Path | None = None
        self._group: ControlGroup | None = None
        self.first: InitProcess | None = None
        self.pids: frozenset[int] = frozenset()

    def set_start(self, start: ConfinedCommand) -> None:
        self._report, self._group = start.report, start.group

    @property
    def is_confined(self) -> bool:
        """In a sandbox of its own processes, none of which outlives the first."""
        return self._report is not None

    def find_first(self) -> None:
        """Know the sandbox's first process while it runs: a number alone may be used again."""
        sessions, report = self._sessions, self._report
        if self.first is None and sessions is not None and report is not None:
            self.first = find_init_process(sessions.sandbox.first_process(report))

    def fault(self, stderr: str) -> Fault | None:
        """The sandbox's own failure, if its report says that the agent never ran inside it."""
        if self._sessions is None or self._report is None:
            return None
        return sandbox_fault(self._sessions, self._report, stderr)

    def exceeded(self) -> str:
        """What its limits did to its programs; empty: nothing."""
        return read_exceeded(self._group)

    async def is_inactive(self, *, within_s: float) -> bool:
        """Whether nothing in it acts any more, after it was killed."""
        self.find_first()
        return await wait_until_sandbox_inactive(self.first, self.pids, within_s=within_s)

    def leave(self) -> None:
        """Say what its limits did, and remove its report."""
        if self._report is not None:
            self._report.unlink(missing_ok=True)
        if self._sessions is not None and (told := self.exceeded()):
            self._sessions.tell(told)

    async def clear(self) -> None:
        """Remove its group, once the kernel has let go of its processes."""
        group, self._group = self._group, None
        await remove_ended_group(group)
