"""Which issue is meant, and that it is one of this repository."""

import pytest

from treadle.domain.forge import RepositoryAddress
from treadle.domain.tracker import IssueReference, WrongReference, parse_issue_reference

ENGINE = RepositoryAddress("github", "github.com", "ada", "engine")


@pytest.mark.parametrize(
    "text",
    [
        "#12",
        "12",
        " 12 ",
        "https://github.com/ada/engine/issues/12",
        "https://GitHub.com/Ada/Engine/issues/12/",
        "https://github.com/ada/engine/issues/12?x=1#issuecomment-7",
    ],
)
def test_an_issue_is_given_by_its_number_or_its_page(text: str) -> None:
    assert parse_issue_reference(text, ENGINE) == IssueReference(12)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "give an issue as #12"),
        ("#0", "give an issue as #12"),
        ("#12x", "give an issue as #12"),
        ("#" + "1" * 40, "give an issue as #12"),
        ("ssh://github.com/ada/engine/issues/12", "give an issue as #12"),
        ("https://github.com/ada/engine/pull/12", "give an issue as #12"),
        ("https://github.com/ada/engine/issues/12/../../x", "give an issue as #12"),
        ("https://evil.example/ada/engine/issues/12", "the issue is on evil.example"),
        ("https://github.com@evil.example/ada/engine/issues/12", "github.com@evil.example"),
        ("https://github.com.evil.example/ada/engine/issues/1", "github.com.evil.example"),
        ("https://github.com/mallory/engine/issues/12", "belongs to mallory/engine"),
        ("https://github.com/ada/other/issues/12", "belongs to ada/other"),
    ],
)
def test_anything_else_is_none_of_this_repository(text: str, reason: str) -> None:
    found = parse_issue_reference(text, ENGINE)

    assert isinstance(found, WrongReference)
    assert reason in found.reason
