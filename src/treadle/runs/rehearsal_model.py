"""Stores the script of a rehearsal with its run, and serves the scripted model."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.agent_kind import ScriptedModel
from treadle.domain.errors import ProjectError
from treadle.domain.events.queue import ItemStarted
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.ids import RunId, SessionId, short_id
from treadle.domain.ports import Store
from treadle.domain.run_request import RunRequest
from treadle.wiring.agent import Rehearsing
from treadle.wiring.checked_request import RunHost

if TYPE_CHECKING:
    from treadle.rehearsal.script_progress import StartedSession

SCRIPT = "rehearsal.yaml"


def store_script(root: Path, run: RunId, script: Path) -> None:
    """Copy the script to the run, so that later changes of the file do not affect it."""
    directory = run_directory(root, run)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    copyfile(script, directory / SCRIPT)


@contextmanager
def with_model(request: RunRequest, host: RunHost) -> Iterator[RunHost]:
    """The host with the scripted model of a rehearsed run, at the state of the run's log."""
    if not request.rehearsal or host.rehearsing is not None:
        yield host
        return
    # Imported here, because most runs have a real model.
    from treadle.rehearsal.script import load_script
    from treadle.rehearsal.scripted_api import ScriptedApi

    # The items of a queue share its script.
    storage, run = host.environment.storage, request.queue or request.run
    path = run_directory(storage.root, run) / SCRIPT
    if not path.is_file():
        raise ProjectError(
            f"the script of the rehearsed run {short_id(run)} is gone",
            hint="rehearse again with `treadle rehearse SCRIPT -- deliver`",
        )
    script = load_script(path)
    with closing(open_store(storage)) as store:
        earlier = earlier_sessions(store, run)
    with ScriptedApi(script, earlier_sessions=earlier) as api:
        rehearsing = Rehearsing(ScriptedModel(api.base_url, script.auth), path)
        yield replace(host, rehearsing=rehearsing)


def earlier_sessions(store: Store, run: RunId) -> "list[StartedSession]":
    """The sessions in the log, in order; a resumed session counts once."""
    from treadle.rehearsal.script_progress import StartedSession

    roles: dict[str, str] = {}
    ended: set[str] = set()
    for recorded in store.read(run):
        match recorded.event:
            case SessionStarted(session=session, role=role):
                roles.setdefault(session, role)
            case SessionEnded(result=result):
                ended.add(result.session)
            case ItemStarted(run=child):
                for earlier in earlier_sessions(store, child):
                    roles.setdefault(SessionId(earlier.session), earlier.role)
                    ended |= {SessionId(earlier.session)} if earlier.ended else set()
            case _:
                pass
    return [StartedSession(session, role, session in ended) for session, role in roles.items()]
