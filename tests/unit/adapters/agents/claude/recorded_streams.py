"""The recordings on disk, read once."""

import json
from functools import cache
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[4] / "recordings"


def recorded(version: str, scenario: str) -> list[dict[str, Any]]:
    """The messages of one recording, fresh at every call."""
    lines = (RECORDINGS / version / f"{scenario}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@cache
def every_message() -> tuple[str, ...]:
    """All messages of all recordings as JSON, each kind of message once."""
    kinds: dict[str, str] = {}
    for path in sorted(RECORDINGS.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            message = json.loads(line)
            event, content = message.get("event"), message.get("message")
            blocks = content.get("content") if isinstance(content, dict) else None
            block = blocks[0].get("type") if isinstance(blocks, list) and blocks else None
            named = (message["type"], message.get("subtype"), message.get("is_error"), block)
            kinds.setdefault(f"{named} {event and event.get('type')}", line)
    return tuple(kinds.values())
