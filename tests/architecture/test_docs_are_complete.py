"""Whatever a user can meet is in the documentation, and what the documentation says is there."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import pytest

from tests.architecture.repository import DOCS, ROOT, files, name_of
from treadle.cli.commands import COMMANDS
from treadle.cli.main import treadle
from treadle.domain.exit_reasons import END_REASONS, MEANINGS
from treadle.domain.signal import Role
from treadle.domain.wire import event_types
from treadle.settings.keys import known_keys

REFERENCE = DOCS / "reference"
PAGES = [path for path in files() if path.suffix == ".md" and "src" not in path.parts]
DECISIONS = sorted((DOCS / "decisions").glob("[0-9]*.md"))
DECISION_PARTS = ["## Context", "## Decision", "## Rejected"]
DECISION_LINES = 60

# Every word that the product has one of, and other tools have three of.
WORDS = re.findall(
    r"\w+",
    """
    agent approval budget check criterion deliverable director drill event evidence forge
    gate helper limit notice outcome policy project rehearsal result role round rule run
    sandbox session signal step tracker view worker workflow workspace
    """,
)


def test_the_generated_pages_are_what_the_code_says() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "docs.reference.generate", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_every_command_and_option_is_documented() -> None:
    page = read("cli.md")
    wanted = {f"## {path}" for path, _ in commands()}
    wanted |= {option for _, command in commands() for option in options(command)}

    assert {name for name in wanted if not mentions(page, name)} == set()


def test_the_help_of_every_command_has_an_example() -> None:
    assert [path for path, each in commands() if "Example" not in (each.help or "")] == []


def test_every_setting_is_documented() -> None:
    page = read("settings.md")

    assert {name for name in known_keys() if f"### `{name}`" not in page} == set()


def test_every_event_is_documented() -> None:
    page = read("events.md")

    assert {name for name in event_types() if f"### `{name}`" not in page} == set()


def test_every_reason_to_end_is_documented_with_its_exit_code() -> None:
    page = read("exit-codes.md")
    rows = {
        f"| `{name}` | {reason.exit_code} | {reason.meaning} |"
        for name, reason in END_REASONS.items()
    }

    assert {row for row in rows if row not in page} == set()


def test_every_exit_code_is_documented_there_and_in_the_help() -> None:
    page = read("exit-codes.md")
    help_text = " ".join(treadle.get_help(click.Context(treadle)).split())

    assert [code for code, text in MEANINGS.items() if f"\n| {code} | {text} |\n" not in page] == []
    assert [code for code, text in MEANINGS.items() if f" {code} {text}" not in help_text] == []


@pytest.mark.parametrize("word", [*WORDS, *get_args(Role)])
def test_the_glossary_has_the_word(word: str) -> None:
    assert f"**{word}**" in read("glossary.md")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not leads_somewhere(page, link)] == []


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, left = set[Path](), [DOCS / "index.md", ROOT / "README.md"]
    while left:
        page = left.pop()
        if page not in reached and page.suffix == ".md" and page.is_file():
            reached.add(page)
            left += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)]

    assert [name_of(page) for page in PAGES if page not in reached] == []


def test_the_list_of_decisions_has_each_by_its_title() -> None:
    rows = [line for line in read_decisions().splitlines() if line.startswith("- ")]

    assert rows == [f"- [{title_of(record)}]({record.name})" for record in DECISIONS]


@pytest.mark.parametrize("record", DECISIONS, ids=name_of)
def test_a_decision_says_context_decision_and_what_was_rejected_in_60_lines(record: Path) -> None:
    lines = record.read_text("utf-8").splitlines()

    assert [line for line in lines if line.startswith("## ")] == DECISION_PARTS
    assert len(lines) <= DECISION_LINES


def test_decisions_are_numbered_without_a_gap() -> None:
    assert [int(record.name[:4]) for record in DECISIONS] == [*range(1, len(DECISIONS) + 1)]


def test_the_first_page_names_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")

    assert [word for word in ("make demo", "make test") if word not in text] == []


def read(name: str) -> str:
    return (REFERENCE / name).read_text("utf-8")


def read_decisions() -> str:
    return (DOCS / "decisions" / "README.md").read_text("utf-8")


def title_of(record: Path) -> str:
    return record.read_text("utf-8").splitlines()[0].removeprefix("# ")


def commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(treadle)
    for name in COMMANDS:
        command = treadle.get_command(context, name)
        assert command is not None
        yield f"treadle {name}", command
        if isinstance(command, click.Group):
            for inner in command.commands.values():
                yield f"treadle {name} {inner.name}", inner


def options(command: click.Command) -> Iterator[str]:
    for param in command.params:
        if isinstance(param, click.Option):
            yield from (*param.opts, *param.secondary_opts)


def mentions(page: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", page) is not None


def links(page: Path) -> list[str]:
    """The targets of a page's links that lie in the repository; code is no link."""
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.M | re.S)
    found = re.findall(r"\]\(([^)\s]+)\)", text)
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


def anchors(page: Path) -> set[str]:
    """As GitHub makes them from headings: lower case, blanks to dashes, no punctuation."""
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
