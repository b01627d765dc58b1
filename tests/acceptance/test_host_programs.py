"""Programs that Treadle starts on the host run nothing of the project; no agent changes them."""

from pathlib import Path

import pytest

from tests.acceptance.harness import ONE_DELIVERABLE, PATH, CommandHarness, script
from tests.acceptance.test_tool_files import committed, session, withheld, written


def committed_file(harness: CommandHarness, name: str, text: str) -> None:
    path = harness.project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Base")


def test_no_agent_changes_the_program_of_the_agent(harness: CommandHarness) -> None:
    version = "#!/bin/sh\necho 2.1.300\n"
    committed_file(harness, "tools/claude", version)
    trace = harness.directory / "trace"
    settings = {"agent.binary": '"tools/claude"'}
    harness.settings(settings)
    trusted = harness.treadle("trust", "--yes")
    evil = f"#!/bin/sh\ntouch {trace}\n{version}"
    lines = [written("tools/claude", evil), committed("tools/claude", evil)]

    finished = harness.deliver(script(ONE_DELIVERABLE, session(lines)), settings=settings)
    doctor = harness.treadle("doctor")

    assert "tools/claude is in the project. Agents cannot change it." in trusted.stdout
    assert finished.exit_code == 0, finished.stderr
    assert (harness.project / "hello.txt").exists()
    assert (harness.project / "tools/claude").read_text() == version
    assert f"Claude Code 2.1.300 from setting: {harness.project}/tools/claude" in doctor.stdout
    assert not trace.exists()
    assert withheld(finished) == ["tools/claude"]


def test_the_version_of_the_agent_is_not_asked_in_the_project(harness: CommandHarness) -> None:
    shims = harness.directory / "shims"
    shims.mkdir()
    (shims / "claude").write_text(
        "#!/bin/sh\n[ -e .tool-versions ] && . ./.tool-versions\necho '2.1.300 (Claude Code)'\n"
    )
    (shims / "claude").chmod(0o755)
    trace = harness.directory / "trace"
    committed_file(harness, ".tool-versions", f"touch {trace}\n")

    doctor = harness.treadle("doctor", PATH=f"{shims}:{PATH}")

    assert f"Claude Code 2.1.300 from PATH: {shims}/claude" in doctor.stdout
    assert not trace.exists()


HIDDEN = {
    "go/pkg/mod/corp.example/payroll@v1.0.0/keys.go": "// SECRET-31337\n",
    "go/pkg/mod/cache/vcs/aaaa/config": "url = https://me:SECRET-31337@git.example/payroll\n",
    "miniconda3/.condarc": "channels: [https://conda.example/t/SECRET-31337/corp]\n",
    "miniconda3/conda-meta/history": "# cmd: conda install -c https://x.example/t/SECRET-31337\n",
    "miniconda3/envs/other/notes.txt": "SECRET-31337\n",
    "miniconda3/etc/pip.conf": "extra-index-url = https://me:SECRET-31337@pypi.example/simple\n",
    "node/etc/npmrc": "//npm.example/:_authToken=SECRET-31337\n",
}


def plant(home: Path) -> str:
    """Files of the user; the PATH of two languages below the home."""
    for name, text in HIDDEN.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    for root, name in (("miniconda3", "python3"), ("node", "node")):
        program = home / root / "bin" / name
        program.parent.mkdir(parents=True)
        program.write_text(f"#!/bin/sh\necho {home}/{root}\n")
        program.chmod(0o755)
    return f"{home}/node/bin:{home}/miniconda3/bin:{PATH}"


@pytest.mark.parametrize("indexes", ["open", "closed"])
def test_the_roots_of_languages_show_no_login_and_nothing_of_other_projects(
    harness: CommandHarness, indexes: str
) -> None:
    path = plant(harness.home)
    look = f"grep -rl SECRET {harness.home} > found.txt; ls {harness.home}/*/bin > programs.txt; :"
    rehearsal = harness.directory / "script.yaml"
    rehearsal.write_text(script(ONE_DELIVERABLE, session([look])))

    harness.settings({"sandbox.indexes": f'"{indexes}"'})
    finished = harness.treadle("rehearse", str(rehearsal), "--", "deliver", "--json", PATH=path)

    assert finished.exit_code == 0, finished.stderr
    assert (harness.project / "found.txt").read_text() == ""
    assert "python3" in (harness.project / "programs.txt").read_text()
