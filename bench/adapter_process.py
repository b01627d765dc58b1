"""Sessions by the agent's adapter alone: no gateway, no policy, no git, nothing recorded.

Run as `python -m bench.adapter_process URL SESSIONS PROJECT HOME`. It measures what driving the
agent with hooks and tools costs by itself; the rest of a session of `deliver` is Treadle's work.
"""

import asyncio
import sys
from pathlib import Path
from uuid import uuid4

from bench.jobs import PROMPT
from bench.project import MODEL
from treadle.adapters.agents.claude.agent import ClaudeAgent
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.domain.agent import Allow, CommitIdentity, Decision, SessionBrief, ToolUse
from treadle.domain.ids import SessionId
from treadle.policy.available_tools import BASELINE_TOOLS
from treadle.settings.environment import process_environment

HEADERS = ("x-treadle-workspace: {workspace}",)


async def main() -> None:
    base_url, sessions, project, home = sys.argv[1:]
    given = process_environment()
    environment = {name: given[name] for name in ("PATH", "LANG") if name in given}
    environment |= {"ANTHROPIC_BASE_URL": base_url, "ANTHROPIC_API_KEY": "rehearsal"}
    agent = ClaudeAgent(bundled_binary(), environment, headers=HEADERS, verbatim=True)
    for _ in range(int(sessions)):
        session = await agent.open(_brief(Path(project), Path(home)))
        async for _event in session.events():
            pass
        await session.close()
    await agent.gone()


def _brief(workspace: Path, home: Path) -> SessionBrief:
    return SessionBrief(
        session=SessionId(str(uuid4())),
        role="implementer",
        prompt=PROMPT,
        context="",
        workspace=workspace,
        home=home,
        model=MODEL,
        max_turns=200,
        max_cost_usd=10.0,
        decide=_allow,
        identity=CommitIdentity("Ada Example", "ada@example.com"),
        builtin_tools=BASELINE_TOOLS,
    )


async def _allow(use: ToolUse) -> Decision:
    return Allow()


if __name__ == "__main__":
    asyncio.run(main())
