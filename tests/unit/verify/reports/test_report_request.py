"""A test command is made to leave a report without a change to the project, where that is safe."""

import pytest

from treadle.verify.reports.command_tools import find_tools
from treadle.verify.reports.report_request import (
    KNOWN_COVERAGE,
    KNOWN_REPORTS,
    OWN_REPORTS,
    ReportRequest,
    request_reports,
)

JUNIT = {"PYTEST_ADDOPTS": "--junitxml=.treadle-reports/junit.xml"}
PLAYWRIGHT = {"PLAYWRIGHT_JSON_OUTPUT_NAME": ".treadle-reports/playwright.json"}
JEST = {
    "JEST_JUNIT_OUTPUT_FILE": ".treadle-reports/jest.xml",
    "JEST_JUNIT_CLASSNAME": "{filepath}",
    "JEST_JUNIT_ADD_FILE_ATTRIBUTE": "true",
    "JEST_JUNIT_REPORT_TEST_SUITE_ERRORS": "true",
}


@pytest.mark.parametrize(
    ("command", "variables"),
    [
        ("pytest", JUNIT),
        ("uv run pytest -q tests", JUNIT),
        ("python3.12 -m pytest", JUNIT),
        ("cd app && FOO=1 .venv/bin/pytest -x", JUNIT),
        ("coverage run -m pytest", JUNIT),
        (
            "pytest --cov=src",
            {
                "PYTEST_ADDOPTS": "--junitxml=.treadle-reports/junit.xml --cov-report=term"
                " --cov-report=xml:.treadle-reports/coverage.xml"
            },
        ),
        ("npx jest", JEST),
        ("npx playwright test --reporter=list,json", PLAYWRIGHT),
        ("pytest && yarn run playwright test", {**JUNIT, **PLAYWRIGHT}),
        ("gotestsum ./...", {"GOTESTSUM_JUNITFILE": ".treadle-reports/go.xml"}),
        # What stands behind these cannot be seen.
        ("make test", {}),
        ("npm run test", {}),
        ("tox", {}),
        ("./test.sh pytest", {}),
        ("echo pytest", {}),
        ("", {}),
        ("pytest 'open", {}),
        # The second would write over what the first wrote.
        ("pytest a && pytest b", {}),
        # It says itself where its report goes.
        ("pytest --junitxml=out.xml", {}),
        ("PYTEST_ADDOPTS=-x pytest", {}),
        ("mkdir -p .treadle-reports && npx jest --json --outputFile=.treadle-reports/a.json", {}),
        # These need no variable.
        ("go test -v ./...", {}),
        ("cargo test", {}),
        ("npx vitest run", {}),
        ("vendor/bin/phpunit --log-junit .treadle-reports/phpunit.xml", {}),
    ],
)
def test_known_tools_are_asked_by_variables(command: str, variables: dict[str, str]) -> None:
    assert request_reports(command, (), ()).variables == variables


def test_without_a_word_of_the_user_known_places_are_looked_at() -> None:
    assert request_reports("make test", (), ()).collect == (*KNOWN_REPORTS, *KNOWN_COVERAGE)


def test_a_command_that_writes_for_us_has_its_tests_counted_once() -> None:
    command = "npx vitest run --reporter=junit --outputFile.junit=.treadle-reports/vitest.xml"

    assert request_reports(command, (), ()).collect == (*OWN_REPORTS, *KNOWN_COVERAGE)


def test_what_the_user_names_is_all_that_counts() -> None:
    assert request_reports("pytest", ["out/*.xml"], ["cov.xml", "out/*.xml"]) == ReportRequest(
        ("out/*.xml", "cov.xml")
    )
    assert request_reports("pytest", (), ["cov.xml"]) == ReportRequest(
        (*KNOWN_REPORTS, "cov.xml"), JUNIT
    )


def test_the_tools_of_a_line_are_found_in_its_order() -> None:
    assert find_tools(
        "uv run pytest -q; (cd web && pnpm exec vitest run) || bundle exec rspec && "
        "vendor/bin/pest && go test ./... && timeout 60 cargo test && python -m unittest -v"
    ) == ("pytest", "vitest", "rspec", "phpunit", "go", "cargo", "unittest")
