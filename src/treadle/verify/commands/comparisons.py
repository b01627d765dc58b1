"""Which outputs a line looks at itself, and which files it compares them with. Pure.

Of the two sides of a comparison one is the product's. It is told by what the line writes or
computes, by the words of the names, and by what the base had already.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from treadle.verify.commands import programs
from treadle.verify.commands.call_files import read_call
from treadle.verify.commands.file_mentions import CallFiles, ShellCall
from treadle.verify.commands.shell_calls import read_calls
from treadle.verify.commands.word_paths import (
    LAST_STATUS,
    UNKNOWN,
    is_folder,
    matching_paths,
    resolve_path,
)
from treadle.verify.judges.case_files import DATA_ENDINGS
from treadle.verify.judges.judge_files import has_judge_name, judge_kind
from treadle.verify.judges.tree_pair import TreePair

_SIDES = 2
_TESTS = frozenset({"test", "[", "[["})
_EQUAL, _UNEQUAL = frozenset({"-eq", "=", "=="}), frozenset({"-ne", "!=", "-gt"})
_FILE_OPERATOR = re.compile(r"-[a-mo-yA-Z]")
_SYNTAX = frozenset({"!", "-"})


def is_compared(
    number: int, calls: Sequence[ShellCall], files: Sequence[CallFiles], trees: TreePair
) -> bool:
    """Whether the line itself looks at what a command prints or makes."""
    call = calls[number]
    if call.is_negated:
        return True
    if call.inside is not None and call.inside != number:
        outer = files[call.inside]
        if outer.program in programs.PRINTING:
            return is_compared(call.inside, calls, files, trees)
        shows_status = any(
            each.inside == call.inside and LAST_STATUS in each.words for each in calls
        )
        is_result = not shows_status or _wants_failure(calls[call.inside].words)
        return not outer.code and outer.program != "eval" and is_result
    if any(files[each].program not in programs.PASSING_ON for each in call.pipes_to):
        return True
    written = _written(calls)
    tree = trees.work_paths - written if written else trees.work_paths
    return any(
        call.is_followed_by(calls[later]) and _looks_at_results(calls[later], files[later], tree)
        for later in range(number + 1, len(calls))
        if later not in call.pipes_to and calls[later].inside is None
    )


def _looks_at_results(call: ShellCall, files: CallFiles, tree: frozenset[str]) -> bool:
    """Whether a later command looks at what earlier ones made, not at files of the tree."""
    scripts = [each for each in files.mentions if each.use in ("script", "module")]
    if scripts:
        return any(_is_judge_by_name(each.word) for each in scripts)
    if not files.is_judge or files.is_runner or files.task:
        return files.is_judge
    words = _operands(call, files)
    if LAST_STATUS in words:
        return _wants_failure(call.words)
    paths = [resolve_path(word, call.folder) for word in words if UNKNOWN not in word]
    if len(paths) < len(words) or (not words and files.program not in _TESTS):
        return True
    return not all(path is not None and (path in tree or is_folder(path, tree)) for path in paths)


def _wants_failure(words: Sequence[str]) -> bool:
    """Whether an exit code is to be another than that of success, which no judge ends with."""
    numbers = {word for word in words if word.isdigit()}
    if not _EQUAL.isdisjoint(words):
        return bool(numbers) and not numbers & {"0", "00"}
    return not _UNEQUAL.isdisjoint(words) and numbers == {"0"}


def _operands(call: ShellCall, files: CallFiles) -> list[str]:
    """The words that name a result; of a test, those that are computed or behind `-f` and such."""
    if files.program not in _TESTS:
        return [word for word in files.operands if word not in _SYNTAX]
    return [
        word
        for before, word in pairwise(call.words)
        if UNKNOWN in word or word == LAST_STATUS or _FILE_OPERATOR.fullmatch(before)
    ]


def _written(calls: Sequence[ShellCall]) -> frozenset[str]:
    """The files that the line itself writes."""
    paths = (resolve_path(word, call.folder) for call in calls for word in call.writes)
    return frozenset(path for path in paths if path is not None)


def find_expectations(
    calls: Sequence[ShellCall], files: Sequence[CallFiles], trees: TreePair
) -> Iterator[str]:
    """The files of the trees that results are compared with."""
    written = _written(calls)
    for number, (call, each) in enumerate(zip(calls, files, strict=True)):
        if each.program in programs.DIFFS:
            words = [mention.word for mention in each.mentions if mention.use == "compared"]
            yield from _expected_side(words, call.folder, written, trees)
        if each.is_judge or any(mention.use == "script" for mention in each.mentions):
            yield from _beside_results(call, each, written, trees)
        if each.program == "cat" and _is_one_side(number, calls, files):
            words = [mention.word for mention in each.mentions]
            for word in words:
                yield from matching_paths(word, call.folder, trees.base_paths | trees.work_paths)


def _beside_results(
    call: ShellCall, files: CallFiles, written: frozenset[str], trees: TreePair
) -> Iterator[str]:
    """Data of the base that a judge gets together with a file that the line itself writes."""
    words = [mention.word for mention in files.mentions if mention.use == "mention"]
    if written.isdisjoint(resolve_path(word, call.folder) for word in words):
        return
    for word in words:
        for path in matching_paths(word, call.folder, trees.base_paths - written):
            if path.endswith(DATA_ENDINGS):
                yield path


def files_looked_at(command: str, trees: TreePair) -> frozenset[str]:
    """The files of a line that does no more than look at them: they are the work itself, whatever
    their names are, such as the CI file that it asks for."""
    calls = read_calls(command) or ()
    files = [read_call(call) for call in calls]
    if not all(map(_only_looks, files)):
        return frozenset()
    found: set[str] = set()
    for call, each in zip(calls, files, strict=True):
        paths = trees.base_paths | trees.work_paths
        sides = [set(matching_paths(word, call.folder, paths)) for word in _operands(call, each)]
        sides = [side for side in sides if side]
        is_asked_for = not call.is_negated and call.inside is None and "!" not in call.words
        # Of several files one is compared with the other.
        if is_asked_for and (len(sides) == 1 or each.program in _TESTS):
            found.update(*sides)
    return frozenset(found)


def _only_looks(files: CallFiles) -> bool:
    is_looking = files.program in (programs.COMPARING - {"git"}) | programs.PASSING_ON
    return is_looking and all(each.use in ("mention", "input") for each in files.mentions)


def _is_one_side(number: int, calls: Sequence[ShellCall], files: Sequence[CallFiles]) -> bool:
    """Whether a file is printed as a pattern, or for a test against another output."""
    outer = calls[number].inside
    if outer is None or outer == number:
        return False
    if files[outer].program in programs.PATTERN_FIRST:
        return True
    others = [each for each in calls if each.inside == outer]
    return files[outer].program in _TESTS and len(others) >= _SIDES


def _expected_side(
    words: Sequence[str], folder: str, written: frozenset[str], trees: TreePair
) -> Iterator[str]:
    sides = [side for word in words if (side := _files_of(word, folder, trees) - written)]
    if len(sides) >= _SIDES:
        named = [side for side in sides if any(map(_is_judge_by_name, side))]
        known = [side for side in sides if side & trees.base_paths]
        # One side that is told by its name, else one that was there before; else any of them.
        sides = next((found for found in (named, known) if len(found) == 1), sides)
    for side in sides:
        yield from sorted(side)


def _files_of(word: str, folder: str, trees: TreePair) -> set[str]:
    paths = trees.base_paths | trees.work_paths
    found = set(matching_paths(word, folder, paths))
    path = resolve_path(word, folder)
    if not found and path and is_folder(path, paths):
        return {each.path for each in trees.changes if each.path.startswith(f"{path}/")}
    return found


def _is_judge_by_name(path: str) -> bool:
    return has_judge_name(path) or judge_kind(path) is not None
