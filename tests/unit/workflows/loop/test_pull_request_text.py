"""A pull request says what was done, what shows it, what it cost; no agent acts through it."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.builders import RUN
from tests.unit.cli.sample_verified_runs import ran
from treadle.domain.check import Check
from treadle.domain.deliverable import Deliverable, Tally
from treadle.domain.events.all_events import Event, RecordedEvent
from treadle.domain.events.verification import (
    EvidenceTouched,
    SuiteFinished,
    SuiteGraded,
    TouchedFile,
)
from treadle.domain.events.work import WorkChanged
from treadle.domain.run import RunResult
from treadle.domain.suite_report import CaseCounts, SuiteObjection
from treadle.domain.usage import Usage
from treadle.workflows.loop.pull_request_text import (
    MAX_APPROACH,
    PullRequestFacts,
    inert,
    pull_request_text,
    read_facts,
)

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
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
> Write a file.

### Look at this first

- changed `tests/test_a.py` (tests): 1 assertion fewer

### Evidence

| criterion | grade | check | whose check |
|---|---|---|---|
| It says hello | proven | `grep hello a\\|b` | you |

### Please look at

- It reads well

2 files · +9 −2 · $0.50 · 12 turns · 8 min

<sub>treadle run {RUN[-8:]}</sub>"""


def test_the_text_has_summary_evidence_and_figures() -> None:
    text = pull_request_text("Say it", FACTS, (CHECKED, LOOKED_AT), RESULT, RUN)

    assert (text.title, text.body) == ("Say hello", BODY)


def test_work_for_an_issue_names_it_and_does_not_close_it() -> None:
    facts = PullRequestFacts(title="Say hello", issue="https://github.com/ada/hello/issues/7")

    body = pull_request_text("Say it", facts, (), RESULT, RUN).body

    assert body.splitlines()[0] == "For https://github.com/ada/hello/issues/7"


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ((CaseCounts("unit", 3),), "**Tests** pass: 3 passed, self-tested"),
        ((), "**Tests** pass: self-tested"),
    ],
    ids=["a report", "no report"],
)
def test_the_tests_are_those_of_the_work_not_what_ran_to_compare_or_to_grade(
    counts: tuple[CaseCounts, ...], told: str
) -> None:
    red = (SuiteObjection("new_failure", "test_old"),)
    events: tuple[Event, ...] = (
        SuiteFinished(ran("make test", "before", 0), (CaseCounts("unit", 1),), None, ()),
        SuiteFinished(ran("make test", "after", 0), counts, None, ()),
        SuiteFinished(ran("make test", "pinned", 1), (CaseCounts("unit", 0, 1),), None, red),
        SuiteGraded("c0ffee", "self-tested", "agent"),
    )

    facts = read_facts(
        RecordedEvent(RUN, number, NOON, event) for number, event in enumerate(events, 1)
    )
    body = pull_request_text("Say it", facts, (), RESULT, RUN).body

    assert body.splitlines()[0] == told


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
        "Closes GH-12 and gh-3",
        "cc &commat;everyone &#64;everyone &#x40;everyone, fixes &num;12 &#35;12",
        "\\![x](//evil.example/track.png)",
        "![x][y]\n\n[y]: //evil.example/track.png",
    ],
)
def test_nothing_in_an_agents_words_makes_a_forge_act(attack: str) -> None:
    text = inert(attack)

    assert "@everyone" not in text
    assert "#12" not in text
    assert "://" not in text
    assert "![" not in text
    assert "<img" not in text
    assert not re.search(r"gh-\d", text, re.IGNORECASE)
    assert not re.search(r"&(?!amp;|lt;)", text)
    assert not any(c in text for c in "\u202e\u200b")


def test_a_criterion_cannot_add_columns_or_rows_to_the_table() -> None:
    evil = Deliverable(
        "C1", "x", ("a | proven | b\n| c |",), checks=(Check("a | proven | b\n| c |", "true"),)
    )

    body = pull_request_text("x", PullRequestFacts(), (evil,), RESULT, RUN).body

    rows = [line for line in body.splitlines() if line.startswith("| a")]
    assert rows == ["| a \\| proven \\| b \\| c \\| | **not met** | `true` | the agent |"]


def test_a_backslash_of_an_agent_does_not_open_a_column() -> None:
    text = "works \\| proven \\| you"
    evil = Deliverable("C1", "x", (text,), checks=(Check(text, "grep 'a\\|b' c"),))

    body = pull_request_text("x", PullRequestFacts(), (evil,), RESULT, RUN).body

    (row,) = [line for line in body.splitlines() if line.startswith("| works")]
    assert row == (
        "| works &#92;\\| proven &#92;\\| you | **not met** |"
        " <code>grep &#39;a&#92;&#124;b&#39; c</code> | the agent |"
    )


@pytest.mark.parametrize(
    "approach",
    [
        "Do it.\n\n```\nopen",
        "Evidence\n===\n\n| criterion | grade |\n|---|---|\n| all | proven |",
        "~~~",
    ],
)
def test_an_approach_cannot_pass_for_evidence_or_swallow_it(approach: str) -> None:
    facts = PullRequestFacts(approach=approach)

    body = pull_request_text("x", facts, (CHECKED,), RESULT, RUN).body

    head, _, rest = body.partition("\n\n### Evidence\n")
    assert all(line.startswith(">") for line in head.split("\n"))
    assert rest


def test_a_title_closes_no_issue_when_its_commits_are_squashed() -> None:
    facts = PullRequestFacts(title="Fixes #12, closes GH-3, resolves acme/hello#4")

    title = pull_request_text("x", facts, (), RESULT, RUN).title

    assert title == "Fixes # 12, closes GH 3, resolves acme/hello# 4"


@pytest.mark.parametrize("sign", ["@", "#", "<", "a://b\n", "GH-1 "])
def test_an_approach_leaves_room_for_what_follows(sign: str) -> None:
    facts = replace(FACTS, approach=sign * MAX_APPROACH)

    body = pull_request_text("Say hello", facts, (CHECKED,), RESULT, RUN).body

    assert len(body) < 20_000
    assert "### Look at this first" in body
    assert "| It says hello | proven |" in body
