"""Every database there is, fresh for each test: a file, or one of the tests' own server."""

from pathlib import Path
from typing import Literal

import psycopg
import pytest

from tests.postgres import ON_POSTGRES, PostgresServer
from treadle.domain.storage import Storage

Kind = Literal["sqlite", "postgres"]

DATABASES = ["sqlite", pytest.param("postgres", marks=ON_POSTGRES)]


def storage_of(kind: Kind, request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """A place where nothing was stored yet."""
    if kind == "sqlite":
        return Storage(tmp_path)
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return Storage(tmp_path, _emptied(server))


def _emptied(server: PostgresServer) -> str:
    """The same database for all of these tests, one after the other: a new one takes longer."""
    name = "emptied"
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname=%s", (name,)).fetchone():
            connection.execute(f"CREATE DATABASE {name}".encode())
    with psycopg.connect(server.url(name), autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS treadle CASCADE")
    return server.url(name)
