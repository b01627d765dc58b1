"""Asks the user's package tools, on the host, where packages come from."""

import asyncio
from collections.abc import Mapping, Sequence
from shutil import which
from urllib.error import URLError
from urllib.parse import urljoin
from urllib.request import Request, urlopen

from treadle.adapters.packages.indexes import QUESTIONS, Index, Question, indexes, linked_hosts

ANSWER_S = 15.0
MOST = 4 << 20
# A package that every index of Python's has; its page shows where files lie.
COMMON_PACKAGE = "pip/"


async def find_indexes(profiles: Sequence[str], environment: Mapping[str, str]) -> list[Index]:
    """The indexes of these languages, by tools that are installed; with their hosts of files."""
    asked = [question for question in QUESTIONS if question.profile in profiles]
    answers = await asyncio.gather(*(_ask(question, environment) for question in asked))
    found = [index for answer in answers for index in answer]
    pages = [index for index in found if index.variable.startswith("PIP_")]
    linked = await asyncio.gather(*(asyncio.to_thread(_linked, index) for index in pages))
    return list(dict.fromkeys([*found, *(index for page in linked for index in page)]))


async def _ask(question: Question, environment: Mapping[str, str]) -> list[Index]:
    program = which(question.command[0], path=environment.get("PATH", ""))
    if program is None:
        return []
    process = await asyncio.create_subprocess_exec(
        program,
        *question.command[1:],
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environment),
        # Not in the project, whose own files may say something else.
        cwd="/",
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), ANSWER_S)
    except TimeoutError:
        process.kill()
        await process.wait()
        return []
    return indexes(question, said.decode(errors="replace"))


def _linked(index: Index) -> list[Index]:
    """Where the index keeps its files. One that cannot be asked keeps them with its lists."""
    address = urljoin(index.url if index.url.endswith("/") else index.url + "/", COMMON_PACKAGE)
    request = Request(address, headers={"Accept": "text/html"})  # noqa: S310  # http(s) by `indexes`
    try:
        with urlopen(request, timeout=ANSWER_S) as answer:  # noqa: S310
            page = answer.read(MOST).decode(errors="replace")
    except (URLError, OSError, ValueError):
        return []
    return linked_hosts(page, index)
