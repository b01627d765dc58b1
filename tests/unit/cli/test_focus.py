"""`treadle focus` before anything begins: what it refuses, in one line each."""

from pathlib import Path

import pytest

from tests.unit.cli.stored_runs import Command

GIVE = "give the path of a text file with what must change"


@pytest.mark.parametrize(
    ("content", "why", "hint"),
    [
        (None, "cannot read the review {}: no such file or directory", GIVE),
        (b"\xff\xfe", "the review {} is not UTF-8 text", "save it as UTF-8"),
        (b" \n", "the review {} is empty", "leave out --review"),
    ],
)
def test_a_review_that_cannot_be_read_is_refused_in_one_line(
    content: bytes | None,
    why: str,
    hint: str,
    project: Path,
    treadle: Command,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = project / "review.md"
    if content is not None:
        path.write_bytes(content)

    assert treadle("focus", "Tidy up", "--review", path.name) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"treadle: {why.format(path)}",
        f"  hint: {hint}",
    ]


def test_words_that_no_prompt_would_have_in_full_are_refused(
    project: Path, treadle: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert treadle("focus", "word " * 6_001) == 2
    assert capsys.readouterr().err.splitlines() == [
        "treadle: the text has more than 30,000 characters",
        "  hint: write them into the specifications, and say here which part to work on",
    ]
