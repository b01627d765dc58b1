"""Whether a line that a finding quotes is in a text. Pure."""


def is_quoted(quote: str, text: str) -> bool:
    """Whether all lines of a quote are in a text, however they are indented."""
    lines = [fold_spaces(line) for line in text.splitlines()]
    wanted = [line for raw in quote.splitlines() if (line := fold_spaces(raw))]
    return bool(wanted) and all(any(want in line for line in lines) for want in wanted)


def fold_spaces(line: str) -> str:
    """A line with one space wherever it has any."""
    return " ".join(line.split())
