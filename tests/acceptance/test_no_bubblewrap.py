"""A machine without bubblewrap: nothing runs, and whoever asks for a run hears so at once."""

import shutil
import sys

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, Finished, script
from tests.missing import missing
from treadle.adapters.sandboxes.bubblewrap_errors import not_installed as not_installed

pytestmark = pytest.mark.skipif(sys.platform == "darwin", reason="the sandbox is another there")


def without_bubblewrap(harness: CommandHarness, *arguments: str) -> Finished:
    """The command as on such a machine: its own bubblewrap hides the program from it."""
    program = shutil.which("bwrap")
    if program is None:
        missing("bubblewrap is not installed")
    hidden = [program, "--dev-bind", "/", "/", "--ro-bind", "/dev/null", program]
    return harness.behind(hidden, *arguments)


def test_a_run_for_the_workers_is_refused_at_once_in_the_words_of_one_in_the_foreground(
    harness: CommandHarness,
) -> None:
    path = harness.directory / "script.yaml"
    path.write_text(script(ONE_DELIVERABLE, BUILD_IT))
    rehearsed = ("rehearse", str(path), "--", "deliver")

    attended = without_bubblewrap(harness, *rehearsed, "--json")
    runs = harness.treadle("ls", "--json").stdout
    detached = without_bubblewrap(harness, *rehearsed, "--detach")

    told = not_installed()
    assert attended.result["message"] == f"{told.message} ({told.hint})"
    assert (detached.exit_code, detached.stdout, detached.stderr) == (
        attended.exit_code,
        "",
        f"treadle: {told.message}\n  hint: {told.hint}\n",
    )
    assert harness.treadle("ls", "--json").stdout == runs
    assert not (harness.root / "worker.log").exists()
