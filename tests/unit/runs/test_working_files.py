"""The working files of a run whose process is gone are archived as its workflow declares."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.runs.test_resume import ROW
from treadle.adapters.stores.event_store import open_store
from treadle.domain.storage import Storage
from treadle.runs.working_files import archive_files


@pytest.mark.parametrize("workflow", ["deliver", "of a newer version"])
def test_a_run_without_working_files_leaves_none(tmp_path: Path, workflow: str) -> None:
    row = replace(ROW, workflow=workflow, project_path=str(tmp_path))
    store = open_store(Storage(tmp_path))
    try:
        archive_files(row, tmp_path / "run", store)
    finally:
        store.close()

    assert [(tmp_path / name).exists() for name in ("run", ".treadle")] == [False, False]
