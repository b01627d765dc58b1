"""Suggests the known name closest to a misspelled one. Pure."""

from collections.abc import Iterable
from difflib import get_close_matches

from treadle.settings.keys import known_keys, sections


def hint_for(name: str) -> str:
    """The hint for an unknown dotted key: the nearest known one, or the list to choose from."""
    section, dot, leaf = name.rpartition(".")
    if nearest := nearest_name(name, known_keys() if dot else [*known_keys(), *sections()]):
        return f"did you mean {nearest}?"
    same_leaf = [each for each in known_keys() if each.rpartition(".")[2] == leaf]
    if same_leaf:
        return f"did you mean {' or '.join(same_leaf)}?"
    if section in sections():
        leaves = (each.leaf for each in known_keys().values() if each.section == section)
        return f"[{section}] has the keys {', '.join(leaves)}"
    tops = [each.name for each in known_keys().values() if not each.section]
    return f"at the top level there are {', '.join([*tops, *sections()])}"


def nearest_name(name: str, known: Iterable[str], *, cutoff: float = 0.7) -> str | None:
    """The known name that is most like `name`, ignoring case; None if none is close."""
    lowered = {each.lower(): each for each in known}
    matches = get_close_matches(name.lower(), lowered, n=1, cutoff=cutoff)
    return lowered[matches[0]] if matches else None
