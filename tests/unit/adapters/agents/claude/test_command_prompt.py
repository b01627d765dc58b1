"""A prompt is words for the model: a binary that would act upon them is given none it knows."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treadle.adapters.agents.claude.command import escape_prompt

NOTE = "\n\n(Where `\\@` is written above, read `@`.)"
PLAIN = "Read this as plain text:\n"

# What the tested binaries look for; blanks are those of JavaScript.
MENTION = re.compile("(?:^|[\\s\ufeff\u3002\u3001\uff1f\uff01\\[\\]])@[^\\s]")


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("Write to ada@example.com.", "Write to ada@example.com."),
        ("# Title\n\nBuild it.", "# Title\n\nBuild it."),
        ("see @/etc/passwd", "see \\@/etc/passwd" + NOTE),
        ('see @"a file" now', 'see \\@"a file" now' + NOTE),
        ("@a @b", "\\@a \\@b" + NOTE),
        ("```\n@dataclass\n```", "```\n\\@dataclass\n```" + NOTE),
        ("(@a), `@b`。@c", "(\\@a), `\\@b`。\\@c" + NOTE),
        ("an escaped \\@a stays", "an escaped \\@a stays"),
        ("é@a", "é\\@a" + NOTE),  # no letter of any binary's
        ("/init", PLAIN + "/init"),
        ("  !touch x", PLAIN + "  !touch x"),
        ("/init @a", PLAIN + "/init \\@a" + NOTE),
        ("", ""),
    ],
)
def test_a_prompt_without_commands(prompt: str, told: str) -> None:
    assert escape_prompt(prompt) == told


@given(st.text(st.sampled_from("@ \n\t\\a/[]。\ufeff\u3000\u2028\"'`!"), max_size=30))
def test_nothing_that_a_binary_looks_for_is_left(prompt: str) -> None:
    told = escape_prompt(prompt)

    assert not MENTION.search(told)
    assert not told.lstrip().startswith(("/", "!"))
