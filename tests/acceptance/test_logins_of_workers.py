"""Detached runs of two shells: each is paid for by the login of the shell that asked for it."""

import asyncio
import signal
import subprocess

from tests.acceptance.harness import TREADLE, CommandHarness
from tests.unit.gateway.recorded_heads import record_heads

COMPANY = {"ANTHROPIC_API_KEY": "sk-company"}
PERSONAL = {"ANTHROPIC_API_KEY": "sk-personal"}


def start_worker(harness: CommandHarness, login: dict[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [TREADLE, "worker"],
        cwd=harness.home,
        env={**harness.environment, **login},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def detach_and_wait(harness: CommandHarness, login: dict[str, str], address: str) -> None:
    left = harness.treadle("deliver", "--detach", "-n", "1", **login, ANTHROPIC_BASE_URL=address)
    assert left.exit_code == 0, left.stderr
    harness.treadle("attach", left.stdout.strip())


async def test_each_run_is_billed_to_the_key_of_its_own_shell(harness: CommandHarness) -> None:
    harness.settings({})
    async with record_heads() as of_company, record_heads() as of_person:
        worker = start_worker(harness, COMPANY)
        try:
            await asyncio.to_thread(detach_and_wait, harness, COMPANY, of_company.url)
            await asyncio.to_thread(detach_and_wait, harness, PERSONAL, of_person.url)
            assert worker.poll() is None
        finally:
            worker.send_signal(signal.SIGTERM)
            await asyncio.to_thread(worker.wait, 60)

    keys = [
        {head["x-api-key"] for head in service.of_each("x-api-key") if head}
        for service in (of_company, of_person)
    ]
    assert keys == [{"sk-company"}, {"sk-personal"}]
    kept = (*harness.root.glob("*.db*"), *harness.root.glob("runs/*/request.json"))
    stored = b"".join(path.read_bytes() for path in kept)
    assert (b"sk-company" in stored, b"sk-personal" in stored) == (False, False)
