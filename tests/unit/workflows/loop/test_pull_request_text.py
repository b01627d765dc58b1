"""A pull request says what was done, what shows it, what it cost; no agent acts through it."""

import pytest

from tests.builders import RUN
from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, Tally
from treadle.domain.events.verification import EvidenceTouched, TouchedFile
from treadle.domain.events.work import WorkChanged
from treadle.domain.run import RunResult
from treadle.domain.usage import Usage
from treadle.workflows.loop.pull_request_text import (
    PullRequestFacts,
    inert,
    pull_request_text,
)

RESULT = RunResult("approved", 3, Tally(2, 0, 2), 0.5, Usage(), 480.0)
CHECKED = Deliverable(
    "C1",
    "It says hello",
    ("It says hello",),
    status="passed",
    checks=(Check("It says hello", "grep hello a|b", "person", "failed", "passed"),),
    proof="proven",
)
LOOKED_AT = Deliverable("C2", "It reads well", ("It reads well",), status="passed")
FACTS = PullRequestFacts(
    title="Say hello",
    approach="Write a file.",
    turns=12,
    changes=WorkChanged("c0ffee", 3, added=1, changed=1, lines_added=9, lines_deleted=2),
    touched=EvidenceTouched(
        (
            TouchedFile("tests/test_a.py", "tests", "changed", "1 assertion fewer"),
            TouchedFile("tests/test_new.py", "tests", "added"),
        )
    ),
)
BODY = f"""\
Write a file.

### Look at this first

- changed `tests/test_a.py` (tests): 1 assertion fewer

### Evidence

| criterion | grade | check | whose check |
|---|---|---|---|
| It says hello | proven | `grep hello a\\|b` | you |

### For you to look at

- It reads well

2 files · +9 −2 · $0.50 · 12 turns · 8 min

<sub>treadle run {RUN[-8:]}</sub>"""


def test_the_text_has_summary_evidence_and_figures() -> None:
    text = pull_request_text("Say it", FACTS, (CHECKED, LOOKED_AT), RESULT, RUN)

    assert (text.title, text.body) == ("Say hello", BODY)


def test_the_words_are_the_title_of_work_without_a_plan() -> None:
    assert pull_request_text("Say\nit", PullRequestFacts(), (), RESULT, RUN).title == "Say it"


@pytest.mark.parametrize(
    "attack",
    [
        "@everyone look",
        "Fixes #12",
        "closes https://github.com/acme/hello/issues/3",
        "![x](https://evil.example/track.png)",
        '<img src="https://evil.example/a">',
        "a\u202etxt\u200b",
    ],
)
def test_nothing_in_an_agents_words_makes_a_forge_act(attack: str) -> None:
    text = inert(attack)

    assert "@everyone" not in text
    assert "#12" not in text
    assert "://" not in text
    assert "![" not in text.replace("\\![", "")
    assert "<img" not in text
    assert not any(c in text for c in "\u202e\u200b")


def test_a_criterion_cannot_add_columns_or_rows_to_the_table() -> None:
    evil = Deliverable(
        "C1", "x", ("a | proven | b\n| c |",), checks=(Check("a | proven | b\n| c |", "true"),)
    )

    body = pull_request_text("x", PullRequestFacts(), (evil,), RESULT, RUN).body

    rows = [line for line in body.splitlines() if line.startswith("| a")]
    assert rows == ["| a \\| proven \\| b \\| c \\| | **not met** | `true` | the agent |"]
