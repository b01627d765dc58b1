"""Results of CI: checks, statuses, jobs of workflows, and the logs of failed ones."""

import pytest

from tests.contracts.forges import TOKEN, GitHubSite
from tests.github.fake_state import FakeJob, FakeToken
from treadle.domain.forge import MAX_LOG_CHARS, CheckLog, CommitChecks
from treadle.domain.service_failures import NotFound

BRANCH = "treadle/count-words-0001"


async def test_the_host_of_the_logs_does_not_get_the_token(site: GitHubSite) -> None:
    commit = site.push(BRANCH)
    site.run_job(commit, "unit", failed=True, log="\x1b[31mred\x1b[0m")
    checks = await site.forge.read_checks(commit)
    assert isinstance(checks, CommitChecks)

    log = await site.forge.read_check_log(checks.failed[0])

    assert log == CheckLog("red", "Run tests")
    [request] = site.fake.log_requests
    assert "authorization" not in request.headers


async def test_of_a_long_log_the_end_is_kept(site: GitHubSite) -> None:
    commit = site.push(BRANCH)
    site.run_job(commit, "unit", failed=True, log="\n".join(f"line {n}" for n in range(200_000)))
    checks = await site.forge.read_checks(commit)
    assert isinstance(checks, CommitChecks)

    log = await site.forge.read_check_log(checks.failed[0])

    assert isinstance(log, CheckLog)
    assert len(log.text) <= MAX_LOG_CHARS
    assert log.text.startswith("…\nline ")
    assert log.text.endswith("\nline 199999")


async def test_a_log_that_is_gone_is_not_found(site: GitHubSite) -> None:
    commit = site.push(BRANCH)
    site.run_job(commit, "unit", failed=True, log="x")
    next(iter(site.repository.jobs.values())).log = ""
    checks = await site.forge.read_checks(commit)
    assert isinstance(checks, CommitChecks)

    assert await site.forge.read_check_log(checks.failed[0]) == NotFound("the log of unit")


async def test_a_service_without_logs_has_its_own_words(site: GitHubSite) -> None:
    commit = site.push(BRANCH)
    output = {"title": "2 problems", "summary": "Line 3 is long.", "text": "So is line 4."}
    site.repository.jobs[5] = FakeJob(
        5, "lint", commit, conclusion="failure", app="linter", output=output
    )

    checks = await site.forge.read_checks(commit)
    assert isinstance(checks, CommitChecks)
    [check] = checks.failed

    assert (check.summary, check.url) == ("2 problems", "https://ci.example.com/7")
    assert await site.forge.read_check_log(check) == CheckLog(
        "2 problems\n\nLine 3 is long.\n\nSo is line 4."
    )


@pytest.mark.parametrize(
    ("status", "conclusion", "state"),
    [
        ("queued", None, "pending"),
        ("in_progress", None, "pending"),
        ("completed", "success", "passed"),
        ("completed", "failure", "failed"),
        ("completed", "timed_out", "failed"),
        ("completed", "neutral", "skipped"),
        ("completed", "skipped", "skipped"),
        ("completed", "cancelled", "cancelled"),
        ("completed", "action_required", "blocked"),
    ],
)
async def test_every_state_of_a_check_has_its_meaning(
    site: GitHubSite, status: str, conclusion: str | None, state: str
) -> None:
    commit = site.push(BRANCH)
    site.repository.jobs[5] = FakeJob(5, "unit", commit, status=status, conclusion=conclusion)

    checks = await site.forge.read_checks(commit)

    assert isinstance(checks, CommitChecks)
    assert [each.state for each in checks.checks] == [state]


async def test_a_token_that_may_not_read_checks_reads_the_jobs_of_workflows(
    site: GitHubSite,
) -> None:
    commit = site.push(BRANCH)
    site.push("other")
    site.run_job(commit, "unit", failed=True, log="assert 1 == 2")
    site.run_job(commit, "lint", failed=False, log="fine")
    site.repository.jobs[5] = FakeJob(5, "deploy", commit, app="another-service")
    site.report(commit, "coverage", "success", "81 %")
    site.fake.tokens[TOKEN] = FakeToken("ada", may_read_checks=False)

    checks = await site.forge.read_checks(commit)

    assert isinstance(checks, CommitChecks)
    assert [(each.name, each.state) for each in checks.checks] == [
        ("coverage", "passed"),
        ("lint", "passed"),
        ("unit", "failed"),
    ]
    assert checks.hidden == "checks of services other than GitHub Actions"
    log = await site.forge.read_check_log(checks.failed[0])
    assert log == CheckLog("assert 1 == 2", "Run tests")
