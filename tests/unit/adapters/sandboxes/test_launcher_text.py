"""The launcher as a file that two languages read."""

import subprocess
from pathlib import Path

from treadle.adapters.sandboxes.launcher_text import Interpreter, launcher_text, this_interpreter
from treadle.domain.sandbox import ResourceLimits

LIMITS = ResourceLimits(processes=4000, memory_mb=4096, file_mb=7)


def test_the_launcher_is_one_file_for_a_shell_and_for_python(tmp_path: Path) -> None:
    launcher = tmp_path / "launch"
    launcher.write_text(launcher_text(this_interpreter(), LIMITS))
    launcher.chmod(0o755)

    done = subprocess.run(
        [launcher, 'ulimit -f; ulimit -c; echo "$0 two  blanks"'], capture_output=True, text=True
    )

    # In blocks of 1024 bytes.
    assert (done.stdout, done.stderr) == (f"{7 * 1024}\n0\n/bin/bash two  blanks\n", "")


def test_a_python_may_lie_anywhere(tmp_path: Path) -> None:
    folder = tmp_path / "o'neil's \"own\" $HOME"
    folder.mkdir()
    (folder / "python").symlink_to(this_interpreter().program)
    launcher = tmp_path / "launch"
    launcher.write_text(launcher_text(Interpreter(folder / "python", folder), LIMITS))

    done = subprocess.run(["sh", launcher, "echo", "started"], capture_output=True, text=True)

    assert (done.stdout, done.stderr) == ("started\n", "")
