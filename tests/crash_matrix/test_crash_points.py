"""Killed at any point, a run goes on as if nothing had been: a few points of the crash matrix."""

from pathlib import Path

import pytest

from tests.crash_matrix.cases import AFTER_UPGRADE, ON_POSTGRES, named
from tests.crash_matrix.matrix import Matrix
from tests.postgres import PostgresServer
from tests.upgrades.earlier_version import commit_before, install_earlier

# Two runs with a real agent, and a third to compare with, on a machine that may have more to do.
pytestmark = pytest.mark.timeout(400)

POINTS = [
    "clone made, not told",
    "Write decided, not done",
    "deliverable.changed stored, file not written",
    "commit made, not told, twice",
    "fetched, not told",
    "HEAD moved to the snapshot",
    "proven, file not written",
    "inside the quota sleep",
    "worker has spawned the resumed session",
]


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return Matrix()


@pytest.fixture(scope="module")
def matrix_on_postgres(postgres_server: PostgresServer) -> Matrix:
    return Matrix(postgres_server.new_database)


@pytest.fixture(scope="module")
def matrix_after_upgrade(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    folder: Path = tmp_path_factory.mktemp("earlier")
    return Matrix(earlier=install_earlier(commit_before(), folder))


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_run_goes_on_as_if_nothing_had_been(matrix: Matrix, point: str) -> None:
    assert matrix.judge(named(point)).failures == ()


@pytest.mark.parametrize("point", [case.name for case in ON_POSTGRES[:1]])
def test_so_it_does_on_postgresql(matrix_on_postgres: Matrix, point: str) -> None:
    assert matrix_on_postgres.judge(named(point)).failures == ()


@pytest.mark.parametrize("point", [case.name for case in AFTER_UPGRADE[:1]])
def test_so_does_one_that_the_version_before_began(
    matrix_after_upgrade: Matrix, point: str
) -> None:
    assert matrix_after_upgrade.judge(named(point)).failures == ()
