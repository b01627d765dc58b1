"""Describes files that were withheld from commits. Pure."""

from collections.abc import Sequence

from treadle.domain.events.work import IGNORED_FILE, WithheldPath
from treadle.workflows.loop.instructions import prompt_text

# Paths of one kind that a session is told of.
MAX_LISTED = 50


def describe_withheld(withheld: WithheldPath) -> str:
    """The path and kind of withheld content, never the content."""
    if withheld.is_by_path:
        return withheld.path
    if not withheld.path:
        return f"a commit message: {withheld.kind}"
    location = f"line {withheld.line}" if withheld.line else "its name"
    return f"{withheld.path}, {location}: {withheld.kind}"


def withheld_reason(
    paths: Sequence[WithheldPath], already_known: Sequence[WithheldPath] = ()
) -> str:
    """Why the round was not imported completely; empty if it was.

    `already_known` are paths that the session knew before. What is left out by its path is left out
    of every round, so a session that knows it has lost nothing.
    """
    credentials = [withheld.path for withheld in paths if not withheld.is_by_path]
    if credentials:
        names = ", ".join(dict.fromkeys(credentials))
        return f"what looks like a credential must not be committed ({names})"
    new = [withheld for withheld in paths if withheld not in already_known]
    if protected := [withheld.path for withheld in new if withheld.is_protected]:
        return f"an agent must not change what is protected ({', '.join(protected)})"
    ignored = [withheld.path for withheld in new if withheld.kind == IGNORED_FILE]
    if secret := [withheld.path for withheld in new if withheld.kind != IGNORED_FILE]:
        return f"files of secrets must not be committed ({', '.join(secret)})"
    return f"files that git ignores must not be committed ({', '.join(ignored)})" if ignored else ""


def withheld_commits_text(paths: Sequence[WithheldPath]) -> str:
    """For people: which commits of an agent were rewritten before the import."""
    listing = "; ".join(describe_withheld(withheld) for withheld in paths)
    return f"commits that held what looks like a credential did not come home as such ({listing})"


def withheld_prompt(paths: Sequence[WithheldPath]) -> str:
    """The part of the next prompt about withheld files; empty if there are none."""
    protected = [withheld for withheld in paths if withheld.is_protected]
    credentials = [withheld for withheld in paths if not withheld.is_by_path]
    ignored = [withheld for withheld in paths if withheld.kind == IGNORED_FILE]
    secret_files = [
        withheld
        for withheld in paths
        if withheld.is_by_path and withheld not in (*protected, *ignored)
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
