"""`treadle cost` answers from one table, so it loads only what that takes."""

from contextlib import closing
from pathlib import Path

from tests.architecture.test_thin_commands import HEAVY, look
from tests.builders import NOON, RUN
from treadle.adapters.stores.database import open_database
from treadle.adapters.stores.ledger import DatabaseLedger
from treadle.domain.ids import SessionId
from treadle.domain.ledger import LedgerEntry
from treadle.domain.storage import Storage
from treadle.domain.usage import Usage


def test_a_look_at_the_ledger_loads_nothing_heavy(tmp_path: Path) -> None:
    entry = LedgerEntry("1", RUN, SessionId("s"), NOON, "opus", Usage(1), cost_usd=1.0)
    with closing(open_database(Storage(tmp_path / "root"))) as database:
        DatabaseLedger(database).put(entry)

    for options in ((), ("--json",)):
        said, loaded = look(tmp_path, "cost", "--by", "run", *options)

        assert RUN[-8:] in said
        assert loaded & {*HEAVY, "psycopg", "httpx2", "h11"} == set()
