"""Where a database is, and which commands only look at it: no question for these two."""

import pytest

from tests.unit.policy.judging.judge_line import said
from treadle.policy.judging.databases import DatabasePlace, address_place
from treadle.policy.judging.shell_context import ShellContext


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("sqlite:////tmp/x.db", "here"),
        ("data/app.sqlite3", "here"),
        ("postgres://u:p@127.0.0.1:5433/t?sslmode=disable", "here"),
        ("postgresql+asyncpg://localhost/x", "here"),
        ("mysql://root@[::1]:3306/x", "here"),
        ("postgres:///x?sslmode=require", "here"),
        ("jdbc:postgresql://localhost:5432/x", "here"),
        ("postgres://localhost/x?host=db.example.com", "elsewhere"),
        ("postgres://u:p@db.example.com/x", "elsewhere"),
        ("mongodb+srv://cluster.example.com/x", "elsewhere"),
        ("postgres://$HOST/x", "unknown"),
        ("https://example.com", None),
        ("head", None),
    ],
)
def test_an_address_says_where_its_database_is(address: str, place: DatabasePlace | None) -> None:
    assert address_place(address) == place


@pytest.mark.parametrize(
    ("line", "decision"),
    [
        ("DATABASE_URL=sqlite:///x.db alembic upgrade head", "allow"),
        ("DATABASE_URL=postgres://localhost/x alembic upgrade head", "allow"),
        ("DATABASE_URL='postgres://u:p@127.0.0.1:5433/t?sslmode=disable' cargo test", "allow"),
        ("DATABASE_URL=sqlite:////tmp/x.db python -m flask db upgrade", "allow"),
        ("npx prisma migrate status", "allow"),
        (
            "npx prisma migrate diff --from-empty --to-schema-datamodel prisma/schema.prisma",
            "allow",
        ),
        ("npx prisma migrate dev --create-only --name add-users", "allow"),
        ("alembic upgrade head", "ask"),
        ("npx prisma migrate deploy", "ask"),
        ("DATABASE_URL=postgres://db.example.com/x alembic upgrade head", "deny"),
    ],
)
def test_strict_asks_about_databases_that_are_not_here(line: str, decision: str) -> None:
    assert said(line, ShellContext("/project")) == decision
