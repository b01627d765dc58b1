"""Describes files that were withheld from commits. Pure."""

from collections.abc import Iterable, Sequence

from treadle.domain.events.work import IGNORED_FILE, WithheldPath, WorkWithheld
from treadle.workflows.loop.instructions import prompt_text
from treadle.workspace.secret_files import list_names

# Paths of one kind that a session is told of, and those that one sentence names: an agent can add
# hundreds of thousands.
MAX_LISTED = 50
MAX_NAMED = 20
MAX_RECORDED = 1_000


def describe_withheld(withheld: WithheldPath) -> str:
    """The path and kind of withheld content, never the content."""
    if withheld.is_by_path:
        return withheld.path
    if not withheld.path:
        return f"a commit message: {withheld.kind}"
    location = f"line {withheld.line}" if withheld.line else "its name"
    return f"{withheld.path}, {location}: {withheld.kind}"


def withheld_event(paths: Sequence[WithheldPath]) -> WorkWithheld:
    """The event for these paths; of very many it has the first ones and their number."""
    return WorkWithheld(tuple(paths[:MAX_RECORDED]), max(0, len(paths) - MAX_RECORDED))


def withheld_reason(
    paths: Sequence[WithheldPath], already_known: Sequence[WithheldPath] = ()
) -> str:
    """Why the round was not imported completely; empty if it was.

    `already_known` are paths that the session knew before. What is left out by its path is left out
    of every round, so a session that knows it has lost nothing.
    """
    credentials = [withheld.path for withheld in paths if not withheld.is_by_path]
    if credentials:
        return f"what looks like a credential must not be committed ({_names(credentials)})"
    known = frozenset(already_known)
    new = [withheld for withheld in paths if withheld not in known]
    if protected := [withheld.path for withheld in new if withheld.is_protected]:
        return f"an agent must not change what is protected ({_names(protected)})"
    ignored = [withheld.path for withheld in new if withheld.kind == IGNORED_FILE]
    if secret := [withheld.path for withheld in new if withheld.kind != IGNORED_FILE]:
        return f"files of secrets must not be committed ({_names(secret)})"
    return f"files that git ignores must not be committed ({_names(ignored)})" if ignored else ""


def _names(paths: Iterable[str]) -> str:
    return list_names(tuple(dict.fromkeys(paths)), MAX_NAMED)


def withheld_commits_text(paths: Sequence[WithheldPath]) -> str:
    """For people: which commits of an agent were rewritten before the import."""
    listing = "; ".join(describe_withheld(withheld) for withheld in paths[:MAX_NAMED])
    if len(paths) > MAX_NAMED:
        listing += f"; and {len(paths) - MAX_NAMED} more"
    held = "held what looks like a credential"
    if all(withheld.is_by_path for withheld in paths):
        held = "added files that no run commits"
    return f"commits that {held} were not imported as they are ({listing})"


def withheld_prompt(paths: Sequence[WithheldPath]) -> str:
    """The part of the next prompt about withheld files; empty if there are none."""
    protected = [withheld for withheld in paths if withheld.is_protected]
    credentials = [withheld for withheld in paths if not withheld.is_by_path]
    ignored = [withheld for withheld in paths if withheld.kind == IGNORED_FILE]
    secret_files = [
        withheld
        for withheld in paths
        if withheld.is_by_path and not withheld.is_protected and withheld.kind != IGNORED_FILE
    ]
    return (
        _prompt_part("withheld", credentials)
        + _prompt_part("secret_files", secret_files)
        + _prompt_part("ignored_files", ignored)
        + _prompt_part("protected", protected)
    )


def _prompt_part(prompt: str, paths: Sequence[WithheldPath]) -> str:
    if not paths:
        return ""
    lines = [f"- {describe_withheld(withheld)}" for withheld in paths[:MAX_LISTED]]
    if len(paths) > MAX_LISTED:
        lines.append(f"- and {len(paths) - MAX_LISTED} more")
    return prompt_text("loop", prompt).replace("{places}", "\n".join(lines))
