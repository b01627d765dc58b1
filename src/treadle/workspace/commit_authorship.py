"""Decides under which name, dates and message an agent's commit is imported. Pure.

Hooks in the clone do the same for `git commit`; other commands skip them.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from treadle.domain.agent import CommitIdentity
from treadle.workspace.attribution import is_credit, strip_credits

# A longer message is cut off here.
LONGEST_COMMIT = 1 << 20
# TokenClocks differ a little.
_SLACK_S = 300

_PERSON = re.compile(rb"(author|committer) (.*) (\d+) ([+-]\d{4})")
# Signatures and other additions of git are left out: they are not of the commit that is imported.
_KEPT_HEADERS = (b"tree", b"parent", b"author", b"committer", b"encoding")
# What only the person who is named can say.
_STATEMENTS = r"^\s*(?:signed-off|reviewed|acked|approved|tested)-by:"


@dataclass(frozen=True, slots=True)
class AuthorshipRules:
    """Whose commits they are, and when they can have been made."""

    identity: CommitIdentity
    not_before: int  # when the run began
    fetched_at: int  # the time for a commit with an impossible one
    credit_patterns: tuple[str, ...] = ()

    @property
    def forbidden_lines(self) -> tuple[str, ...]:
        """Patterns of lines that credit an agent, or speak for somebody else."""
        own = re.escape(f"<{self.identity.email.lower()}>")
        return (*self.credit_patterns, rf"{_STATEMENTS}(?!.*{own})")


def attributed(commit: bytes, rules: AuthorshipRules, parents: Mapping[str, str]) -> bytes:
    """The content of a commit object under the run's identity; `parents` maps rewritten ones.

    It is the same content if nothing in it is wrong.
    """
    header, _, message = commit[:LONGEST_COMMIT].partition(b"\n\n")
    lines = [
        _header_line(line, rules, parents)
        for line in header.split(b"\n")
        # A line that begins with a blank continues one of these additions.
        if line.split(b" ")[0] in _KEPT_HEADERS
    ]
    return b"\n".join(lines) + b"\n\n" + _message(message, rules)


def _header_line(line: bytes, rules: AuthorshipRules, parents: Mapping[str, str]) -> bytes:
    kind, _, value = line.partition(b" ")
    if kind == b"parent":
        name = value.decode()
        return f"parent {parents.get(name, name)}".encode()
    if kind not in (b"author", b"committer"):
        return line
    identity = rules.identity
    person = os.fsencode(f"{identity.name} <{identity.email}>")
    match = _PERSON.fullmatch(line)
    time, zone = (int(match[3]), match[4]) if match else (rules.fetched_at, b"+0000")
    earliest = min(rules.not_before, rules.fetched_at)
    if not earliest <= time <= rules.fetched_at + _SLACK_S:
        time, zone = rules.fetched_at, b"+0000"
    return b"%s %s %d %s" % (kind, person, time, zone)


def _message(message: bytes, rules: AuthorshipRules) -> bytes:
    text, patterns = os.fsdecode(message), rules.forbidden_lines
    if not any(is_credit(line, patterns) for line in text.splitlines()):
        return message
    return os.fsencode(strip_credits(text, patterns)) + b"\n"
