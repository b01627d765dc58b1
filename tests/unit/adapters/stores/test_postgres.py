"""PostgreSQL: in a schema of its own, through lost connections, in one line when it fails."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from tests.builders import NOON, RUN
from tests.contracts.storages import storage_of
from tests.postgres import ON_POSTGRES, PostgresServer
from treadle.adapters.stores.database import Database, open_database
from treadle.adapters.stores.event_store import open_store
from treadle.adapters.stores.schema import VERSION
from treadle.domain.errors import SettingsError, StoreError
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.storage import Storage

pytestmark = [*ON_POSTGRES]

SAID = [(NOON, AgentSpoke("a"))]


@pytest.fixture
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return storage_of("postgres", request, tmp_path)


@pytest.fixture
def database(storage: Storage) -> Iterator[Database]:
    with closing(open_database(storage)) as opened:
        yield opened


def run_sql(storage: Storage, sql: str) -> list[tuple[object, ...]]:
    """As somebody else at the same server."""
    writable = "-c default_transaction_read_only=off"
    with psycopg.connect(storage.database_url, autocommit=True, options=writable) as connection:
        cursor = connection.execute(sql.encode())
        return cursor.fetchall() if cursor.description else []


def cut_connections(storage: Storage) -> None:
    run_sql(
        storage,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name='treadle' AND datname=current_database()",
    )


def test_all_tables_are_in_a_schema_of_their_own(database: Database, storage: Storage) -> None:
    schemas = run_sql(
        storage,
        "SELECT DISTINCT table_schema FROM information_schema.tables"
        " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')",
    )
    assert schemas == [("treadle",)]
    assert database.query("SELECT number FROM schema_version") == [(VERSION,)]


def test_a_fresh_database_opened_by_two_at_once_gets_its_tables_once(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    server: PostgresServer = request.getfixturevalue("postgres_server")
    fresh = Storage(tmp_path, server.new_database())

    with closing(open_database(fresh)) as first, closing(open_database(fresh)) as second:
        assert first.query("SELECT count(*) FROM events") == [(0,)]
        assert second.query("SELECT number FROM schema_version") == [(VERSION,)]


def test_a_newer_database_is_refused(database: Database, storage: Storage) -> None:
    with database.transaction() as cursor:
        cursor.execute("UPDATE schema_version SET number=99")

    with pytest.raises(StoreError, match=r"was written by a newer Treadle \(schema 99\)"):
        open_database(storage)


def test_a_connection_lost_between_two_uses_is_made_anew(
    database: Database, storage: Storage
) -> None:
    cut_connections(storage)
    before = database.query("SELECT count(*) FROM requests")
    cut_connections(storage)
    with database.transaction() as cursor:
        cursor.execute("INSERT INTO requests VALUES ('run', 'cancel', 'ada', 'now')")

    assert before == [(0,)]
    assert database.query("SELECT count(*) FROM requests") == [(1,)]


def test_a_connection_lost_inside_a_transaction_undoes_it_and_the_next_works(
    database: Database, storage: Storage
) -> None:
    insert = "INSERT INTO requests VALUES ('run', 'cancel', 'ada', 'now')"

    def write() -> None:
        with database.transaction() as cursor:
            cursor.execute(insert)
            cut_connections(storage)
            cursor.execute(insert)

    with pytest.raises(StoreError, match="cannot reach"):
        write()

    assert database.query("SELECT count(*) FROM requests") == [(0,)]


def test_a_log_goes_on_after_its_connection_was_lost(storage: Storage) -> None:
    with closing(open_store(storage)) as store:
        store.append(RUN, SAID)
        cut_connections(storage)
        store.append(RUN, SAID)

        assert [each.seq for each in store.read(RUN)] == [1, 2]


def test_a_server_that_is_read_only_says_so_and_works_again_afterwards(
    database: Database, storage: Storage
) -> None:
    ((name,),) = database.query("SELECT current_database()")
    run_sql(storage, f"ALTER DATABASE {name} SET default_transaction_read_only=on")
    cut_connections(storage)
    with pytest.raises(StoreError) as caught, database.transaction() as cursor:
        cursor.execute("INSERT INTO requests VALUES ('run', 'cancel', 'ada', 'now')")
    run_sql(storage, f"ALTER DATABASE {name} RESET ALL")
    cut_connections(storage)

    assert caught.value.message.startswith("cannot write to postgresql://")
    assert caught.value.hint == "use a server and a user that may write to the schema treadle"
    with database.transaction() as cursor:
        cursor.execute("INSERT INTO requests VALUES ('run', 'cancel', 'ada', 'now')")
    assert database.query("SELECT count(*) FROM requests") == [(1,)]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ada:hunter2@127.0.0.1:1/name",
        "postgresql://ada@127.0.0.1:1/name?password=hunter2",
        "postgresql://127.0.0.1:1/name?user=ada&password=hunter2&connect_timeout=1",
    ],
)
def test_a_server_that_is_not_there_is_named_without_its_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as caught:
        open_database(Storage(tmp_path, url))

    said = f"{caught.value.message} {caught.value.hint}"
    assert said.startswith("cannot reach postgresql://")
    assert caught.value.hint == "check database.url and that the server is running"
    assert ("hunter2" in said, "\n" in said) == (False, False)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://ada:hunter2@localhost/name",
        "host=localhost password=hunter2",
        "postgresql://ada:hunter%zz2@localhost/name",
        "hunter2",
    ],
)
def test_what_is_no_address_is_refused_without_being_shown(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        open_database(Storage(tmp_path, url))

    assert caught.value.message == "database.url is not the address of a PostgreSQL database"
    assert "hunter" not in caught.value.hint
