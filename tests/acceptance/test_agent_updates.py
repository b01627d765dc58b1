"""Drills: the agent's own updater removes the version that a run began with."""

import os
import signal
from pathlib import Path

import pytest

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    assert_sound,
    script,
)
from tests.acceptance.test_quota_drills import begin
from tests.acceptance.test_the_users_own_agent import OLDER
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.rehearsal.fixtures import Rehearse
from treadle.rehearsal.scripted_api import ScriptedApi


class InstalledAgent:
    """`~/.local/bin/claude`, which leads to a version, as the native installer makes it."""

    def __init__(self, home: Path) -> None:
        self.link = home / ".local" / "bin" / "claude"
        self.versions = home / ".local" / "share" / "claude" / "versions"
        self.link.parent.mkdir(parents=True)
        self.versions.mkdir(parents=True)
        self.install(bundled_binary(), "2.1.325")

    def install(self, binary: Path, version: str) -> None:
        """Install a version, lead the link to it, and remove all others."""
        (self.versions / version).hardlink_to(binary)
        self.link.unlink(missing_ok=True)
        self.link.symlink_to(self.versions / version)
        for other in self.versions.iterdir():
            if other.name != version:
                other.unlink()


@pytest.fixture
def installed(harness: CommandHarness) -> InstalledAgent:
    return InstalledAgent(harness.home)


def variables(
    harness: CommandHarness, installed: InstalledAgent, api: ScriptedApi
) -> dict[str, str]:
    return {
        "PATH": f"{installed.link.parent}:{harness.environment['PATH']}",
        "ANTHROPIC_BASE_URL": api.base_url,
        "ANTHROPIC_API_KEY": "sk-dummy",
    }


def versions_of(harness: CommandHarness, run: str) -> list[str]:
    """The version that the agent of each session told."""
    log = harness.treadle("logs", run, "--json")
    return [event["version"] for event in log.of_type("agent.started")]


def test_the_version_of_a_run_is_removed_between_two_sessions(
    harness: CommandHarness, rehearse: Rehearse, installed: InstalledAgent
) -> None:
    api = rehearse(script(ONE_DELIVERABLE, BUILD_IT))
    harness.settings({"deliver.delay_s": "1"})

    running = begin(harness, "deliver", "--json", **variables(harness, installed, api))
    run = str(running.until("run.started")["run"])
    running.until("session.ended")
    installed.install(OLDER, "2.1.211")
    finished = running.finish()

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed"), finished.stderr
    assert versions_of(harness, run) == ["2.1.325", "2.1.325"]
    told = [event["message"] for event in finished.of_type("run.warned")]
    assert [text for text in told if "Claude Code" in text] == []
    assert_sound(harness, finished)


def test_the_version_of_a_run_is_removed_before_it_is_resumed(
    harness: CommandHarness, rehearse: Rehearse, installed: InstalledAgent
) -> None:
    api = rehearse(script(ONE_DELIVERABLE, BUILD_IT))
    harness.settings({"deliver.delay_s": "1"})
    given = variables(harness, installed, api)

    running = begin(harness, "deliver", "--json", **given)
    run = str(running.until("run.started")["run"])
    running.until("session.ended")
    os.kill(running.process.pid, signal.SIGKILL)
    running.finish()
    installed.install(OLDER, "2.1.211")
    finished = harness.treadle("resume", run, "--json", **given)

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed"), finished.stderr
    assert versions_of(harness, run) == ["2.1.325", "2.1.325"]
    assert (harness.root / "runs" / run / "agent" / "claude").is_file()
