"""A run in this process: its checked request, its log, and its sandbox."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from treadle.adapters.clock import SystemClock
from treadle.adapters.stores.approval_store import DatabaseApprovals
from treadle.adapters.stores.database import Database
from treadle.adapters.stores.event_store import EventStore
from treadle.adapters.stores.recorder import Recorder
from treadle.adapters.stores.run_list import host_of
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.ids import RunId
from treadle.domain.sandbox import Sandbox
from treadle.policy.known_secrets import KnownSecrets
from treadle.policy.redaction import Redactor
from treadle.session.stop_signal import StopSignal
from treadle.settings.definitions import Settings
from treadle.wiring.browser import Servers
from treadle.wiring.checked_request import CheckedRequest
from treadle.workflows.definition import LogFollower
from treadle.workflows.loop.approval_requests import ApprovalRequester
from treadle.workflows.loop.run_history import RunHistory


@dataclass(frozen=True, slots=True)
class RunContext:
    """`history` is the state of the log when this process took over."""

    checked: CheckedRequest
    database: Database
    recorder: Recorder
    history: RunHistory
    # Values that must not be stored or shown; `redact` removes them.
    secrets: KnownSecrets = field(repr=False)
    redact: Redactor
    stop: StopSignal
    # None: a person switched it off.
    sandbox: Sandbox | None
    # The MCP servers of the run's sessions.
    servers: Servers
    follower: LogFollower | None = None

    @property
    def run(self) -> RunId:
        return self.checked.request.run

    @property
    def settings(self) -> Settings:
        return self.checked.settings

    @property
    def requester(self) -> ApprovalRequester:
        """Asks a person on behalf of the run."""
        return ApprovalRequester(
            run=self.run,
            leg=self.history.leg,
            approvals=DatabaseApprovals(self.database, clean=self.redact),
            clock=SystemClock(),
            stop=self.stop.event,
            log=self.recorder,
        )

    def read_log(self, types: Collection[str] = ()) -> Iterator[RecordedEvent]:
        """The events of the run; only of these types if any are given."""
        store = EventStore(self.database, host_of(self.checked.environment.root))
        return store.read(self.run, types=types)
