"""Variables and file patterns that make test tools leave a report. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from treadle.domain.suite_report import REPORTS_FOLDER as FOLDER
from treadle.verify.reports.command_tools import ToolName, find_tools

# Treadle's own folder; `init` also proposes commands that write there. A command may change its
# directory first.
OWN_REPORTS = (f"{FOLDER}/*", f"*/{FOLDER}/*", f"*/*/{FOLDER}/*")
KNOWN_REPORTS = (
    *OWN_REPORTS,
    "junit.xml",
    "test-results/*.xml",
    "test-results/*.json",
    "reports/**/*.xml",
)
KNOWN_COVERAGE = (
    "coverage.xml",
    "coverage.json",
    "lcov.info",
    "coverage/lcov.info",
    "coverage/cobertura-coverage.xml",
)


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """Globs of files to collect, and variables that make known tools write a report."""

    collect: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)


# None of these variables changes how tests run, and most have no effect unless the project
# configures the reporter.
_VARIABLES: Mapping[ToolName, Mapping[str, str]] = MappingProxyType(
    {
        "pytest": {"PYTEST_ADDOPTS": f"--junitxml={FOLDER}/junit.xml"},
        "playwright": {"PLAYWRIGHT_JSON_OUTPUT_NAME": f"{FOLDER}/playwright.json"},
        "jest": {
            "JEST_JUNIT_OUTPUT_FILE": f"{FOLDER}/jest.xml",
            "JEST_JUNIT_CLASSNAME": "{filepath}",
            "JEST_JUNIT_ADD_FILE_ATTRIBUTE": "true",
            "JEST_JUNIT_REPORT_TEST_SUITE_ERRORS": "true",
        },
        "gotestsum": {"GOTESTSUM_JUNITFILE": f"{FOLDER}/go.xml"},
    }
)
# A command that sets its own report is left alone.
_ALREADY_SET: Mapping[ToolName, tuple[str, ...]] = MappingProxyType(
    {
        "pytest": ("--junitxml", "--junit-xml", "PYTEST_ADDOPTS="),
        "playwright": ("PLAYWRIGHT_JSON_OUTPUT_",),
        "jest": ("JEST_JUNIT_", "--json"),
        "gotestsum": ("--junitfile", "GOTESTSUM_JUNITFILE="),
    }
)
_COVERAGE_OPTIONS = f" --cov-report=term --cov-report=xml:{FOLDER}/coverage.xml"


def request_reports(command: str, reports: Sequence[str], coverage: Sequence[str]) -> ReportRequest:
    """The files to collect and the variables to set for a command.

    If the user named reports, only those count. Otherwise the usual paths are collected, and the
    tools in the command are made to write a report.
    """
    # The project may configure a second report; its tests must not count twice.
    known = OWN_REPORTS if FOLDER in command else KNOWN_REPORTS
    collect = tuple(dict.fromkeys((*(reports or known), *(coverage or KNOWN_COVERAGE))))
    return ReportRequest(collect, {} if reports else _variables(command))


def _variables(command: str) -> dict[str, str]:
    tools = find_tools(command)
    variables: dict[str, str] = {}
    for tool, settings in _VARIABLES.items():
        # A tool that is started twice would overwrite its first report.
        if tools.count(tool) == 1 and not any(word in command for word in _ALREADY_SET[tool]):
            variables |= settings
    if "PYTEST_ADDOPTS" in variables and "--cov" in command:
        variables["PYTEST_ADDOPTS"] += _COVERAGE_OPTIONS
    return variables
