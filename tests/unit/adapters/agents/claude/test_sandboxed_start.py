"""A session is over when nothing in its sandbox can act any more, and not before."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

import pytest

from tests.missing import missing
from tests.unit.adapters.agents.claude.real_sessions import brief_in
from tests.unit.adapters.agents.claude.test_agent_misbehaving import CONNECT, RESULT
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.sandboxes import command_runner
from treadle.adapters.sandboxes.bubblewrap_report import read_first_process
from treadle.adapters.sandboxes.init_process import (
    NOT_GONE,
    InitProcess,
    find_init_process,
    stat_fields,
    wait_until_gone,
)
from treadle.adapters.sandboxes.process_exit import (
    can_act,
    processes_inside,
    wait_until_sandbox_inactive,
)
from treadle.domain.agent import SANDBOX_FAULT, AgentEnded, AgentEvent, Fault, SessionBrief
from treadle.domain.agent_kind import SessionSandbox
from treadle.domain.sandbox import (
    ConfinedCommand,
    Confinement,
    ProbePassed,
    ProbeResult,
    SandboxFailed,
)
from treadle.domain.session import Completed

pytestmark = pytest.mark.slow

ENDED = AgentEnded(Completed("ok"), turns=1)


@dataclass(frozen=True)
class Reporting:
    """Confines nothing, and has a report that somebody else wrote."""

    report: Path
    name: str = "bubblewrap"

    def confine(
        self, command: Sequence[str], environment: Mapping[str, str], within: Confinement
    ) -> ConfinedCommand | SandboxFailed:
        return ConfinedCommand(tuple(command), environment, report=self.report)

    def launcher(self) -> tuple[str, ...]:
        return ()

    def failure(self, report: Path, said: str = "") -> SandboxFailed | None:
        return None

    def first_process(self, report: Path) -> int | None:
        return read_first_process(report)

    async def probe(self) -> ProbeResult:
        return ProbePassed()


@asynccontextmanager
async def sandbox(report: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """A real one, in which somebody waits for the end of their input."""
    bwrap = which("bwrap") or missing("bwrap")
    with report.open("wb") as written:
        command = (bwrap, "--ro-bind", "/", "/", "--unshare-pid", "--die-with-parent")
        process = await asyncio.create_subprocess_exec(
            *command,
            *("--json-status-fd", str(written.fileno()), "--", "sh", "-c", "echo in; cat"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=(written.fileno(),),
        )
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"in\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


SPEAKS = f"{CONNECT}{RESULT}\ncat >/dev/null"


@asynccontextmanager
async def claude(tmp_path: Path, report: Path, does: str = SPEAKS) -> AsyncIterator[ClaudeAgent]:
    path = tmp_path / "claude"
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)

    def within(brief: SessionBrief) -> Confinement:
        return Confinement(brief.workspace, brief.home)

    enclosure = SessionSandbox(Reporting(report), within)
    agent = ClaudeAgent(path, {"PATH": "/usr/bin:/bin"}, sandbox=enclosure, gone_s=0.05)
    try:
        yield agent
    finally:
        await agent.gone()


async def test_a_sandbox_that_lives_on_is_how_the_session_ended(tmp_path: Path) -> None:
    report, brief = tmp_path / "report", brief_in(tmp_path)
    async with sandbox(report), claude(tmp_path, report) as agent:
        session = await agent.open(brief)
        first = [event async for event in session.events()]
        await session.close()
        after = [event async for event in session.events()]

    assert (first[-1], after) == (ENDED, [AgentEnded(Fault(NOT_GONE, subtype=SANDBOX_FAULT))])


async def test_a_sandbox_that_outlives_an_agent_that_never_spoke_is_reported(
    tmp_path: Path,
) -> None:
    report = tmp_path / "report"
    async with sandbox(report), claude(tmp_path, report, "exit 3") as agent:
        session = await agent.open(brief_in(tmp_path))
        await session.close()
        told = [event async for event in session.events()]

    assert told == [AgentEnded(Fault(NOT_GONE, subtype=SANDBOX_FAULT))]


async def test_a_sandbox_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    report, brief = tmp_path / "report", brief_in(tmp_path)
    async with sandbox(report) as process, claude(tmp_path, report) as agent:
        session = await agent.open(brief)
        process.kill()
        first = [event async for event in session.events()]
        await session.close()
        after: list[AgentEvent] = [event async for event in session.events()]

    assert (first[-1], after) == (ENDED, [])


async def test_the_first_process_is_waited_for_by_its_number_and_its_start(tmp_path: Path) -> None:
    async with sandbox(tmp_path / "report") as process:
        first = find_init_process(read_first_process(tmp_path / "report"))
        assert first is not None
        later = InitProcess(first.pid, first.started + 1)
        alive = (await wait_until_gone(first, within_s=0), await wait_until_gone(later, within_s=0))
        process.kill()
        ended = await wait_until_gone(first, within_s=60)

    assert (alive, ended, find_init_process(first.pid)) == ((False, True), True, None)


async def test_a_command_whose_sandbox_lives_on_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_runner, "GONE_S", 0.05)
    async with sandbox(tmp_path / "report"):
        start = ConfinedCommand(("/bin/true",), {}, report=tmp_path / "report")
        ran = await command_runner.run_to_end(start, directory=tmp_path, seconds=60)

    assert ran == command_runner.ProcessResult(0, "", sandbox_failure=SandboxFailed(NOT_GONE))


async def test_a_sandbox_is_over_when_nothing_in_it_can_act(tmp_path: Path) -> None:
    async with sandbox(tmp_path / "report") as process:
        first = find_init_process(read_first_process(tmp_path / "report"))
        assert first is not None
        alive = await wait_until_sandbox_inactive(first, within_s=0)
        there = processes_inside(first)
        process.kill()
        ended = await wait_until_sandbox_inactive(first, within_s=60)

        assert (alive, ended, [pid for pid in there if can_act(pid)]) == (False, True, [])
        assert len(there) > 1
        assert await wait_until_gone(first, within_s=60)
        assert processes_inside(first) == frozenset()


async def test_a_process_that_is_first_nowhere_is_not_the_sandboxes() -> None:
    assert (find_init_process(os.getpid()), find_init_process(None)) == (None, None)
    assert await wait_until_gone(None, within_s=0)
    assert await wait_until_sandbox_inactive(None, within_s=0)


def test_a_process_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / "stat").write_bytes(b"7 (\xff) S 3) R 1 2")

    assert stat_fields(tmp_path) == ["R", "1", "2"]
