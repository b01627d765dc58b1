"""The reference page of the script language is complete, and its examples are scripts."""

import re
import textwrap
from pathlib import Path
from typing import get_args

import pytest

from treadle.domain.signal import Role
from treadle.rehearsal.script import parse_script
from treadle.rehearsal.turn_parser import TURN_KEYS
from treadle.rehearsal.turns import Auth, QuotaWindow, StopReason

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "rehearsal-scripts.md"
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
SESSION_KEYS = ("turns", "role", "name", "repeat", "optional", "subagent")


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_of_the_reference_is_a_script(example: str) -> None:
    whole = example.startswith("version: 1")
    head = "" if whole else "version: 1\nsessions:\n- turns:\n"

    script = parse_script(head + textwrap.indent(example, "" if whole else "  "), source="example")

    assert script.sessions


@pytest.mark.parametrize(
    "word",
    [
        *TURN_KEYS,
        *SESSION_KEYS,
        *get_args(Role),
        *get_args(Auth),
        *get_args(StopReason),
        *get_args(QuotaWindow),
    ],
)
def test_every_word_of_the_language_is_in_the_reference(word: str) -> None:
    assert f"`{word}`" in PAGE.read_text("utf-8")
