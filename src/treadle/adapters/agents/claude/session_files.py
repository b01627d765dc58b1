"""What a session is given in files, because every user of the machine can read a command line."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

from treadle.adapters.agents.claude.command import Given, bounded, servers_of
from treadle.adapters.agents.claude.private_home import remove_file
from treadle.domain.agent import Brief


@contextmanager
def given_files(brief: Brief) -> Iterator[Given]:
    """Files that only their owner can read, and that are gone once the agent has read them."""
    servers = _written(brief.home, json.dumps({"mcpServers": servers_of(brief)}))
    context = _written(brief.home, bounded(brief.context)) if brief.context else None
    try:
        yield Given(servers, context)
    finally:
        for path in (servers, context):
            if path is not None:
                remove_file(brief.home, path.name)


def _written(home: Path, text: str) -> Path:
    # A fresh name each time: an agent may have left something at one that it could foresee.
    descriptor, name = mkstemp(dir=home, prefix="given-")
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode(errors="replace"))
    return Path(name)
