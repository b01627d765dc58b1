"""How long a process takes to start in the sandbox, against a plain one."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.figures import Figure, Spread, ratios
from bench.model import MeasurementFailed
from treadle.adapters.sandboxes.command_runner import run_to_end
from treadle.adapters.sandboxes.interpreter import this_interpreter
from treadle.domain.sandbox import ConfinedCommand, Confinement, ProbePassed, SandboxFailed
from treadle.gateway.proxy_variables import BRIDGE_PORT
from treadle.gateway.sandbox_network import BRIDGE, PROXY, bridge_command
from treadle.settings.environment import parse_environment
from treadle.wiring.sandbox import choose_sandbox

PATH = {"PATH": "/usr/bin:/bin"}
TRUE = ("true", "x")
WARM_UP = 2
MOST_S = 30.0


@dataclass(frozen=True, slots=True)
class Started:
    """One process each way, in seconds from its start to its end."""

    plain_s: float
    sandboxed_s: float
    # With the launcher, as every command of an agent is.
    launched_s: float
    # With the bridge to the package indexes, as every session is.
    bridged_s: float


def measure(directory: Path, times: int) -> list[Started]:
    """So many starts each way, in turns; none if this machine has no sandbox that holds."""
    for name in ("work", "home"):
        (directory / name).mkdir(parents=True)
    return asyncio.run(_measured(directory, times))


async def _measured(directory: Path, times: int) -> list[Started]:
    sandbox = choose_sandbox(parse_environment(PATH), reports=directory / "reports", wanted=True)
    if not isinstance(await sandbox.probe(), ProbePassed):
        return []
    within = Confinement(directory / "work", directory / "home")
    bridge = (*bridge_command(this_interpreter().program), PROXY, str(BRIDGE_PORT), "--")
    with_bridge = replace(within, readable=(BRIDGE,))
    done = [
        Started(
            await _took_s(lambda: ConfinedCommand(TRUE, PATH), directory),
            await _took_s(lambda: sandbox.confine(TRUE, PATH, within), directory),
            await _took_s(
                lambda: sandbox.confine((*sandbox.launcher(), *TRUE), PATH, within), directory
            ),
            await _took_s(lambda: sandbox.confine((*bridge, *TRUE), PATH, with_bridge), directory),
        )
        for _ in range(times + WARM_UP)
    ]
    return done[WARM_UP:]


def figures(done: Sequence[Started]) -> list[Figure]:
    """What the sandbox costs each process that is started in it."""
    if not done:
        return []
    plain, sandboxed = [one.plain_s for one in done], [one.sandboxed_s for one in done]
    return [
        Figure("start in the sandbox", "ms", _ms(sandboxed), aim=60.0),
        Figure("  with the launcher", "ms", _ms([one.launched_s for one in done])),
        Figure("  with the bridge", "ms", _ms([one.bridged_s for one in done])),
        Figure("  plain", "ms", _ms(plain)),
        Figure("  against plain", "x", ratios(sandboxed, plain)),
    ]


def _ms(seconds: Sequence[float]) -> Spread:
    return Spread.of([second * 1000 for second in seconds])


async def _took_s(prepare: Callable[[], ConfinedCommand | SandboxFailed], directory: Path) -> float:
    started = time.perf_counter()
    confined = prepare()
    if isinstance(confined, SandboxFailed):
        raise MeasurementFailed(confined.message)
    ran = await run_to_end(confined, directory=directory, seconds=MOST_S)
    took = time.perf_counter() - started
    if ran.exit_code != 0:
        raise MeasurementFailed(f"a sandboxed command failed: {ran.output}")
    return took
