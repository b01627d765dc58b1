"""A night in small: what can happen in eight hours happens to one run, and its work is landed.

Outages, the reset of a quota and the expiry of a login come within seconds here; Treadle, Claude
Code, git, the sandbox and the databases are the real ones.
"""

import json
import os
import select
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import TREADLE, Finished, Running, script
from tests.acceptance.test_quota_drills import begin
from tests.acceptance.test_subscription_login import SubscriptionHarness
from tests.acceptance.verified_project import planned, with_files
from tests.identity.service import IdentityService
from tests.upgrades.earlier_version import (
    BUILT_VERSION,
    EarlierVersion,
    commit_before,
    install_earlier,
)
from treadle.rehearsal.fixtures import Rehearse

pytestmark = pytest.mark.timeout(400)

OVERLOADED = "{error: {status: 529, message: Overloaded, headers: {x-should-retry: 'false'}}}"
OUT_OF_ORDER = "{error: {status: 500, message: out of order, headers: {x-should-retry: 'false'}}}"
CHECKS = {"DL1": "grep -qx hello hello.txt", "DL2": "grep -qx bye bye.txt"}
WAIT = "import time\n\ntime.sleep(300)\n"
RESET_S = 15

# Whoever asks: only rehearsals tell the model of roles.
CUT_BY_THE_FIRST_OUTAGE = f"""
  - name: the greeting, begun
    turns:
      - text: I begin with the greeting.
        tool: Write
        input: {{file_path: half.txt, content: "half\\n"}}
      - {OVERLOADED}
"""
FIRST_DELIVERABLE = """
  - name: the greeting
    turns:
      - tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL1, status: passed}
      - text: The greeting is built.
"""
QUOTA_SPENT = f"""
  - name: the quota is spent
    turns: [{{quota: {{resets_in: {RESET_S}}}}}]
"""
CUT_BY_THE_SECOND_OUTAGE = f"""
  - name: the farewell, begun
    turns:
      - text: I go on with the farewell.
        tool: Write
        input: {{file_path: bye.txt, content: "goodbye\\n"}}
      - {OUT_OF_ORDER}
"""
SECOND_DELIVERABLE = """
  - name: the farewell
    turns:
      - tool: Bash
        input: {command: python3 wait.py, timeout: 300000}
      - tool: Write
        input: {file_path: bye.txt, content: "bye\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL2, status: passed}
      - text: The farewell is built.
"""
NIGHT = script(
    CUT_BY_THE_FIRST_OUTAGE,
    FIRST_DELIVERABLE,
    QUOTA_SPENT,
    CUT_BY_THE_SECOND_OUTAGE,
    SECOND_DELIVERABLE,
    auth="subscription",
)
# No failure and no round to spare: waiting spends neither.
SETTINGS = {"limits.max_retries": "0", "limits.max_iterations": "2", "deliver.backoff_s": "1"}


class NightHarness(SubscriptionHarness):
    """A user who detaches a run in the evening, and what happens to the machine until morning."""

    def detach(self) -> str:
        left = self.treadle("deliver", "--detach", "--wait-for-quota")
        assert left.exit_code == 0, left.stderr
        return left.stdout.strip()

    def watch(self, run: str) -> Running:
        return begin(self, "attach", run, "--json")

    def start_worker(self) -> Running:
        return begin(self, "worker", "--until-idle")

    def stop_workers(self) -> None:
        """As whoever updates does."""
        for process in self.processes():
            if b"worker" in _command_of(process):
                _signal(process, signal.SIGTERM)
        _wait_until(lambda: not self.processes())

    def reboot(self) -> None:
        """Nothing that was started for this night is left, and nothing could end in order."""
        while processes := self.processes():
            for process in processes:
                _signal(process, signal.SIGKILL)
            select.select([], [], [], 0.05)

    def let_login_expire(self) -> None:
        """Hours pass for the token in the user's file."""
        file = self.home / ".claude" / ".credentials.json"
        stored = json.loads(file.read_text())
        stored["claudeAiOauth"]["expiresAt"] = int(time.time() * 1000) + 1000
        file.write_text(json.dumps(stored))

    def log(self, run: str) -> Finished:
        return self.treadle("logs", run, "--json")

    def processes(self) -> list[int]:
        """Those whose variables name a directory of this test."""
        world = f"{self.directory}/".encode()
        pids = (int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit())
        return [pid for pid in pids if pid != os.getpid() and world in _read(pid, "environ")]


