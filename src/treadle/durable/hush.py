"""Keeps the engine's library quiet: what concerns people is raised, or told as an event."""

import logging


def hush() -> None:
    """Before it first speaks; it makes itself an output on stderr unless it has one."""
    log = logging.getLogger("dbos")
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    log.propagate = False
