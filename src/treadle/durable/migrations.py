"""Upgrades the engine's tables, and refuses those of a newer version."""

import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa
from dbos._migration import get_migration_versions, get_sqlite_migration_versions
from dbos._sys_db import SystemDatabase

from treadle.domain.errors import StoreError
from treadle.durable.connections import (
    begin_immediately,
    file_of,
    is_sqlite,
    open_pool,
    translate_errors,
)
from treadle.durable.json_serializer import JsonSerializer
from treadle.durable.names import SCHEMA

KEPT_BACKUPS = 2


def bring_up_to_date(location: str) -> None:
    """Create or upgrade the tables; a SQLite file is backed up first."""
    with translate_errors(location), open_pool(location) as pool:
        stored, known = _versions(pool)
        _refuse_newer(location, stored, known)
        if stored == known:
            return
        if is_sqlite(location):
            if stored:
                _back_up(file_of(location), stored)
            # Otherwise SQLite would keep half of an interrupted upgrade.
            begin_immediately(pool)
            pool.dispose()
        _upgrade(location, pool)


def _versions(pool: sa.Engine) -> tuple[int, int]:
    if pool.dialect.name == "sqlite":
        return get_sqlite_migration_versions(pool)
    return get_migration_versions(pool, SCHEMA, use_listen_notify=True)


def _refuse_newer(location: str, stored: int, known: int) -> None:
    if stored > known:
        name = file_of(location) if is_sqlite(location) else sa.make_url(location).database
        raise StoreError(
            f"{name} was written by a newer Treadle (engine tables {stored}, known {known})",
            hint="update Treadle, or set TREADLE_ROOT to another directory",
        )


def _upgrade(location: str, pool: sa.Engine) -> None:
    tables = SystemDatabase.create(
        system_database_url=location,
        engine_kwargs={},
        engine=pool,
        schema=SCHEMA,
        serializer=JsonSerializer(),
        executor_id=None,
    )
    tables.run_migrations()


def _back_up(path: Path, version: int) -> None:
    copy = path.with_name(f"{path.name}.before-upgrade-from-{version}")
    copy.unlink(missing_ok=True)
    copy.touch(mode=0o600)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    copies = sorted(path.parent.glob(f"{path.name}.before-upgrade-from-*"), key=_modified_at)
    for old in copies[:-KEPT_BACKUPS]:
        old.unlink(missing_ok=True)


def _modified_at(path: Path) -> float:
    return path.stat().st_mtime
