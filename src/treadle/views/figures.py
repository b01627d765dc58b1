"""Numbers as text: money, counts with their noun, tokens, short commit ids."""

from treadle.domain.usage import Usage


def money(usd: float) -> str:
    """Dollars and cents; what is less than a cent but not nothing says so."""
    if 0 < usd < 0.01:
        return "<$0.01"
    return f"${usd:,.2f}"


def pluralize(number: int, noun: str) -> str:
    """`1 commit`, `2 commits`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def tokens(usage: Usage) -> str:
    """The four buckets that are priced apart, those that are empty left out."""
    buckets = (
        (usage.input_tokens, "in"),
        (usage.output_tokens, "out"),
        (usage.cache_write_tokens, "cache write"),
        (usage.cache_read_tokens, "cache read"),
    )
    return ", ".join(f"{count:,} {name}" for count, name in buckets if count) or "no tokens"


def short_commit(commit: str) -> str:
    """As much of a commit's name as people read."""
    return commit[:8]
