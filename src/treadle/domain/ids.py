"""Identifiers: a run id is a UUIDv7, so ids sort by the time of the request."""

from typing import NewType
from uuid import UUID

RunId = NewType("RunId", str)
SessionId = NewType("SessionId", str)

SHORT_DIGITS = 8


def make_run_id(*, unix_ms: int, random_bits: int) -> RunId:
    """The UUIDv7 of a time and 74 random bits."""
    rand_a = (random_bits >> 62) & 0xFFF
    rand_b = random_bits & 0x3FFF_FFFF_FFFF_FFFF
    value = (unix_ms & 0xFFFF_FFFF_FFFF) << 80 | 7 << 76 | rand_a << 64 | 0b10 << 62 | rand_b
    return RunId(str(UUID(int=value)))


def short_id(run: RunId) -> str:
    """The last eight hex digits, which people type and the run's branch name ends with."""
    return run.replace("-", "")[-SHORT_DIGITS:]


def started_at(run: RunId) -> int:
    """When the run was requested, in seconds."""
    return (UUID(run).int >> 80) // 1000
