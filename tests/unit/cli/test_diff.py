"""`diff` shows what an agent wrote: safe to look at, and a patch where it is used as one."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from treadle.domain.events.work import WorkImported, WorkspacePrepared

from .project_cli import ProjectCli, stopped

DECEPTIVE = "a\x1b[2K\u202eb\u2028\x9bc\rd\n"


def store_work(cli: ProjectCli, text: str) -> None:
    """A run that wrote this text into a file."""
    repository = cli.repository
    before = repository.git("rev-parse", "HEAD")
    (repository.path / "new.txt").write_bytes(text.encode(errors="surrogateescape"))
    after = repository.commit_all("Work")
    repository.git("reset", "--quiet", "--hard", before)
    prepared = WorkspacePrepared("/w", "treadle/x", before, "main", before)
    cli.store_run(*stopped("all_passed"), prepared, WorkImported("treadle/x", after, 1))


def printed(cli: ProjectCli, *options: str) -> bytes:
    """What is at the other end of a pipe."""
    return _run(cli, options, subprocess.PIPE)


def _run(cli: ProjectCli, options: Sequence[str], stdout: int) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "treadle", "diff", *options, "last"],
        cwd=cli.repository.path,
        env={**cli.environment.raw, "TREADLE_ROOT": str(cli.root)},
        stdout=stdout,
        check=True,
    )
    return done.stdout or b""


def applies(cli: ProjectCli, patch: bytes) -> bool:
    done = subprocess.run(
        ["git", "apply", "--check", "-"],
        cwd=cli.repository.path,
        env=dict(cli.repository.environment),
        input=patch,
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def test_in_a_pipe_nothing_controls_a_terminal_and_what_is_escaped_is_no_patch(
    cli: ProjectCli,
) -> None:
    store_work(cli, DECEPTIVE)

    shown = printed(cli)

    assert b"\n+a\\x1b[2K\\u202eb\\u2028\\x9bc\\x0dd\n" in shown
    assert shown.endswith(
        b"\n@@ -1 +1 @@ shown with escapes, so this is not a patch: use `treadle diff --raw`\n"
    )
    assert not applies(cli, shown)


@pytest.mark.parametrize(
    "text", [DECEPTIVE, "plain\r\n", "❤\ufe0f 👩\u200d💻\n", "lac\udce9\n", "\ufeffa\x0c\n"]
)
def test_raw_is_the_patch_in_every_byte(cli: ProjectCli, text: str, tmp_path: Path) -> None:
    store_work(cli, text)
    with (tmp_path / "x.patch").open("wb") as file:
        _run(cli, (), file.fileno())

    raw = printed(cli, "--raw")

    assert text.encode(errors="surrogateescape") in raw
    assert applies(cli, raw)
    assert (tmp_path / "x.patch").read_bytes() == raw
    if text != DECEPTIVE:
        assert printed(cli) == raw
