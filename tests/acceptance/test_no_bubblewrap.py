"""A machine without bubblewrap: nothing runs, and whoever asks for a run hears so at once."""

import shutil
import sys

import pytest

from tests.acceptance.stage import BUILD_IT, ONE_DELIVERABLE, Finished, Stage, script
from tests.missing import missing
from treadle.adapters.sandboxes.bubblewrap_errors import not_installed as not_installed

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="the sandbox is another there")


def without_bubblewrap(stage: Stage, *arguments: str) -> Finished:
    """The command as on such a machine: its own bubblewrap hides the program from it."""
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap is not installed")
    hidden = [program, "--dev-bind", "/", "/", "--ro-bind", "/dev/null", program]
    return stage.behind(hidden, *arguments)


def test_a_run_for_the_workers_is_refused_at_once_in_the_words_of_one_in_the_foreground(
    stage: Stage,
) -> None:
    path = stage.directory / "script.yaml"
    path.write_text(script(ONE_DELIVERABLE, BUILD_IT))
    rehearsed = ("rehearse", str(path), "--", "deliver")

    attended = without_bubblewrap(stage, *rehearsed, "--json")
    runs = stage.treadle("ls", "--json").stdout
    detached = without_bubblewrap(stage, *rehearsed, "--detach")

    told = not_installed()
    assert attended.result["message"] == f"{told.message} ({told.hint})"
    assert (detached.exit_code, detached.stdout, detached.stderr) == (
        attended.exit_code,
        "",
        f"treadle: {told.message}\n  hint: {told.hint}\n",
    )
    assert stage.treadle("ls", "--json").stdout == runs
    assert not (stage.root / "worker.log").exists()
