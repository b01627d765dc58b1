"""Size limits for reports, and the error for a report that cannot be read."""

import hashlib

from treadle.domain.suite_report import REPORTS_FOLDER, MalformedReport

MOST_BYTES = 16 * 1024 * 1024
MOST_BYTES_IN_ALL = 64 * 1024 * 1024
MOST_FILES = 2_000
MOST_ELEMENTS = 1_000_000
MOST_DEPTH = 100
MOST_CASES = 100_000
MOST_MESSAGE = 2_000
MOST_NAME = 500

REMEDY = "let the test command write it again, or name other files in verify.reports"
CUT = f"the output is cut: let the test command write a report to {REPORTS_FOLDER}/"


def refuse(
    name: str, reason: str, *, line: int | None = None, remedy: str = REMEDY
) -> MalformedReport:
    """The error for a report that cannot be read: where, why, and what to do."""
    where = name if line is None else f"{name}:{line}"
    return MalformedReport(f"{where}: {reason}; {remedy}")


def cut_name(text: str) -> str:
    """A name or path as a report's parser keeps it: many tests may share one, and each would pay
    for its length again."""
    if len(text) <= MOST_NAME:
        return text
    digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]
    return f"{text[: MOST_NAME - 20]}… {digest}"


def whole_number(text: object) -> int | None:
    """A count or line number; None for signs, fractions, infinities and other text."""
    if isinstance(text, bool):
        return None
    if isinstance(text, int):
        return text if 0 <= text < 10**12 else None
    if isinstance(text, str) and len(text) <= 12 and text.isascii() and text.isdigit():
        return int(text)
    return None
