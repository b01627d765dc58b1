"""Runs a test tool on a small project, and reads its report as a run would."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from treadle.domain.suite_report import CaseOutcome, SuiteReport
from treadle.verify.reports.report_reader import read_reports
from treadle.verify.reports.report_request import request_reports


def ran(top: Path, command: str, arguments: list[str], **variables: str) -> SuiteReport:
    """What is read after the command has run, which is asked for a report as a run does it."""
    asked = request_reports(command, (), ())
    done = subprocess.run(
        arguments,
        cwd=top,
        env={"PATH": os.defpath, "HOME": str(top), **asked.variables, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=100,
        check=False,
    )
    files = {
        str(path.relative_to(top)): path.read_bytes()
        for pattern in asked.collect
        for path in top.glob(pattern)
        if path.is_file()
    }
    report = read_reports(files, done.stdout, command)
    assert isinstance(report, SuiteReport), done.stdout
    return report


def lay_out(top: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)


def outcomes(report: SuiteReport) -> dict[str, CaseOutcome]:
    return {case.id: case.outcome for case in report.cases}