def _read(process: int, name: str) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{process}/{name}").read_bytes()
    return b""


def _command_of(process: int) -> bytes:
    return _read(process, "cmdline")


def _signal(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, number)


def _wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(6000):
        if condition():
            return
        select.select([], [], [], 0.01)
    raise AssertionError("waited in vain")


@pytest.fixture
def earlier(tmp_path: Path) -> EarlierVersion:
    """The version that runs in the evening: a wheel of the commit before."""
    return install_earlier(commit_before(), tmp_path / "earlier")


@pytest.fixture
def night(tmp_path: Path) -> Iterator[NightHarness]:
    with IdentityService(tmp_path / "identity") as identity:
        harness = NightHarness(tmp_path / "user", identity)
        yield harness
        harness.reboot()


def passes(harness: NightHarness) -> dict[str, Any]:
    status = json.loads((harness.project / ".treadle" / "status.json").read_text())
    return {each["id"]: (each["passed"], each.get("proof")) for each in status["deliverables"]}


def test_a_run_survives_the_night_and_its_work_is_landed_and_proven(
    night: NightHarness, earlier: EarlierVersion, rehearse: Rehearse
) -> None:
    night.identity.model_url = rehearse(NIGHT).base_url
    night.identity.write_login(night.home)
    with_files(night, wait__py=WAIT)
    planned(night, **CHECKS)
    night.settings(SETTINGS)
    evening = night.git("rev-parse", "HEAD")

    # In the evening: an outage in the middle of a session, then the quota is spent.
    night.command = earlier.command
    run = night.detach()
    watched = night.watch(run)
    watched.until("run.paused")
    watched.until("run.paused")
    # Treadle is updated while the run waits, and the login is about to expire.
    night.stop_workers()
    watched.finish()
    night.command = TREADLE
    night.let_login_expire()
    worker = night.start_worker()
    _wait_until(lambda: "run.recovered" in night.log(run).types())
    watched = night.watch(run)
    watched.until("run.recovered")
    # After the reset, another outage; then the machine is started anew, in the middle of a tool.
    watched.until("run.paused")
    watched.until("tool.decided", name="Bash")
    night.reboot()
    watched.finish()
    worker.finish()
    untouched = (night.git("rev-parse", "HEAD"), night.git("status", "--porcelain"))
    # In the morning nobody has to do anything but to start the worker.
    morning = night.start_worker().finish()

    log = night.log(run)
    assert (morning.exit_code, log.result["reason"]) == (0, "all_passed"), morning.stderr
    assert log.result["rounds"] == 2
    assert untouched == (evening, "")
    assert [(night.project / f"{name}.txt").read_text() for name in ("hello", "bye")] == [
        "hello\n",
        "bye\n",
    ]
    assert passes(night) == {"DL1": (True, "proven"), "DL2": (True, "proven")}
    assert_as_it_happened(night, log)


def assert_as_it_happened(night: NightHarness, log: Finished) -> None:
    """Each trouble came once, cost nothing, and left nothing behind."""
    types = ("run.paused", "run.recovered", "round.failed", "work.landed", "run.ended")
    assert [event["type"] for event in log.of_type(*types)] == [
        *("run.paused", "run.paused", "run.recovered", "run.paused", "run.recovered"),
        *("work.landed", "run.ended"),
    ]
    reasons = [event["reason"] for event in log.of_type("run.paused")]
    assert ["Overloaded" in reasons[0], "limit" in reasons[1], "out of order" in reasons[2]] == [
        True
    ] * 3
    assert [event["version"] for event in log.of_type("run.started")] == [BUILT_VERSION]
    identity = night.identity
    assert (len(identity.renewals), identity.refused_tokens) == (1, ())
    assert identity.is_logged_in(night.home)
    assert night.processes() == []
