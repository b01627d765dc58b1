"""Imports a round in a process that may not take more memory than a fixed amount.

The limit is soft, and a git that raises it stands first on the PATH: what is measured is Treadle's
own process.
"""

import asyncio
import os
import resource
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.unit.policy.secret_samples import GITHUB

from .real_git import Repository, environment_in
from .workspace_harness import WorkspaceHarness, make_harness

MEMORY = 140 << 20
_MEGABYTE = 1 << 20


def one_long_line(agent: Repository) -> None:
    agent.write("good", "1\n")
    with (agent.path / "long").open("w") as file:
        for _ in range(64):
            file.write("x" * _MEGABYTE)
        file.write(f"\n{GITHUB}\n")


def many_lines(agent: Repository) -> None:
    with (agent.path / "lines").open("w") as file:
        for _ in range(64):
            file.write("a line\n" * (_MEGABYTE // 7))
    agent.commit("Lines")


def binary_files(agent: Repository) -> None:
    for number in range(8):
        (agent.path / f"binary-{number:02}").write_bytes(os.urandom(8 * _MEGABYTE))


def names_of_one_file(agent: Repository) -> None:
    text = "text\n" * _MEGABYTE
    for number in range(40):
        agent.write(f"name-{number:03}", text)
    agent.commit("Names")


def large_index(agent: Repository) -> None:
    agent.write("good", "1\n")
    os.truncate(agent.git_dir / "index", 1 << 40)


def large_head(agent: Repository) -> None:
    agent.write("good", "1\n")
    os.truncate(agent.git_dir / "HEAD", 1 << 40)


def large_message(agent: Repository) -> None:
    agent.write("good", "1\n")
    agent.git("add", "good")
    message = agent.path / ".git/message"
    message.write_text("word " * (10 * _MEGABYTE))
    agent.git("commit", "--quiet", "--no-verify", "--file", str(message))


RECIPES: Mapping[str, Callable[[Repository], None]] = {
    recipe.__name__: recipe
    for recipe in (
        *(one_long_line, many_lines, binary_files, names_of_one_file),
        *(large_index, large_head, large_message),
    )
}


async def main(directory: Path, recipe: str) -> None:
    user = Repository(directory / "project", environment_in(directory))
    path = f"{directory / 'unlimited'}:{user.environment['PATH']}"
    environment = {**user.environment, "PATH": path}
    harness = await make_harness(directory, Repository(user.path, environment))
    RECIPES[recipe](harness.agent)
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, hard))
    await harness.round()
    sys.stdout.write(f"{_imported(harness)} {[place.line for place in harness.withheld]}")


def _imported(harness: WorkspaceHarness) -> int:
    """How many files the run's branch has."""
    listing = harness.user.git(
        "ls-tree", "-r", "--name-only", "--full-tree", "treadle/work-9abcdef0"
    )
    return len(listing.splitlines())


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
