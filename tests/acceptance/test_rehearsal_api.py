"""The real Claude Code binary cannot tell the scripted API from the real one."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.rehearsal.script import Script, parse_script
from treadle.rehearsal.scripted_api import ScriptedApi

CLAUDE = bundled_binary()


@dataclass(frozen=True)
class Ran:
    exit_code: int
    events: list[dict[str, Any]]

    def kinds(self) -> list[str]:
        return [":".join(filter(None, (e["type"], e.get("subtype")))) for e in self.events]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]

    @property
    def result(self) -> dict[str, Any]:
        return self.of("result")[-1]

    def deltas(self) -> list[str]:
        inner = [event["event"] for event in self.of("stream_event")]
        return [e["delta"]["text"] for e in inner if e.get("delta", {}).get("type") == "text_delta"]


@dataclass(frozen=True)
class Claude:
    """Runs `claude -p` in an environment built from nothing, in directories of its own."""

    home: Path
    workspace: Path

    async def run(self, api: ScriptedApi, script: Script, *flags: str) -> Ran:
        login = "ANTHROPIC_API_KEY" if script.auth == "api_key" else "CLAUDE_CODE_OAUTH_TOKEN"
        process = await asyncio.create_subprocess_exec(
            *(str(CLAUDE), "-p", "go", "--output-format", "stream-json", "--verbose"),
            *("--dangerously-skip-permissions", "--setting-sources", "", "--model", "sonnet"),
            *("--tools", "Bash,Read,Write,Edit,Agent", *flags),
            env={
                login: "rehearsal",
                "HOME": str(self.home),
                "PATH": "/usr/local/bin:/usr/bin:/bin",
                "ANTHROPIC_BASE_URL": api.base_url,
                "ANTHROPIC_CUSTOM_HEADERS": "x-treadle-role: implementer\n"
                f"x-treadle-workspace: {quote(str(self.workspace))}",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "CLAUDE_CODE_MAX_RETRIES": "2",
                "DISABLE_AUTOUPDATER": "1",
                "DISABLE_ERROR_REPORTING": "1",
                "DISABLE_TELEMETRY": "1",
                "IS_SANDBOX": "1",
            },
            cwd=self.workspace,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
        stdout, _ = await process.communicate()
        assert process.returncode is not None
        return Ran(process.returncode, [json.loads(line) for line in stdout.splitlines()])


@pytest.fixture
def claude(tmp_path: Path) -> Claude:
    home, workspace = tmp_path / "home", tmp_path / "my work"
    home.mkdir()
    workspace.mkdir()
    return Claude(home, workspace)


async def test_a_scripted_session_writes_a_file_and_runs_a_command(claude: Claude) -> None:
    script = parse_script(
        """
        version: 1
        sessions:
          - role: implementer
            turns:
              - thinking: A greeting goes into a file.
                text: I write it.
                tool: Write
                input: {file_path: "${workspace}/hello.txt", content: "hello\\n"}
              - expect: hello.txt
                tool: Bash
                input: {command: "cat hello.txt; exit 3"}
                usage: {input: 10, output: 5, cache_write: 3, cache_read: 2}
              - expect: [hello, "Exit code 3"]
                text: Written and read.
        """,
        source="write.yaml",
    )

    async with ScriptedApi(script) as api:
        ran = await claude.run(api, script)

    assert (ran.exit_code, ran.result["result"], api.problems()) == (0, "Written and read.", ())
    assert (claude.workspace / "hello.txt").read_text() == "hello\n"
    usage = next(iter(ran.result["modelUsage"].values()))
    assert (usage["inputTokens"], usage["outputTokens"]) == (210, 45)
    assert (usage["cacheCreationInputTokens"], usage["cacheReadInputTokens"]) == (3, 2)


@pytest.mark.parametrize(
    "fault",
    [
        "{error: {status: 529, headers: {retry-after: 0}}}",
        "{drop: before}",
        "{drop: middle, text: never finished}",
        "{body: '<html>a proxy speaks</html>'}",
        "{content: [{event: {type: error, error: {type: api_error, message: broke}}}]}",
    ],
)
async def test_the_agent_recovers_from_a_fault(claude: Claude, fault: str) -> None:
    script = parse_script(
        f"{{version: 1, sessions: [{{turns: [{fault}, {{text: recovered}}]}}]}}",
        source="fault.yaml",
    )

    async with ScriptedApi(script) as api:
        ran = await claude.run(api, script)

    assert (ran.exit_code, ran.result["result"], api.problems()) == (0, "recovered", ())


async def test_a_spent_quota_is_reported_with_its_reset(claude: Claude) -> None:
    script = parse_script(
        "{version: 1, auth: subscription, sessions: "
        "[{turns: [{quota: {resets_in: 20, window: five_hour}}]}]}",
        source="quota.yaml",
    )

    async with ScriptedApi(script, unix_time=lambda: 4_000_000_000.0) as api:
        ran = await claude.run(api, script)

    (event,) = ran.of("rate_limit_event")
    told = event["rate_limit_info"]
    assert (told["status"], told["rateLimitType"], told["resetsAt"]) == (
        "rejected",
        "five_hour",
        4_000_000_020,
    )
    assert (ran.exit_code, ran.result["api_error_status"], api.problems()) == (1, 429, ())


async def test_a_quota_warning_lets_the_session_go_on(claude: Claude) -> None:
    script = parse_script(
        "{version: 1, auth: subscription, sessions: "
        "[{turns: [{text: fine, quota_warning: {used: 0.92, window: seven_day}}]}]}",
        source="warning.yaml",
    )

    async with ScriptedApi(script) as api:
        ran = await claude.run(api, script)

    (event,) = ran.of("rate_limit_event")
    told = event["rate_limit_info"]
    assert (told["status"], told["rateLimitType"]) == ("allowed_warning", "seven_day")
    assert (ran.exit_code, ran.result["result"]) == (0, "fine")


async def test_a_dry_script_ends_the_session_with_its_reason(claude: Claude) -> None:
    script = parse_script(
        "{version: 1, sessions: [{role: implementer, turns: "
        "[{tool: Bash, input: {command: 'true'}}]}]}",
        source="dry.yaml",
    )

    async with ScriptedApi(script) as api:
        ran = await claude.run(api, script)

    reason = "session 1 (implementer) asked for turn 2, but its script has 1 turn"
    assert (api.problems(), api.request_count, ran.exit_code) == ((reason,), 2, 1)
    assert ran.result["result"] == f"API Error: 402 rehearsal failed: {reason}"


async def test_a_marker_arrives_split_over_chunks(claude: Claude) -> None:
    script = parse_script(
        "{version: 1, sessions: [{turns: [{text: '<<<DONE>>>', chunk: 4}]}]}", source="split.yaml"
    )

    async with ScriptedApi(script) as api:
        ran = await claude.run(api, script, "--include-partial-messages")

    assert (ran.deltas(), ran.result["result"]) == (["<<<D", "ONE>", ">>"], "<<<DONE>>>")


async def test_a_sub_agent_speaks_from_its_own_list(claude: Claude) -> None:
    script = parse_script(
        """
        version: 1
        sessions:
          - turns:
              - tool: Agent
                input:
                  description: look
                  prompt: Look around
                  subagent_type: general-purpose
                  run_in_background: false
              - {expect: nothing to see, text: finished}
            subagent:
              - {expect: Look around, text: nothing to see}
        """,
        source="subagent.yaml",
    )

    async with ScriptedApi(script) as api:
        ran = await claude.run(api, script)

    assert (ran.result["result"], api.problems()) == ("finished", ())
    assert [bool(request.agent) for request in api.requests] == [False, True, False]


async def test_an_unknown_event_in_the_stream_does_no_harm(claude: Claude) -> None:
    script = parse_script(
        "{version: 1, sessions: [{turns: [{content: [{text: before}, "
        "{event: {type: content_weather, sky: blue}}, {text: after}]}]}]}",
        source="unknown.yaml",
    )

    async with ScriptedApi(script) as api:
        ran = await claude.run(api, script, "--include-partial-messages")

    assert (ran.exit_code, ran.deltas()) == (0, ["before", "after"])
