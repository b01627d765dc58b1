"""`treadle` imports its own modules, whatever PYTHONPATH and the current directory hold."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from treadle.__main__ import remove_foreign_paths

EVIL = "from pathlib import Path\nPath('ran').touch()\nraise SystemExit(3)\n"


@pytest.mark.parametrize("python_path", ["src", ":/nonexistent", "src:"])
def test_a_module_of_the_project_does_not_run_in_the_place_of_ours(
    tmp_path: Path, python_path: str
) -> None:
    (tmp_path / "src").mkdir()
    for folder in (tmp_path, tmp_path / "src"):
        (folder / "click.py").write_text(EVIL)
    treadle = Path(sys.executable).parent / "treadle"

    done = subprocess.run(
        [treadle, "ls"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": python_path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )

    assert (done.returncode, (tmp_path / "ran").exists()) == (0, False), done.stderr


def test_only_what_the_environment_added_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    search_path = ["/opt/own", "/project/src", "/", "/usr/lib/python3"]

    remove_foreign_paths(search_path, "/project/src:")

    assert search_path == ["/opt/own", "/usr/lib/python3"]


PLUGIN = """
import json, sys
from treadle.__main__ import leave_out_plugins
leave_out_plugins(sys.modules)
from pydantic import TypeAdapter
value = TypeAdapter(dict[str, int]).validate_python({"a": "1"})
print(json.dumps([value, "importlib.metadata" in sys.modules]))
"""


def test_no_plugin_of_pydantic_is_looked_for(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PLUGIN], cwd=tmp_path, capture_output=True, check=True
    )

    assert json.loads(done.stdout) == [{"a": 1}, False]
