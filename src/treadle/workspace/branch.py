"""Makes the name of a run's branch, and a title, from its specification."""

import re
import unicodedata

from treadle.domain.ids import RunId, short_id

_LONGEST = 40
_FALLBACK = "work"


def branch_name(specification: str, run: RunId) -> str:
    """`treadle/<slug>-<short id>`, a valid ref for any specification."""
    return f"treadle/{slug(specification)}-{short_id(run)}"


def slug(specification: str) -> str:
    """The first heading, or the first line with a word, as letters, digits and dashes."""
    for line in _title_lines(specification):
        if words := _words(line):
            return _join_words(words)
    return _FALLBACK


def title_of(specification: str) -> str:
    """The same as it stands there; empty if there is none."""
    titles = (line.strip().lstrip("#").strip() for line in _title_lines(specification))
    return next(filter(None, titles), "")


def _title_lines(specification: str) -> list[str]:
    """Headings first, then every line."""
    lines = _without_front_matter(specification.splitlines())
    return [*(line for line in lines if re.match(r"\s{0,3}#{1,6}\s", line)), *lines]


def _without_front_matter(lines: list[str]) -> list[str]:
    if lines and lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:]):
        end = next(n for n, line in enumerate(lines) if n and line.strip() == "---")
        return lines[end + 1 :]
    return lines


def _words(line: str) -> list[str]:
    # NFKD drops accents, so "Überblick" stays readable; other alphabets have no ASCII form.
    plain = unicodedata.normalize("NFKD", line).encode("ascii", "ignore").decode()
    return re.findall(r"[a-z0-9]+", plain.lower())


def _join_words(words: list[str]) -> str:
    joined = words[0][:_LONGEST]
    for word in words[1:]:
        if len(joined) + 1 + len(word) > _LONGEST:
            break
        joined += f"-{word}"
    return joined
