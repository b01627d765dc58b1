"""Texts about files that were kept from being committed. Pure."""

from collections.abc import Sequence

from treadle.domain.events.work import WithheldPath
from treadle.workflows.loop.instructions import prompt_text


def place_text(place: WithheldPath) -> str:
    """Where it stands and what it looks like, never what it is."""
    if place.is_protected:
        return place.path
    if not place.path:
        return f"a commit message: {place.kind}"
    where = f"line {place.line}" if place.line else "its name"
    return f"{place.path}, {where}: {place.kind}"


def withheld_reason(places: Sequence[WithheldPath], known: Sequence[WithheldPath] = ()) -> str:
    """Why the round's work is not all home; empty if it is.

    `known` is what the session had been told before. What is protected is left out of every round
    in the same way, and who goes on knowing that has lost nothing by it.
    """
    credentials = [place.path for place in places if not place.is_protected]
    if credentials:
        names = ", ".join(dict.fromkeys(credentials))
        return f"what looks like a credential must not be committed ({names})"
    new = [place.path for place in places if place not in known]
    return f"an agent must not change what is protected ({', '.join(new)})" if new else ""


def passing_text(places: Sequence[WithheldPath]) -> str:
    """For people: commits of an agent that did not come home as they were."""
    listed = "; ".join(place_text(place) for place in places)
    return f"commits that held what looks like a credential did not come home as such ({listed})"


def withheld_prompt(places: Sequence[WithheldPath]) -> str:
    """What the next session is told first; empty if nothing was kept back."""
    protected = [place for place in places if place.is_protected]
    credentials = [place for place in places if not place.is_protected]
    return _prompt_part("withheld", credentials) + _prompt_part("protected", protected)


def _prompt_part(prompt: str, places: Sequence[WithheldPath]) -> str:
    if not places:
        return ""
    text = prompt_text("loop", prompt)
    return text.replace("{places}", "\n".join(f"- {place_text(place)}" for place in places))
