"""What a reader copies out of the documentation works: commands, settings and scripts."""

import re
import shlex
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.architecture.repository import ROOT, files, name_of
from treadle.cli.commands import COMMANDS
from treadle.cli.main import treadle
from treadle.rehearsal.script import parse_script
from treadle.settings.load import resolve_settings

PAGES = [path for path in files() if path.suffix == ".md" and "src" not in path.parts]


def fenced(language: str) -> list[tuple[str, str]]:
    blocks = []
    for page in PAGES:
        text = page.read_text("utf-8")
        for n, block in enumerate(re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)):
            blocks.append((f"{name_of(page)}:{n + 1}", block))
    return blocks


def code(page: Path) -> Iterator[str]:
    """Lines of indented and fenced blocks, and inline code."""
    text = page.read_text("utf-8")
    for block in re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S):
        yield from block.splitlines()
    yield from re.findall(r"^(?: {4}|\t)(.+)$", text, re.M)
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_and_option_that_a_page_shows_exists(page: Path) -> None:
    assert [line for line in code(page) for wrong in wrong_words(line) if wrong] == []


@pytest.mark.parametrize(("place", "block"), fenced("toml"))
def test_every_example_of_settings_is_accepted(place: str, block: str) -> None:
    assert resolve_settings(block) is not None, place


@pytest.mark.parametrize(("place", "block"), fenced("yaml"))
def test_every_example_of_a_script_is_one(place: str, block: str) -> None:
    whole = block.startswith("version:")
    head = "" if whole else "version: 1\nsessions:\n- turns:\n"
    body = block if whole else textwrap.indent(textwrap.dedent(block), "  ")

    assert parse_script(head + body, source=place).sessions


def test_every_make_target_that_a_page_shows_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    shown = {
        target
        for page in PAGES
        for line in code(page)
        for given in re.findall(r"^(?:\$ )?make((?: [a-z][a-z-]*)+)", line)
        for target in given.split()
    }

    assert shown - targets == set()


def wrong_words(line: str) -> Iterator[str]:
    """Commands and options in a line of shell that Treadle does not have."""
    shown = re.search(r"(?:^|[\s(])treadle ([a-z][^#|>;]*)", line)
    if shown is None or "src/treadle" in line:
        return
    words = shlex.split(shown[1].replace("'", ""), comments=True)
    for part in parts_of(words):
        name, *rest = part
        if name not in COMMANDS:
            yield name
            return
        known = options(command_of(name, rest))
        yield from (word for word in rest if option_of(word) and option_of(word) not in known)


def parts_of(words: list[str]) -> list[list[str]]:
    """`rehearse SCRIPT -- deliver …` shows two commands; behind others stands one of the shell."""
    if "--" not in words:
        return [words]
    n = words.index("--")
    if words[0] != "rehearse":
        return [words[:n]]
    return [part for part in (words[:n], words[n + 1 :]) if part[0] != "COMMAND"]


def command_of(name: str, rest: list[str]) -> click.Command:
    command = treadle.get_command(click.Context(treadle), name)
    assert command is not None
    if isinstance(command, click.Group) and rest and rest[0] in command.commands:
        return command.commands[rest[0]]
    return command


def options(command: click.Command) -> set[str]:
    own = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    return own | {"-h", "--help"}


def option_of(word: str) -> str:
    match = re.match(r"--[a-z][a-z-]*|-[a-zA-Z]$", word)
    return match.group() if match else ""
