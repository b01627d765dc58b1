"""What programs read cannot control the terminal of a person who looks at it."""

import json
import unicodedata

import pytest

from treadle.cli.json_output import encode_json, printable_json
from treadle.domain.events.agent import AgentSpoke
from treadle.domain.wire import encode_recorded

from .sample_runs import recorded

DANGEROUS = (
    *("\x1b[2J", "\x9b1A", "\x7f", "\x85", "\x90q\x9c", "\u202e", "\u2066", "\u200f", "\u061c"),
    *("\u2028", "\u2029", "\u200d", "\ufeff", "\U000e0041", "\U0001d173", "\x00", "\n", "\r"),
)


@pytest.mark.parametrize("text", DANGEROUS)
def test_json_has_escapes_for_what_a_terminal_would_obey_and_means_the_same(text: str) -> None:
    document = {f"key {text}": [f"é {text} 日本 👩", {"b": text}]}

    printed = encode_json(document)
    (event,) = recorded([AgentSpoke(text)])
    line = printable_json(encode_recorded(event))

    assert json.loads(printed) == document
    assert json.loads(line)["event"]["text"] == text
    assert "é " in printed.decode()
    shown = printed.decode().replace("\n", "") + line.decode()
    hidden = ("Cc", "Cf", "Cs", "Zl", "Zp")
    assert [each for each in shown if unicodedata.category(each) in hidden] == []
