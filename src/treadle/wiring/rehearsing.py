"""The scripted model of a rehearsed run, kept with the run so that another process can go on."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING

from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.runs import run_directory
from treadle.domain.errors import ProjectError
from treadle.domain.events.session import SessionEnded, SessionStarted
from treadle.domain.ids import RunId, short
from treadle.domain.ports import Store
from treadle.wiring.agent import Rehearsing, dummy_credential
from treadle.wiring.run_request import Presence, RunRequest

if TYPE_CHECKING:
    from treadle.rehearsal.progress import Earlier

SCRIPT = "rehearsal.yaml"


def keep_script(root: Path, run: RunId, script: Path) -> None:
    """The script as it is now: the run goes on with this one, whatever becomes of the file."""
    directory = run_directory(root, run)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    copyfile(script, directory / SCRIPT)


@contextmanager
def with_model(request: RunRequest, presence: Presence) -> Iterator[Presence]:
    """The presence, with the scripted model of a rehearsed run where the last process left off."""
    if not request.rehearsal or presence.rehearsing is not None:
        yield presence
        return
    # Only here: most runs have a real model.
    from treadle.rehearsal.api import ScriptedApi
    from treadle.rehearsal.script import load_script

    storage, run = presence.environment.storage, request.run
    path = run_directory(storage.root, run) / SCRIPT
    if not path.is_file():
        raise ProjectError(
            f"the script of the rehearsed run {short(run)} is gone",
            hint="rehearse anew with `treadle rehearse SCRIPT -- deliver`",
        )
    script = load_script(path)
    with closing(open_store(storage)) as store:
        earlier = earlier_sessions(store, run)
    with ScriptedApi(script, earlier=earlier) as api:
        rehearsing = Rehearsing(api.base_url, dummy_credential(script.auth), path)
        yield replace(presence, rehearsing=rehearsing)


def earlier_sessions(store: Store, run: RunId) -> "list[Earlier]":
    """The sessions that the log knows, in order; a resumed one is one."""
    from treadle.rehearsal.progress import Earlier

    roles: dict[str, str] = {}
    ended: set[str] = set()
    for recorded in store.read(run):
        match recorded.event:
            case SessionStarted(session=session, role=role):
                roles.setdefault(session, role)
            case SessionEnded(result=result):
                ended.add(result.session)
            case _:
                pass
    return [Earlier(session, role, session in ended) for session, role in roles.items()]
