"""Words for what was kept from being committed: to people, and to the next session. Pure."""

from collections.abc import Sequence
from importlib.resources import files

from treadle.domain.events.work import Withheld


def place_text(place: Withheld) -> str:
    """Where it stands and what it looks like, never what it is."""
    if not place.path:
        return f"a commit message: {place.kind}"
    where = f"line {place.line}" if place.line else "its name"
    return f"{place.path}, {where}: {place.kind}"


def withheld_reason(places: Sequence[Withheld]) -> str:
    """Why the round's work is not all home; empty if it is."""
    names = ", ".join(dict.fromkeys(place.path for place in places))
    return f"what looks like a credential must not be committed ({names})" if places else ""


def passing_text(places: Sequence[Withheld]) -> str:
    """For people: commits of an agent that did not come home as they were."""
    listed = "; ".join(place_text(place) for place in places)
    return f"commits that held what looks like a credential did not come home as such ({listed})"


def withheld_prompt(places: Sequence[Withheld]) -> str:
    """What the next session is told first; empty if nothing was kept back."""
    if not places:
        return ""
    prompt = (files("treadle.workflows") / "prompts" / "withheld.md").read_text(encoding="utf-8")
    return prompt.replace("{places}", "\n".join(f"- {place_text(place)}" for place in places))
