"""Asks the user's package tools, on the host, where packages come from."""

import asyncio
from collections.abc import Mapping, Sequence
from shutil import which

from treadle.adapters.packages.indexes import QUESTIONS, Index, Question, indexes
from treadle.adapters.sandboxes.running import answer_of
from treadle.domain.sandbox import Confined

ANSWER_S = 15.0


async def find_indexes(
    profiles: Sequence[str], environment: Mapping[str, str], *, search_path: str
) -> list[Index]:
    """The indexes of these languages, by the tools that are installed in `search_path`."""
    given = {**environment, "PATH": search_path}
    asked = [question for question in QUESTIONS if question.profile in profiles]
    answers = await asyncio.gather(*(_ask(question, given) for question in asked))
    return list(dict.fromkeys(index for answer in answers for index in answer))


async def _ask(question: Question, environment: Mapping[str, str]) -> list[Index]:
    program = which(question.command[0], path=environment["PATH"])
    if program is None:
        return []
    start = Confined((program, *question.command[1:]), environment)
    said = await answer_of(start, seconds=ANSWER_S)
    return [] if said is None else indexes(question, said)
