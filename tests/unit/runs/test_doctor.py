"""What `treadle doctor` runs on this machine, and what it does not."""

from pathlib import Path

import pytest

from tests.builders import repository_in
from treadle.runs.doctor import GROUP_REMEDY, LIMITS_ALONE, DoctorFinding, examine, limits_finding
from treadle.settings.environment import parse_environment


async def test_no_program_of_the_project_is_run(tmp_path: Path) -> None:
    project, link = tmp_path / "project", tmp_path / "tools"
    (project / "bin").mkdir(parents=True)
    link.symlink_to(project / "bin")
    for name in ("claude", "node", "chromium"):
        program = project / "bin" / name
        program.write_text(f"#!/bin/sh\necho {name} >> {tmp_path}/ran\necho 2.1.300\n")
        program.chmod(0o755)
    (tmp_path / "home").mkdir()
    environment = parse_environment(
        {"HOME": str(tmp_path / "home"), "PATH": f"{project}/bin:{link}:/usr/bin:/bin"}
    )

    findings = {finding.name: finding for finding in await examine(project, environment)}

    assert "from bundled" in findings["claude"].text
    assert not (tmp_path / "ran").exists()


async def test_a_cause_is_said_once(tmp_path: Path) -> None:
    repository = repository_in(tmp_path, **{"treadle.toml": "[project\n"})

    findings = await examine(repository.path, parse_environment(repository.environment))

    bad = {
        each.name: each.text for each in findings if each.name in ("project", "settings", "disk")
    }
    invalid = "treadle.toml:1: is not valid TOML: Expected ']' at the end of a table declaration"
    again = "not checked: see project"
    assert bad == {"project": invalid, "settings": again, "disk": again}


@pytest.mark.parametrize(
    ("held", "finding"),
    [
        (
            {"memory", "pids"},
            DoctorFinding(
                "limits", "good", "sandbox.memory_mb and sandbox.processes limit the whole sandbox"
            ),
        ),
        (
            {"memory"},
            DoctorFinding("limits", "warning", LIMITS_ALONE["pids"], GROUP_REMEDY),
        ),
        (set(), DoctorFinding("limits", "warning", "; ".join(LIMITS_ALONE.values()), GROUP_REMEDY)),
    ],
)
def test_it_says_which_limits_hold_for_a_sandbox_as_a_whole(
    held: set[str], finding: DoctorFinding
) -> None:
    assert limits_finding(held) == finding
