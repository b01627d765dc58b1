"""The message of a commit, from what an agent said at the end of its session. Pure."""

MOST_SUBJECT = 72
MOST_MESSAGE = 4_000


def message_of(text: str, *, otherwise: str) -> str:
    """What an agent said at its end, as a commit message: a short first line, then the rest."""
    lines = [_printable(line) for line in text.strip().splitlines()]
    rest = "\n".join(lines).strip()
    if not rest:
        return otherwise
    first, _, body = rest.partition("\n")
    subject = _subject(first)
    # A first line that is too long is said whole in the body.
    body = rest if subject != first else body
    return f"{subject}\n\n{body.strip()[:MOST_MESSAGE]}".strip()


def _subject(line: str) -> str:
    if len(line) <= MOST_SUBJECT:
        return line
    cut = line[: MOST_SUBJECT - 1]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else " " for c in line).rstrip()
