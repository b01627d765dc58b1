"""No program that an agent could have written is run on the host."""

from pathlib import Path

from treadle.settings.environment import parse_environment
from treadle.wiring.search_path import without_project
from treadle.workspace.search_path import path_outside


def test_a_search_path_loses_what_lies_in_the_project_by_whatever_name(tmp_path: Path) -> None:
    project, link, tools = tmp_path / "project", tmp_path / "link", tmp_path / "tools"
    (project / "bin").mkdir(parents=True)
    link.symlink_to(project)
    tools.symlink_to(project / "bin")
    beside = tmp_path / "project-tools"
    entries = [
        *("/usr/bin", str(project), f"{project}/bin", f"{link}/bin", str(tools)),
        *(f"{beside}/../project/bin", "bin", ".", "", str(beside), "/bin"),
    ]

    assert path_outside(":".join(entries), project) == f"/usr/bin:{beside}:/bin"
    assert path_outside(":".join(entries), link) == f"/usr/bin:{beside}:/bin"


def test_an_entry_in_the_project_that_leads_elsewhere_is_left_out_too(tmp_path: Path) -> None:
    (tmp_path / "bin").symlink_to("/usr/bin")

    assert path_outside(f"{tmp_path}/bin:/bin", tmp_path) == "/bin"


def test_only_the_path_of_an_environment_changes(tmp_path: Path) -> None:
    environment = parse_environment({"HOME": "/home/ada", "PATH": f"{tmp_path}/bin:/bin"})

    narrowed = without_project(environment, tmp_path)

    assert (narrowed.path, narrowed.raw) == ("/bin", environment.raw)
