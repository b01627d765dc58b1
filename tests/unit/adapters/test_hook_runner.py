"""The user's hooks as real processes: how they end, also when they do not want to."""

import os
import select
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.adapters.agents.claude.real_sessions import alive
from treadle.adapters.hook_runner import hook_runner, unconfined
from treadle.domain.hooks import HookExit
from treadle.domain.sandbox import ConfinedCommand, SandboxFailed

PLAIN = unconfined({"PATH": "/usr/bin:/bin"})
USE = b'{"tool_name": "Bash"}\n'


@pytest.mark.parametrize(
    ("command", "ended"),
    [
        ("true", HookExit(0)),
        ("cat > given; cat given", HookExit(0)),
        ("echo 'not today' >&2; exit 2", HookExit(2, "not today\n")),
        ("grep -q Bash && exit 2", HookExit(2)),
        ("exit 7", HookExit(7)),
        ("kill -9 $$", HookExit(-9)),
        ("printf '\\377' >&2", HookExit(0, "�")),
        ("exec 0<&-; true", HookExit(0)),
    ],
)
async def test_a_hook_reads_the_use_and_ends_with_a_code_and_a_reason(
    tmp_path: Path, command: str, ended: HookExit
) -> None:
    assert await hook_runner(PLAIN, directory=tmp_path)(command, USE) == ended


async def test_a_hook_runs_in_the_workspace_with_what_it_is_given_and_nothing_else(
    tmp_path: Path,
) -> None:
    run = hook_runner(PLAIN, directory=tmp_path)

    assert await run("pwd > place; env > given; cat > use", USE) == HookExit(0)

    assert (tmp_path / "place").read_text() == f"{tmp_path}\n"
    assert (tmp_path / "use").read_bytes() == USE
    names = {line.partition("=")[0] for line in (tmp_path / "given").read_text().splitlines()}
    assert names <= {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}


@pytest.mark.parametrize("command", ["cat /dev/zero", "wait", "yes >&2", "trap '' TERM; yes >&2"])
async def test_a_hook_that_does_not_end_is_ended_with_all_that_it_started(
    tmp_path: Path, command: str
) -> None:
    run = hook_runner(PLAIN, directory=tmp_path, seconds=0.3)

    ended = await run(f"tail -f /dev/null & echo $! > child; echo $$ > pid; {command}", USE)

    assert ended == HookExit(None, "no answer within 0.3 s")
    assert_gone(int((tmp_path / "pid").read_text()))
    assert_gone(int((tmp_path / "child").read_text()))


async def test_what_a_hook_leaves_behind_goes_with_it_and_holds_nothing_up(tmp_path: Path) -> None:
    run = hook_runner(PLAIN, directory=tmp_path)

    assert await run("tail -f /dev/null & echo $! > child; exit 2", USE) == HookExit(2)
    assert_gone(int((tmp_path / "child").read_text()))


def assert_gone(pid: int) -> None:
    """Killed processes need a moment until they are gone."""
    for _ in range(500):
        if not alive(pid):
            return
        select.select([], [], [], 0.01)
    raise AssertionError(pid)


async def test_a_long_speech_is_cut_and_a_long_use_need_not_be_read(tmp_path: Path) -> None:
    run = hook_runner(PLAIN, directory=tmp_path)

    ended = await run("head -c 300000 /dev/zero | tr '\\0' x >&2; exit 2", b"x" * 10_000_000)

    assert ended == HookExit(2, "x" * 16384)


async def test_a_hook_that_cannot_be_started_has_not_ended(tmp_path: Path) -> None:
    def nowhere(command: Sequence[str]) -> ConfinedCommand:
        return ConfinedCommand(("/no/such/program", *command), {})

    def unconfinable(command: Sequence[str]) -> SandboxFailed:
        return SandboxFailed("bwrap is missing")

    ended = await hook_runner(nowhere, directory=tmp_path)("true", USE)
    assert (ended.code, "/no/such/program" in ended.stderr) == (None, True)
    found = await hook_runner(unconfinable, directory=tmp_path)("true", USE)
    assert found == HookExit(None, "bwrap is missing")


async def test_descriptors_go_to_the_hook_and_are_closed_here(tmp_path: Path) -> None:
    reading, writing = os.pipe()

    def start(command: Sequence[str]) -> ConfinedCommand:
        return ConfinedCommand(tuple(command), {"PATH": "/usr/bin:/bin"}, (writing,))

    assert await hook_runner(start, directory=tmp_path)(
        f"echo hi > /dev/fd/{writing}", USE
    ) == HookExit(0)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(writing)
    assert os.read(reading, 100) == b"hi\n"
    os.close(reading)
