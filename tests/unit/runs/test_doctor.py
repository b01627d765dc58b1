"""What `treadle doctor` runs on this machine, and what it does not."""

from pathlib import Path

from treadle.runs.doctor import examine
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
