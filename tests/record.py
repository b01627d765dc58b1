"""Makes `recordings/`: real Claude Code streams, scripted and scrubbed. Run it to refresh them.

    .venv/bin/python tests/record.py [SCENARIO …]

Both ends of the tested range of versions are driven through the product's own adapter, with an
environment built from nothing, on loopback only. A recording holds what the binary printed, less
the control protocol; whatever differs from one run to the next is replaced by a constant.
"""

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.agents.claude.transport import parse_message
from treadle.domain.agent import Allow, CommitIdentity, Decision, Deny, SessionBrief, ToolUse
from treadle.domain.ids import SessionId
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.scripted_api import ScriptedApi

TESTS = Path(__file__).parent
OLDER = TESTS.parent / ".venv/older-claude/claude_agent_sdk/_bundled/claude"
RECORDINGS = TESTS / "recordings"
SESSION = SessionId("0f0e0d0c-0b0a-4908-8706-050403020100")

# Figures of the clock, of chance or of the machine, and what every recording says instead.
CONSTANT: dict[str, object] = {
    "timestamp": "2030-01-01T00:00:00.000Z",
    "retry_delay_ms": 500,
    "estimated_tokens": 1,
    "estimated_tokens_delta": 1,
    "end_time": 4_000_000_000_000,
    "run_id": "run",
    "harnessSectionHash": "hash",
    "messaging_socket_path": "socket",
}
# Lists of what happens to be on board; the parser reads the names of tools and nothing else.
EMPTIED = frozenset({"agents", "commands", "plugins", "skills", "slash_commands"})
REPLACED = (
    (r"127\.0\.0\.1:\d+", "127.0.0.1:8000"),
    (r"(msg|toolu|req)_[0-9a-f]{8}(\d{4})", r"\1_\2"),
    (r"\ba[0-9a-f]{16}\b", "subagent"),
    (r"/claude-\d+/", "/claude-1000/"),
    (r"duration_ms: \d+", "duration_ms: 1"),
)
UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


@dataclass(frozen=True)
class Scenario:
    """One session: what the model says, and what the session is given."""

    turns: str
    auth: str = "api_key"
    max_turns: int = 20
    max_cost_usd: float = 5.0
    subagent: str = ""


WRITE = '{tool: Write, input: {file_path: "${workspace}/hello.txt", content: "hello\\n"}}'
SCENARIOS = {
    "success": Scenario(
        "{text: 'I look. <<<NOTE', chunk: 9, tool: Bash, input: {command: echo hi}, "
        "usage: {input: 10, output: 5, cache_write: 3, cache_read: 2}}, "
        f"{WRITE}, "
        "{tools: [{Bash: {command: cat hello.txt}}, {Bash: {command: exit 3}}]}, {text: All done.}"
    ),
    "denied_tool": Scenario("{tool: Bash, input: {command: rm -rf /}}, {text: Then not.}"),
    "api_retry": Scenario("{error: {status: 529, headers: {retry-after: 0}}}, {text: recovered}"),
    "overloaded": Scenario("{error: {status: 529, headers: {retry-after: 0}}, repeat: 3}"),
    "quota": Scenario("{quota: {resets_in: 3600, window: five_hour}}", auth="subscription"),
    "quota_warning": Scenario(
        "{text: fine, quota_warning: {used: 0.92, resets_in: 3600, window: seven_day}}",
        auth="subscription",
    ),
    "authentication": Scenario("{error: {status: 401, headers: {x-should-retry: false}}}"),
    "max_turns": Scenario(f"{WRITE}, {{text: never, optional: true}}", max_turns=1),
    "budget": Scenario(
        "{tool: Bash, input: {command: pwd}, usage: {input: 1000000, output: 1}}, "
        "{text: never, optional: true}",
        max_cost_usd=0.5,
    ),
    "subagent": Scenario(
        "{tool: Agent, input: {description: look, prompt: Look around, subagent_type: "
        "general-purpose, run_in_background: false}}, {expect: nothing to see, text: finished}",
        subagent="{text: I look., tool: Bash, input: {command: ls}}, {text: nothing to see}",
    ),
    "thinking": Scenario("{thinking: 'Two files, or one?', text: One.}"),
    "unknown_tool": Scenario("{tool: Teleport, input: {to: mars}}, {text: No such thing.}"),
    "dropped": Scenario(
        "{drop: middle, text: this is never finished, delay_between: 0.2}, {text: recovered}"
    ),
}


