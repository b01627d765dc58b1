"""Test names, and whether the plan says that a test may be removed or skipped. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

# Suffixes of a test's name: the number of a repeat, and its arguments.
_REPEAT = re.compile(r" \(\d+\)\Z")
_ARGUMENTS = re.compile(r"\[.*\]\Z", re.DOTALL)
_NAME_SEPARATOR = re.compile(r"\s+[>›]\s+")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+")

# Most plans name a test because it has to pass. Only these words allow its removal.
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
# Words such as `works`, `user profile` or the `1` of a table occur in every text without meaning
# a test, so a name that consists of such words has to be quoted.
_COMMON_WORDS = re.compile(r"[A-Za-z]?[a-z]*|[\W\d_]*|.{1,3}|(?!.*::).*\s.*", re.DOTALL)
# An agent writes part of the plan, so the search has to be bounded.
_MOST_SENTENCES = 500
_QUOTES = "`\"'“”‘’"


def bare_name(test: str) -> str:
    """The last part of a test's id, which stays the same when the test moves."""
    return _REPEAT.sub("", test).rsplit("::", 1)[-1].strip()


def without_arguments(test: str) -> str:
    """The id that all parameter sets of a test share; empty for a test without arguments."""
    plain = _REPEAT.sub("", test)
    bare = _ARGUMENTS.sub("", plain)
    return "" if bare == plain else bare


def removal_sentences(plan: str) -> tuple[str, ...]:
    """The sentences of a plan that may allow tests to be removed, moved or skipped.

    A list item is read together with the sentence that introduces the list.
    """
    matching = (sentence for sentence in _sentences(plan) if _allows_removal(sentence))
    return tuple(islice(matching, _MOST_SENTENCES))


def is_mentioned(test: str, sentences: Sequence[str]) -> bool:
    """Whether one of these sentences is about this test; words within its name do not count."""
    for pattern in map(_pattern, _possible_names(test)) if sentences else ():
        for sentence in sentences:
            if pattern.search(sentence) and _allows_removal(pattern.sub("it", sentence)):
                return True
    return False


def _allows_removal(sentence: str) -> bool:
    return bool(_REMOVAL.search(sentence)) and not _NEGATED_REMOVAL.search(sentence)


def _possible_names(test: str) -> list[str]:
    """The id, the name with and without arguments, and the parts of the name."""
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
    introduction = ""
    for line in plan.splitlines():
        if not line.strip():
            continue
        sentences = _SENTENCE_END.split(line)
        if _ITEM.match(line):
            yield from (f"{introduction} {sentence}" for sentence in sentences)
        else:
            yield from sentences
            introduces_list = line.startswith("#") or line.rstrip().endswith(":")
            introduction = sentences[-1] if introduces_list else ""
