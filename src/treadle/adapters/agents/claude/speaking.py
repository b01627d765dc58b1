"""Speaking to the agent through the SDK: a session's client, and asking what may be dead by now."""

import asyncio
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from treadle.domain.agent import SessionBrief

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeSDKClient

    from treadle.adapters.agents.claude.transport import ProcessTransport

# Loads the SDK, which takes a while; the agent comes up meanwhile.
SPEAKER = "treadle.adapters.agents.claude.hook"
INTERRUPT_S = 2.0


def client_of(brief: SessionBrief, transport: "ProcessTransport") -> "ClaudeSDKClient":
    """The client with our hook, on a transport that is ours, too, and answers for our tools."""
    from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

    from treadle.adapters.agents.claude.hook import guarding

    options = ClaudeAgentOptions(
        hooks={"PreToolUse": [guarding(brief.decide)]},
        verbatim_prompts=True,
    )
    return ClaudeSDKClient(options, transport=transport)


async def unless(ended: asyncio.Event, asking: Coroutine[Any, Any, None]) -> None:
    """Ask the agent, but do not wait for the answer of one whose stream has ended."""
    task, ending = asyncio.ensure_future(asking), asyncio.ensure_future(ended.wait())
    try:
        await asyncio.wait({task, ending}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ConnectionError("it closed its output instead of answering")
        task.result()
    finally:
        ending.cancel()
        task.cancel()
        await asyncio.gather(task, ending, return_exceptions=True)


async def interrupt(client: "ClaudeSDKClient", transport: "ProcessTransport") -> None:
    """Let the agent end its tool and write its transcript, so that it can be resumed."""
    with suppress(Exception):
        async with asyncio.timeout(INTERRUPT_S):
            await unless(transport.ended, client.interrupt())


async def let_go(client: "ClaudeSDKClient | None", transport: "ProcessTransport") -> None:
    """The end of the conversation, and of the process."""
    if client is not None:
        with suppress(Exception):
            await client.disconnect()
    await transport.close()
