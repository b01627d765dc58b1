"""Test names, and whether the plan says that a test may be removed or skipped. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

# Behind the name: the number of a repeat, and the arguments that it was called with.
_REPEAT = re.compile(r" \(\d+\)\Z")
_ARGUMENTS = re.compile(r"\[.*\]\Z", re.DOTALL)
_NAME_SEPARATOR = re.compile(r"\s+[>›]\s+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+")

# A plan that names a test says most often that it shall pass. Only one of these lets it go.
_VERBS = (
    *(r"removed?", r"deleted?", r"drop(?:ped)?", r"skip(?:ped)?", r"disabled?", r"retired?"),
    *(r"renamed?", r"replaced?", r"moved?", r"merged?", r"split"),
)
_STATES = (r"obsolete", r"outdated", r"rid of", r"no longer", r"not needed", r"not apply")
_REMOVAL = re.compile(rf"\b(?:{'|'.join((*_VERBS, *_STATES))})\b", re.IGNORECASE)
_NEGATED_REMOVAL = re.compile(
    rf"(?:\b(?:not|never|without|cannot)|n['’]t)(?:\s+\w+){{0,2}}?\s+(?:{'|'.join(_VERBS)})\b",
    re.IGNORECASE,
)
# Words such as `works`, `user profile` or the `1` of a table are in every text, and then they are
# about something else; so a name that is nothing more has to stand in quotes.
_COMMON_WORDS = re.compile(r"[A-Za-z]?[a-z]*|[\W\d_]*|.{1,3}|(?!.*::).*\s.*", re.DOTALL)
# An agent writes part of the plan: it must not take for ever to look through.
_MOST_SENTENCES = 500
_QUOTES = "`\"'“”‘’"


def bare_name(test: str) -> str:
    """The last part of a test's id: what it is called wherever it stands."""
    return _REPEAT.sub("", test).rsplit("::", 1)[-1].strip()


def without_arguments(test: str) -> str:
    """The id of all cases that one test is run for; empty for a test that has no arguments."""
    plain = _REPEAT.sub("", test)
    bare = _ARGUMENTS.sub("", plain)
    return "" if bare == plain else bare


def removal_sentences(plan: str) -> tuple[str, ...]:
    """The sentences of a plan that may say of tests that they go, are moved or skipped.

    One in a list is read together with the sentence that leads the list.
    """
    found = (sentence for sentence in _sentences(plan) if _allows_removal(sentence))
    return tuple(islice(found, _MOST_SENTENCES))


def is_mentioned(test: str, sentences: Sequence[str]) -> bool:
    """Whether one of these sentences is about this test; words of its own name say nothing."""
    for pattern in map(_pattern, _possible_names(test)) if sentences else ():
        for sentence in sentences:
            if pattern.search(sentence) and _allows_removal(pattern.sub("it", sentence)):
                return True
    return False


def _allows_removal(sentence: str) -> bool:
    return bool(_REMOVAL.search(sentence)) and not _NEGATED_REMOVAL.search(sentence)


def _possible_names(test: str) -> list[str]:
    """Its id, its own name with and without arguments, and the parts of one that has some."""
    name = bare_name(test)
    plain = _ARGUMENTS.sub("", name).strip()
    parts = _NAME_SEPARATOR.split(plain)
    if " " not in plain:
        parts += [*plain.split("/"), plain.rsplit(".", 1)[-1]]
    return [each for each in dict.fromkeys((test, name, plain, *parts)) if each]


def _pattern(name: str) -> re.Pattern[str]:
    escaped = re.escape(name)
    if _COMMON_WORDS.fullmatch(name):
        return re.compile(rf"[{_QUOTES}]{escaped}[{_QUOTES}]")
    return re.compile(rf"(?<!\w){escaped}(?!\w)")


def _sentences(plan: str) -> Iterator[str]:
    leading = ""
    for line in plan.splitlines():
        if not line.strip():
            continue
        sentences = _SENTENCE_END.split(line)
        if _ITEM.match(line):
            yield from (f"{leading} {sentence}" for sentence in sentences)
        else:
            yield from sentences
            leads = line.startswith("#") or line.rstrip().endswith(":")
            leading = sentences[-1] if leads else ""
