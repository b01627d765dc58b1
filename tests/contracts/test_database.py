"""The `Database` seam, the same for SQLite and PostgreSQL: one way to write statements."""

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.contracts.storages import DATABASES, storage_of
from treadle.adapters.stores.database import Database, Value, open_database, open_to_read
from treadle.domain.errors import StoreError
from treadle.domain.storage import Storage

TABLE = "CREATE TABLE things (name TEXT PRIMARY KEY, number BIGINT, share DOUBLE PRECISION)"
INSERT = "INSERT INTO things (name, number, share) VALUES (?, ?, ?)"
ALL = "SELECT name, number, share FROM things ORDER BY name"


@pytest.fixture(params=DATABASES)
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    return storage_of(request.param, request, tmp_path)


@pytest.fixture
def database(storage: Storage) -> Iterator[Database]:
    with closing(open_database(storage)) as opened:
        with opened.transaction() as cursor:
            cursor.execute(TABLE)
        yield opened


def test_what_a_transaction_wrote_is_there_for_all(database: Database, storage: Storage) -> None:
    with database.transaction() as cursor:
        cursor.execute(INSERT, ("a", 1, 0.5))
        cursor.executemany(INSERT, [("b", 2, None), ("c", 2**53, 1e300)])
        inside = cursor.execute(ALL)

    expected = [("a", 1, 0.5), ("b", 2, None), ("c", 2**53, 1e300)]
    reader = open_to_read(storage)
    assert reader is not None
    with closing(reader):
        assert (inside, database.query(ALL), reader.query(ALL)) == (expected, expected, expected)


def test_of_a_transaction_that_raises_nothing_stays(database: Database) -> None:
    def write() -> None:
        with database.transaction() as cursor:
            cursor.execute(INSERT, ("a", 1, 0.5))
            raise KeyError

    with pytest.raises(KeyError):
        write()

    assert database.query(ALL) == []


def test_of_a_transaction_with_a_statement_that_fails_nothing_stays(database: Database) -> None:
    with pytest.raises(StoreError), database.transaction() as cursor:
        cursor.executemany(INSERT, [("a", 1, 0.5), ("a", 2, 0.5)])

    assert database.query(ALL) == []
    with database.transaction() as cursor:
        cursor.execute(INSERT, ("b", 1, 0.5))
    assert database.query("SELECT count(*) FROM things") == [(1,)]


def test_a_query_inside_a_transaction_sees_what_that_has_written(database: Database) -> None:
    with database.transaction() as cursor:
        cursor.execute(INSERT, ("a", 1, 0.5))

        assert database.query(ALL) == [("a", 1, 0.5)]


def test_a_transaction_inside_another_is_a_mistake_of_ours(database: Database) -> None:
    with database.transaction(), pytest.raises(RuntimeError), database.transaction("other"):
        pass


@pytest.mark.parametrize(
    ("sql", "values", "row"),
    [
        ("SELECT ? || '%' || '?'", ("a",), ("a%?",)),
        ("SELECT 'it''s' || ?", (" fine",), ("it's fine",)),
        ("SELECT name FROM things WHERE name LIKE '%a%' AND number=?", (7,), ("ab",)),
        ("SELECT sum(number), max(share), count(*) FROM things", (), (7, 0.5, 1)),
        ("SELECT CASE WHEN number > ? THEN 'more' ELSE 'less' END FROM things", (3,), ("more",)),
    ],
)
def test_both_understand_the_same_statements(
    database: Database, sql: str, values: tuple[Value, ...], row: tuple[object, ...]
) -> None:
    with database.transaction() as cursor:
        cursor.execute(INSERT, ("ab", 7, 0.5))

    assert database.query(sql, values) == [row]


def test_truth_is_stored_as_a_number(database: Database) -> None:
    with database.transaction() as cursor:
        cursor.execute(INSERT, ("a", True, 0.0))
        cursor.executemany(INSERT, [("b", False, 0.0)])

    assert database.query("SELECT number FROM things ORDER BY name") == [(1,), (0,)]


def test_a_conflict_is_no_error_where_it_is_foreseen(database: Database) -> None:
    insert = f"{INSERT} ON CONFLICT DO NOTHING RETURNING name"
    with database.transaction() as cursor:
        given = [cursor.execute(insert, ("a", number, 0.0)) for number in (1, 2)]
        taken = "UPDATE things SET number=? WHERE name=? AND number=? RETURNING number"
        compared = [cursor.execute(taken, (5, "a", before)) for before in (1, 1)]

    assert (given, compared) == ([[("a",)], []], [[(5,)], []])


def test_transactions_with_the_same_lock_never_overlap(storage: Storage) -> None:
    with closing(open_database(storage)) as database, database.transaction() as cursor:
        cursor.execute(TABLE)
        cursor.execute(INSERT, ("counter", 0, 0.0))

    def count_up() -> None:
        with closing(open_database(storage)) as own:
            for _ in range(20):
                with own.transaction("counter") as cursor:
                    ((number,),) = cursor.execute("SELECT number FROM things")
                    cursor.execute("UPDATE things SET number=?", (number + 1,))

    threads = [threading.Thread(target=count_up) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with closing(open_database(storage)) as database:
        assert database.query("SELECT number FROM things") == [(60,)]


def test_threads_may_share_one_database(database: Database) -> None:
    def write(first: int) -> None:
        for number in range(first, first + 20):
            with database.transaction() as cursor:
                cursor.execute(INSERT, (str(number), number, 0.0))

    threads = [threading.Thread(target=write, args=(first,)) for first in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert database.query("SELECT count(*) FROM things") == [(60,)]
