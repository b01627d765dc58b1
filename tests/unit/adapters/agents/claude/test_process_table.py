"""Where there is no /proc, a session's processes are those below its agent."""

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from tests.unit.adapters.agents.claude.real_sessions import alive
from treadle.adapters.processes.marked_processes import end_marked, kill_marked
from treadle.adapters.processes.process_table import (
    PsRow,
    descendants_of,
    list_processes,
    parse_ps,
    still_running,
)
from treadle.domain.agent import LeftoverProcess

PRINTED = """\
    1     0 /sbin/launchd
  501     1 /opt/claude --output-format stream-json
  502   501 /bin/zsh -c  npm   run dev
  503   502 node server.js
  504   501
  600     1 /usr/bin/other
junk
  x  1 y
"""
TABLE = (
    PsRow(1, 0, "/sbin/launchd"),
    PsRow(501, 1, "/opt/claude --output-format stream-json"),
    PsRow(502, 501, "/bin/zsh -c  npm   run dev"),
    PsRow(503, 502, "node server.js"),
    PsRow(504, 501, ""),
    PsRow(600, 1, "/usr/bin/other"),
)


def test_what_ps_prints_is_a_table() -> None:
    assert parse_ps(PRINTED) == TABLE


@pytest.mark.parametrize(
    ("root", "found"), [(501, [502, 504, 503]), (502, [503]), (600, []), (9, [])]
)
def test_below_a_process_are_its_children_and_theirs(root: int, found: list[int]) -> None:
    assert [process.pid for process in descendants_of(TABLE, root)] == found


def test_a_table_that_goes_round_in_circles_has_an_end() -> None:
    table = (PsRow(1, 2, "a"), PsRow(2, 1, "b"), PsRow(3, 3, "c"))

    assert (descendants_of(table, 1), descendants_of(table, 3)) == ([LeftoverProcess(2, "b")], [])


def test_a_number_that_was_given_to_another_program_is_not_the_same_process() -> None:
    tree = [
        LeftoverProcess(503, "node server.js"),
        LeftoverProcess(600, "node server.js"),
        LeftoverProcess(7, "x"),
    ]

    assert still_running(tree, TABLE) == [LeftoverProcess(503, "node server.js")]


@pytest.fixture
def unrelated_process() -> Iterator[subprocess.Popen[bytes]]:
    """A process without any mark, in a session of its own."""
    with subprocess.Popen(["/usr/bin/tail", "-f", "/dev/null"], start_new_session=True) as process:
        yield process
        process.kill()


def test_the_real_ps_is_understood(unrelated_process: subprocess.Popen[bytes]) -> None:
    assert LeftoverProcess(unrelated_process.pid, "/usr/bin/tail -f /dev/null") in descendants_of(
        list_processes(), os.getpid()
    )


async def test_a_process_of_the_tree_is_ended_without_a_mark(
    unrelated_process: subprocess.Popen[bytes],
) -> None:
    tree = [LeftoverProcess(unrelated_process.pid, "/usr/bin/tail -f /dev/null")]

    assert await end_marked("nobody", tree=tree) == tree
    assert not alive(unrelated_process.pid)


def test_killing_takes_the_group_of_the_agent(unrelated_process: subprocess.Popen[bytes]) -> None:
    kill_marked("nobody", pid=unrelated_process.pid)

    assert unrelated_process.wait() == -signal.SIGKILL
