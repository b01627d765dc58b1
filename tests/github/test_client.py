"""How the client deals with GitHub's limits, pages, outages and redirects."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.builders import NOON
from tests.contracts.forges import TOKEN, GitHubSite
from tests.github.fake_answers import user
from tests.github.fake_github import Fault
from tests.github.fake_state import FakeToken
from treadle.adapters.forges.github.client import MAX_PAGES
from treadle.adapters.forges.github.pull_requests import MAX_BODY
from treadle.adapters.trackers.github_issues import GitHubIssues
from treadle.domain.forge import (
    FeedbackList,
    ForgeRepository,
    NewPullRequest,
    OpenedPullRequest,
    PullRequest,
    PullRequestChange,
)
from treadle.domain.service_failures import (
    NoPermission,
    NotFound,
    RateLimited,
    Refused,
    ServiceFailure,
    Unreachable,
)

BRANCH = "treadle/count-words-0001"
NEW = NewPullRequest(BRANCH, "main", "Count words", "It counts.")
SECONDARY = json.dumps({"message": "You have exceeded a secondary rate limit."}).encode()


async def opened(site: GitHubSite) -> PullRequest:
    site.push(BRANCH)
    result = await site.forge.open_pull_request(NEW)
    assert isinstance(result, OpenedPullRequest)
    return result.pull_request


async def test_every_request_says_who_asks_and_for_which_version(site: GitHubSite) -> None:
    await site.forge.find_repository()

    [request] = site.fake.received
    assert request.path == "/api/v3/repos/ada/engine"
    wanted = {
        "accept": "application/vnd.github+json",
        "authorization": f"Bearer {TOKEN}",
        "user-agent": "treadle/test",
        "x-github-api-version": "2022-11-28",
    }
    assert wanted.items() <= request.headers.items()
    assert TOKEN not in repr(site.client)


async def test_what_has_not_changed_is_not_sent_again(site: GitHubSite) -> None:
    number = (await opened(site)).number
    site.say(number, "comment", "grace", "Once.")

    first = await site.forge.read_feedback(number, ())
    second = await site.forge.read_feedback(number, ())

    polled = site.fake.requests(f"/issues/{number}/comments")
    assert [each.status for each in polled] == [200, 304]
    assert first == second != FeedbackList()
    site.say(number, "comment", "grace", "Twice.")
    third = await site.forge.read_feedback(number, ())
    assert isinstance(third, FeedbackList)
    assert len(third.items) == 2


async def test_lists_are_read_page_by_page_also_from_the_store(site: GitHubSite) -> None:
    number = (await opened(site)).number
    said = [site.say(number, "comment", "grace", f"{n}") for n in range(5)]
    site.fake.page_size = 2

    for _ in range(2):
        read = await site.forge.read_feedback(number, ())
        assert isinstance(read, FeedbackList)
        assert [each.id for each in read.items] == said
    pages = site.fake.requests(f"/issues/{number}/comments")
    assert [each.status for each in pages] == [200, 200, 200, 304, 304, 304]


async def test_a_list_without_an_end_is_refused(site: GitHubSite) -> None:
    number = (await opened(site)).number
    for n in range(MAX_PAGES + 1):
        site.say(number, "comment", "grace", f"{n}")
    site.fake.page_size = 1

    assert isinstance(await site.forge.read_feedback(number, ()), Refused)


async def test_a_next_page_on_another_host_does_not_get_the_token(site: GitHubSite) -> None:
    link = {"link": '<http://127.0.0.1:9/more>; rel="next"'}
    site.fake.faults.append(Fault("/pulls$", 200, link, b"[]"))

    assert await site.forge.find_pull_request(BRANCH) == Unreachable(
        "GitHub's next page is on another host"
    )


@pytest.mark.parametrize(
    ("fault", "failure"),
    [
        (Fault(".", 429, {"retry-after": "30"}), RateLimited(NOON + timedelta(seconds=30))),
        (
            Fault(".", 403, {"retry-after": "7"}, SECONDARY),
            RateLimited(NOON + timedelta(seconds=7)),
        ),
        (Fault(".", 403, {}, SECONDARY), RateLimited(NOON + timedelta(minutes=1))),
        (
            Fault(
                ".", 403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{NOON:%s}"}, b"{}"
            ),
            RateLimited(NOON + timedelta(seconds=1)),
        ),
        (Fault(".", 429, {"retry-after": "99999999"}), RateLimited(NOON + timedelta(hours=2))),
        (Fault(".", 502), Unreachable("GitHub answered with status 502")),
        (Fault(".", 503, {}, b"<html>"), Unreachable("GitHub answered with status 503")),
        (
            Fault(".", 200, {}, b'{"full_name": "ada/'),
            Unreachable("GitHub's answer has a form that Treadle does not know"),
        ),
        (
            Fault(".", 200, {}, b"[]"),
            Unreachable("GitHub's answer has a form that Treadle does not know"),
        ),
        (Fault(".", 304), Unreachable("GitHub answered with status 304")),
        (Fault(".", 401), NoPermission("GitHub does not accept the token")),
        (
            Fault(".", 403, {}, b'{"message": "Resource not\\n accessible"}'),
            NoPermission(
                "the token has no access to the repository ada/engine: Resource not accessible"
            ),
        ),
        (Fault(".", 404), NotFound("the repository ada/engine")),
        (
            Fault(".", 422, {}, b'{"message": "No", "errors": [{"message": "never"}]}'),
            Refused("GitHub refuses the repository ada/engine: No; never"),
        ),
    ],
)
async def test_what_goes_wrong_is_a_value(
    site: GitHubSite, fault: Fault, failure: ServiceFailure
) -> None:
    site.fake.faults.append(fault)

    assert await site.forge.find_repository() == failure
    assert isinstance(await site.forge.find_repository(), ForgeRepository)


async def test_a_connection_that_is_cut_is_a_value(site: GitHubSite) -> None:
    site.fake.faults.append(Fault(".", 0))

    assert isinstance(await site.forge.find_repository(), Unreachable)


async def test_a_limit_that_names_its_reset_is_waited_for(site: GitHubSite) -> None:
    reset = datetime(2026, 5, 4, 12, 40, tzinfo=UTC)
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": f"{int(reset.timestamp())}"}
    site.fake.faults.append(Fault(".", 403, headers, b"{}"))

    assert await site.forge.find_repository() == RateLimited(reset)


async def test_a_huge_answer_is_not_read_to_its_end(site: GitHubSite) -> None:
    site.fake.faults.append(Fault(".", 200, {}, b"[" + b" " * (9 << 20)))

    result = await site.forge.find_repository()

    assert isinstance(result, Unreachable)
    assert "more than 8388608 bytes" in result.reason


async def test_an_answer_that_was_lost_opens_no_second_pull_request(site: GitHubSite) -> None:
    site.push(BRANCH)
    site.fake.faults.append(Fault("/pulls$", 0, method="POST", done=True))

    assert isinstance(await site.forge.open_pull_request(NEW), Unreachable)
    again = await site.forge.open_pull_request(NEW)

    assert isinstance(again, OpenedPullRequest)
    assert not again.created
    assert list(site.repository.pulls) == [1]


async def test_one_that_another_process_opened_meanwhile_is_taken(site: GitHubSite) -> None:
    first = await opened(site)
    site.fake.faults.append(Fault("/pulls$", 200, {}, b"[]"))

    assert await site.forge.open_pull_request(NEW) == OpenedPullRequest(first, created=False)


async def test_a_text_that_is_too_long_is_cut(site: GitHubSite) -> None:
    site.push(BRANCH)

    await site.forge.open_pull_request(replace(NEW, body="ä😀" * MAX_BODY))

    body = site.repository.pulls[1].body
    assert len(body.encode("utf-16-le")) // 2 <= MAX_BODY
    assert body.endswith("…")


async def test_a_renamed_repository_is_followed_with_the_token(site: GitHubSite) -> None:
    there = {"location": f"{site.fake.site}/api/v3/repos/ada/engine"}
    site.fake.faults.append(Fault("/engine$", 301, there))

    assert isinstance(await site.forge.find_repository(), ForgeRepository)
    assert [each.headers["authorization"] for each in site.fake.received] == [f"Bearer {TOKEN}"] * 2


async def test_a_change_is_not_sent_to_another_host(site: GitHubSite) -> None:
    site.push(BRANCH)
    there = {"location": "http://127.0.0.1:9/steal"}
    site.fake.faults.append(Fault("/pulls$", 307, there, method="POST"))

    result = await site.forge.open_pull_request(NEW)

    assert result == Unreachable("GitHub was not reached: it leads to an address that is not used")


async def test_another_host_does_not_answer_for_github(site: GitHubSite) -> None:
    there = {"location": f"http://127.0.0.1:{site.fake.logs_port}/logs/1"}
    site.fake.faults.append(Fault("/engine$", 302, there))

    assert isinstance(await site.forge.find_repository(), Unreachable)
    assert site.fake.log_requests == []


async def test_redirects_in_circles_end(site: GitHubSite) -> None:
    there = {"location": f"{site.fake.site}/api/v3/repos/ada/engine"}
    site.fake.faults += [Fault("/engine$", 302, there)] * 4

    assert isinstance(await site.forge.find_repository(), Unreachable)


async def test_a_token_that_may_only_read_opens_nothing(site: GitHubSite) -> None:
    site.push(BRANCH)
    site.fake.tokens[TOKEN] = FakeToken("ada", may_write=False)

    found = await site.forge.find_repository()

    assert isinstance(found, ForgeRepository)
    assert not found.can_push
    assert isinstance(await site.forge.open_pull_request(NEW), NoPermission)


async def test_a_draft_of_a_review_and_an_empty_one_say_nothing(site: GitHubSite) -> None:
    pull = site.repository.pulls[(await opened(site)).number]
    when = {"submitted_at": "2026-05-04T12:00:00Z"}
    pull.reviews += [
        {"id": 1, "state": "PENDING", "body": "not yet", "user": user("ada")},
        {"id": 2, "state": "COMMENTED", "body": "", "user": user("ada"), **when},
        {"id": 3, "state": "APPROVED", "body": "", "user": user("ada"), **when},
    ]

    read = await site.forge.read_feedback(pull.number, ())

    assert isinstance(read, FeedbackList)
    assert [(each.id, each.verdict, each.author.can_write) for each in read.items] == [
        ("review:3", "approved", True)
    ]


async def test_bots_and_deleted_accounts_may_not_write(site: GitHubSite) -> None:
    number = (await opened(site)).number
    site.say(number, "comment", "dependabot[bot]", "Bump it.")
    site.say(number, "comment", "gone", "I am gone.")
    site.repository.pulls[number].comments[-1]["user"] = None
    site.repository.access["ghost"] = "admin"

    read = await site.forge.read_feedback(number, ())

    assert isinstance(read, FeedbackList)
    assert [(each.author.login, each.author.can_write) for each in read.items] == [
        ("dependabot[bot]", False),
        ("ghost", False),
    ]


async def test_if_permissions_cannot_be_read_nothing_is_said(site: GitHubSite) -> None:
    number = (await opened(site)).number
    site.say(number, "comment", "grace", "Hello.")
    site.fake.faults.append(Fault("/permission$", 502))

    assert isinstance(await site.forge.read_feedback(number, ()), Unreachable)


async def test_a_pull_request_is_no_issue(site: GitHubSite) -> None:
    number = (await opened(site)).number

    assert await GitHubIssues(site.client).read_issue(number) == NotFound(f"issue #{number}")


@pytest.mark.parametrize(
    ("kind", "failure"),
    [
        ("FORBIDDEN", NoPermission("the token has no access to pull request #1: not so")),
        ("NOT_FOUND", NotFound("pull request #1")),
        ("RATE_LIMITED", RateLimited(NOON + timedelta(minutes=1))),
        ("UNPROCESSABLE", Refused("GitHub refuses pull request #1: not so")),
    ],
)
async def test_an_error_of_graphql_is_a_value(
    site: GitHubSite, kind: str, failure: ServiceFailure
) -> None:
    await opened(site)
    body = {"data": None, "errors": [{"type": kind, "message": "not so"}]}
    site.fake.faults.append(Fault("/graphql$", 200, {}, json.dumps(body).encode()))

    result = await site.forge.update_pull_request(1, PullRequestChange(draft=True))

    assert result == failure


async def test_what_holds_already_is_not_sent(site: GitHubSite) -> None:
    site.push(BRANCH)
    await site.forge.open_pull_request(replace(NEW, body="One\n\ntwo"))
    site.fake.received.clear()

    await site.forge.update_pull_request(
        1, PullRequestChange(title=NEW.title, body="One\n\ntwo", draft=False)
    )

    assert [each.method for each in site.fake.received] == ["GET"]