async def _decide(use: ToolUse) -> Decision:
    if "rm -rf" in str(use.input.get("command")):
        return Deny("Deleting everything is not part of the work. Delete what you made.")
    return Allow()


async def record(scenario: Scenario, binary: Path, place: Path) -> list[dict[str, Any]]:
    """Play the scenario to the binary and return what it printed."""
    printed = place / "printed.jsonl"
    tee = place / "claude"
    tee.write_text(f'#!/bin/sh\n"{binary}" "$@" | tee "{printed}"\n')
    tee.chmod(0o755)
    (place / "project").mkdir()
    script = parse_script(_script(scenario), source="scenario")
    login = "ANTHROPIC_API_KEY" if scenario.auth == "api_key" else "CLAUDE_CODE_OAUTH_TOKEN"
    async with ScriptedApi(script, unix_time=lambda: 4_000_000_000.0) as api:
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TZ": "UTC",
            "ANTHROPIC_BASE_URL": api.base_url,
            login: "rehearsal",
        }
        agent = ClaudeAgent(tee, environment, headers=("x-treadle-workspace: {workspace}",))
        session = await agent.open(replace(_brief(place), **_limits(scenario)))
        events = [event async for event in session.events()]
        await session.close()
        await agent.gone()
        if api.problems():
            raise SystemExit(f"{api.problems()}\n{events[-1]}")
    return list(_messages(printed.read_bytes()))


def _script(scenario: Scenario) -> str:
    subagent = f", subagent: [{scenario.subagent}]" if scenario.subagent else ""
    return (
        f"{{version: 1, auth: {scenario.auth}, sessions: "
        f"[{{turns: [{scenario.turns}]{subagent}}}]}}"
    )


def _limits(scenario: Scenario) -> dict[str, Any]:
    return {"max_turns": scenario.max_turns, "max_cost_usd": scenario.max_cost_usd}


def _brief(place: Path) -> SessionBrief:
    return SessionBrief(
        session=SESSION,
        role="implementer",
        prompt="go",
        context="",
        workspace=place / "project",
        home=place / "home",
        model="claude-sonnet-5-5",
        max_turns=20,
        max_cost_usd=5.0,
        decide=_decide,
        identity=CommitIdentity("Demo User", "demo@example.com"),
        builtin_tools=("Agent", "Bash", "Read", "Write"),
    )


def _messages(printed: bytes) -> Iterator[dict[str, Any]]:
    for line in printed.splitlines():
        message = parse_message(line)
        if message is not None and not str(message.get("type")).startswith("control_"):
            yield message


def scrubbed(messages: list[dict[str, Any]], place: Path) -> str:
    """One line per message, the same for every run on every machine."""
    text = "".join(json.dumps(_constant(message)) + "\n" for message in messages)
    text = text.replace(str(place), "/home/user")
    text = text.replace(re.sub(r"[^A-Za-z0-9]", "-", str(place)), "-home-user")
    for pattern, constant in REPLACED:
        text = re.sub(pattern, constant, text)
    seen: dict[str, str] = {str(SESSION): "session"}
    return re.sub(UUID, lambda found: seen.setdefault(found.group(), f"uuid-{len(seen)}"), text)


def _constant(value: Any) -> Any:
    if isinstance(value, list):
        return [_constant(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {key: _field(key, entry) for key, entry in value.items()}


def _field(key: str, value: Any) -> Any:
    if key in CONSTANT:
        return CONSTANT[key]
    if key in EMPTIED and isinstance(value, list):
        return []
    if key.endswith(("_ms", "Ms")) and isinstance(value, int | float):
        return 1
    return _constant(value)


def main(wanted: list[str]) -> None:
    for binary in (bundled_binary(), OLDER):
        for name, scenario in SCENARIOS.items():
            if wanted and name not in wanted:
                continue
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder).resolve()
                messages = asyncio.run(record(scenario, binary, place))
            version = next((m["claude_code_version"] for m in messages if m.get("tools")), "none")
            target = RECORDINGS / version / f"{name}.jsonl"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(scrubbed(messages, place), encoding="utf-8")
            sys.stdout.write(f"{version} {name}: {len(messages)} messages\n")


if __name__ == "__main__":
    main(sys.argv[1:])
