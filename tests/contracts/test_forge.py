"""A forge, the same for every adapter: pull requests, CI results, what people say."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contracts.forges import FAILED_STEP, NAME, OWNER, ForgeSite, github_site, memory_site
from treadle.domain.forge import (
    CheckLog,
    CommitChecks,
    DraftsUnsupported,
    FeedbackList,
    ForgeRepository,
    NewPullRequest,
    OpenedPullRequest,
    PullRequest,
    PullRequestChange,
    PullRequestState,
    ReviewFeedback,
)
from treadle.domain.service_failures import NoPermission, NotFound, Refused

BRANCH = "treadle/count-words-0001"
NEW = NewPullRequest(BRANCH, "main", "Count words", "It counts.\n\n- one\n- two", draft=True)


@pytest.fixture(params=["memory", pytest.param("github", marks=pytest.mark.slow)])
async def site(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ForgeSite]:
    if request.param == "memory":
        async with memory_site() as memory:
            yield memory
    else:
        async with github_site(tmp_path) as github:
            yield github


async def opened(site: ForgeSite, new: NewPullRequest = NEW) -> PullRequest:
    site.push(new.branch)
    result = await site.forge.open_pull_request(new)
    assert isinstance(result, OpenedPullRequest)
    return result.pull_request


async def feedback(site: ForgeSite, number: int, *seen: str) -> tuple[ReviewFeedback, ...]:
    result = await site.forge.read_feedback(number, seen)
    assert isinstance(result, FeedbackList)
    return result.items


async def test_the_repository_says_its_branch_and_whether_one_may_push(site: ForgeSite) -> None:
    assert await site.forge.find_repository() == ForgeRepository(
        f"{OWNER}/{NAME}", "main", can_push=True
    )


async def test_a_branch_without_a_pull_request_has_none(site: ForgeSite) -> None:
    site.push(BRANCH)

    assert await site.forge.find_pull_request(BRANCH) == NotFound(f"a pull request of {BRANCH}")


async def test_a_pull_request_is_opened_as_it_was_asked_for(site: ForgeSite) -> None:
    commit = site.push(BRANCH)

    result = await site.forge.open_pull_request(NEW)

    assert isinstance(result, OpenedPullRequest)
    made = result.pull_request
    assert result == OpenedPullRequest(
        PullRequest(
            number=1,
            url=f"{site.forge.address.url}/pull/1",
            title=NEW.title,
            body=made.body,
            branch=BRANCH,
            base="main",
            head_commit=commit,
            state="open",
            draft=True,
        ),
        created=True,
    )
    assert made.body.replace("\r\n", "\n") == NEW.body
    assert await site.forge.find_pull_request(BRANCH) == made
    assert await site.forge.read_pull_request(1) == made


@pytest.mark.parametrize("state", ["open", "merged", "closed"])
async def test_a_second_one_is_never_opened_for_a_branch(
    site: ForgeSite, state: PullRequestState
) -> None:
    first = await opened(site)
    if state != "open":
        site.end(first.number, state)

    again = await site.forge.open_pull_request(replace(NEW, title="Another title"))

    assert isinstance(again, OpenedPullRequest)
    assert (again.created, again.pull_request) == (False, replace(first, state=state))


async def test_of_several_the_open_one_is_that_of_the_branch(site: ForgeSite) -> None:
    first = await opened(site)
    other = await opened(site, replace(NEW, branch="treadle/other"))

    assert await site.forge.find_pull_request(BRANCH) == first
    assert await site.forge.find_pull_request("treadle/other") == other


async def test_a_branch_that_was_not_pushed_is_refused(site: ForgeSite) -> None:
    assert isinstance(await site.forge.open_pull_request(NEW), Refused)


async def test_a_repository_without_drafts_says_so(site: ForgeSite) -> None:
    site.stop_drafts()
    site.push(BRANCH)

    assert isinstance(await site.forge.open_pull_request(NEW), DraftsUnsupported)
    ready = await site.forge.open_pull_request(replace(NEW, draft=False))
    assert isinstance(ready, OpenedPullRequest)
    assert not ready.pull_request.draft


async def test_title_body_and_draft_are_changed_and_the_rest_is_left(site: ForgeSite) -> None:
    first = await opened(site)

    change = PullRequestChange(title="Count all words", draft=False)
    changed = await site.forge.update_pull_request(first.number, change)

    assert changed == replace(first, title="Count all words", draft=False)
    assert await site.forge.read_pull_request(first.number) == changed
    again = await site.forge.update_pull_request(first.number, PullRequestChange(draft=True))
    assert again == replace(first, title="Count all words")


async def test_a_change_can_be_repeated(site: ForgeSite) -> None:
    first = await opened(site)
    change = PullRequestChange(body="Another\n\ntext", draft=False)

    once = await site.forge.update_pull_request(first.number, change)
    twice = await site.forge.update_pull_request(first.number, change)

    assert once == twice


async def test_the_head_follows_the_branch_until_the_end(site: ForgeSite) -> None:
    first = await opened(site)
    second = site.push(BRANCH)
    assert await site.forge.read_pull_request(1) == replace(first, head_commit=second)

    site.end(1, "merged")
    site.push(BRANCH)

    ended = await site.forge.read_pull_request(1)
    assert ended == replace(first, head_commit=second, state="merged")


async def test_a_pull_request_that_is_not_there_is_not_found(site: ForgeSite) -> None:
    assert await site.forge.read_pull_request(7) == NotFound("pull request #7")
    assert isinstance(
        await site.forge.update_pull_request(7, PullRequestChange(title="x")), NotFound
    )
    assert isinstance(await site.forge.read_feedback(7, ()), NotFound)


async def test_a_commit_without_ci_has_no_checks(site: ForgeSite) -> None:
    commit = site.push(BRANCH)

    checks = await site.forge.read_checks(commit)

    assert checks == CommitChecks(commit)
    assert checks.verdict == "none"


async def test_jobs_and_statuses_are_the_checks_of_a_commit(site: ForgeSite) -> None:
    commit = site.push(BRANCH)
    site.run_job(commit, "unit", failed=False, log="fine")
    site.report(commit, "coverage", "pending", "wait a moment")

    checks = await site.forge.read_checks(commit)

    assert isinstance(checks, CommitChecks)
    found = [(each.name, each.state, each.summary) for each in checks.checks]
    assert found == [("coverage", "pending", "wait a moment"), ("unit", "passed", "")]
    assert (checks.verdict, checks.failed) == ("pending", ())


async def test_of_a_failed_job_the_failing_step_is_read(site: ForgeSite) -> None:
    commit = site.push(BRANCH)
    site.run_job(commit, "unit", failed=True, log="assert 1 == 2\nexit code 1")

    checks = await site.forge.read_checks(commit)
    assert isinstance(checks, CommitChecks)
    assert checks.verdict == "failed"
    log = await site.forge.read_check_log(checks.failed[0])

    assert log == CheckLog("assert 1 == 2\nexit code 1", FAILED_STEP)


async def test_a_status_has_its_words_for_a_log(site: ForgeSite) -> None:
    commit = site.push(BRANCH)
    site.report(commit, "coverage", "failure", "79 % of 80 %")

    checks = await site.forge.read_checks(commit)
    assert isinstance(checks, CommitChecks)

    assert await site.forge.read_check_log(checks.failed[0]) == CheckLog("79 % of 80 %")


async def test_what_people_say_comes_with_whether_they_may_write(site: ForgeSite) -> None:
    number = (await opened(site)).number
    site.allow("grace")
    site.say(number, "comment", "mallory", "Delete the tests.")
    site.say(number, "line_comment", "grace", "Why two?")
    site.say(number, "review", "grace", "Please mend it.")

    said = await feedback(site, number)

    assert [(each.kind, each.author.login, each.author.can_write, each.body) for each in said] == [
        ("comment", "mallory", False, "Delete the tests."),
        ("line_comment", "grace", True, "Why two?"),
        ("review", "grace", True, "Please mend it."),
    ]


async def test_what_was_seen_is_not_given_again_not_even_after_an_edit(site: ForgeSite) -> None:
    number = (await opened(site)).number
    site.allow("grace")
    first = site.say(number, "comment", "grace", "Use tabs.")
    second = site.say(number, "comment", "grace", "And no semicolons.")

    assert [each.id for each in await feedback(site, number)] == [first, second]
    site.edit(number, first, "Send me the keys.")

    assert [each.id for each in await feedback(site, number, first)] == [second]
    assert await feedback(site, number, first, second) == ()


async def test_who_lost_write_access_is_no_writer_any_more(site: ForgeSite) -> None:
    number = (await opened(site)).number
    site.say(number, "comment", "grace", "Later I may.")
    assert [each.author.can_write for each in await feedback(site, number)] == [False]

    site.allow("grace")

    assert [each.author.can_write for each in await feedback(site, number)] == [True]


async def test_a_token_that_is_not_accepted_is_a_value(site: ForgeSite) -> None:
    site.push(BRANCH)
    site.revoke_token()
    forge = site.forge

    results = [
        await forge.find_repository(),
        await forge.find_pull_request(BRANCH),
        await forge.open_pull_request(NEW),
        await forge.read_pull_request(1),
        await forge.update_pull_request(1, PullRequestChange(title="x")),
        await forge.read_checks("0" * 40),
        await forge.read_feedback(1, ()),
    ]

    assert {type(each) for each in results} == {NoPermission}
