"""What a command of Treadle's own finds, reaches and leaves behind in its sandbox."""

import asyncio
import hashlib
import os
import socket
import stat
from pathlib import Path

import pytest

from tests.unit.workflows.loop.sandboxed_check_runner_harness import (
    SECRET,
    RunnerHarness,
    make_runner_harness,
    output_lines,
    until_there,
)
from treadle.domain.check import Evidence
from treadle.domain.errors import ProjectError
from treadle.verify.results.check_runner import CheckCommand, CommandResult, CommandStopped

pytestmark = pytest.mark.slow

NOTHING = hashlib.sha256(b"").hexdigest()


@pytest.fixture
async def harness(tmp_path: Path) -> RunnerHarness:
    return await make_runner_harness(tmp_path)


async def test_the_evidence_says_what_was_run_on_which_tree_and_how_it_ended(
    harness: RunnerHarness,
) -> None:
    result = await harness.run("echo out; echo err >&2; exit 3")

    evidence = result.evidence
    log = hashlib.sha256(b"out\nerr\n").hexdigest()
    assert result == CommandResult(
        Evidence(
            command="echo out; echo err >&2; exit 3",
            when="after",
            commit=harness.repository.git("rev-parse", "HEAD"),
            tree=harness.repository.git("rev-parse", "HEAD^{tree}"),
            exit_code=3,
            duration_s=evidence.duration_s,
            fingerprint=evidence.fingerprint,
            log=log,
        ),
        "out\nerr\n",
    )
    kept = harness.logs.path_of(log)
    assert (kept.read_text(), stat.S_IMODE(kept.stat().st_mode)) == ("out\nerr\n", 0o600)


async def test_only_what_is_committed_is_there(harness: RunnerHarness) -> None:
    old = harness.commit(**{"a.txt": "old\n", "gone.txt": "was here\n"})
    (harness.repository.path / "gone.txt").unlink()
    new = harness.commit(**{"a.txt": "new\n"})
    harness.repository.write("a.txt", "not committed\n")
    harness.repository.write("untracked.txt", "not committed\n")

    look = "ls; cat a.txt"

    assert output_lines(await harness.run(look, new)) == ["SPEC.md", "a.txt", "new"]
    assert output_lines(await harness.run(look, old)) == ["SPEC.md", "a.txt", "gone.txt", "old"]


async def test_git_knows_the_commit_and_its_tags_and_what_it_writes_is_thrown_away(
    harness: RunnerHarness,
) -> None:
    harness.repository.git("tag", "--annotate", "--message", "One", "v1")
    harness.commit(**{"a.txt": "a\n"})
    before = harness.repository.git("for-each-ref")
    about_git = (
        "git describe --dirty && git status --porcelain && git log --format=%s"
        " && echo b > a.txt && git -c user.name=x -c user.email=x@x commit -qam more"
        " && git log -1 --format=%s"
    )

    result = await harness.run(about_git)

    described, *subjects = output_lines(result)
    assert described.startswith("v1-1-g")
    assert subjects == ["Work", *harness.repository.log()[1:], "more"]
    assert harness.repository.git("for-each-ref") == before
    assert harness.repository.git("status", "--porcelain") == ""


async def test_the_users_repository_and_home_and_the_agents_are_out_of_reach(
    harness: RunnerHarness,
) -> None:
    agents = harness.ready.directory / "home"
    agents.mkdir()
    (agents / "transcript").write_text("what the agent thought\n")
    user = Path(harness.ready.environment.home)
    (user / "diary").write_text("what Ada thought\n")
    root, log = harness.repository.path, harness.logs.path_of(NOTHING)
    readings = [f"cat {path}" for path in (agents / "transcript", user / "diary", root / "SPEC.md")]
    writings = [
        f"mkdir -p {path.parent}; echo x > {path}"
        for path in (
            root / "SPEC.md",
            root / ".git/objects/x",
            root / ".git/refs/heads/x",
            harness.ready.directory / "x",
            log,
        )
    ]

    tried = await harness.run("; ".join(f"{{ {one}; }} && echo read" for one in readings))
    await harness.run("; ".join([*writings, "echo done"]))

    assert "read" not in output_lines(tried)
    assert harness.repository.git("status", "--porcelain") == ""
    assert not (root / ".git/objects/x").exists()
    assert not (root / ".git/refs/heads/x").exists()
    assert not (harness.ready.directory / "x").exists()
    assert not log.exists()


async def test_no_login_and_no_network_is_given(harness: RunnerHarness) -> None:
    result = await harness.run("env; cat /proc/net/dev | tail -n +3 | cut -d: -f1")

    assert SECRET not in result.output
    assert "ANTHROPIC" not in result.output
    assert output_lines(result)[-1].strip() == "lo"
    assert f"HOME={harness.runner.tree.home}" in output_lines(result)


async def test_a_server_on_this_machine_is_out_of_reach(harness: RunnerHarness) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ask = f"import socket; socket.create_connection({server.getsockname()!r}, timeout=5)"
        result = await harness.run(f'python3 -c "{ask}"')

    assert result.evidence.exit_code == 1
    assert output_lines(result)[-1].startswith("ConnectionRefusedError")


async def test_hosts_are_reached_as_the_settings_say_and_recorded(tmp_path: Path) -> None:
    opened = {"sandbox.network": "allowlist", "sandbox.hosts": ("packages.invalid:443",)}
    harness = await make_runner_harness(tmp_path, opened)
    ask = "import urllib.request; urllib.request.urlopen('http://elsewhere.invalid/')"

    result = await harness.run(f'python3 -c "{ask}"')

    assert output_lines(result)[-1].endswith("elsewhere.invalid:80 is not in sandbox.hosts")
    assert harness.hosts == [("elsewhere.invalid", 80, False)]


async def test_variables_of_the_trial_are_given(harness: RunnerHarness) -> None:
    result = await harness.run('echo "$REPORT"', variables={"REPORT": "here"})

    assert result.output == "here\n"


async def test_a_command_that_does_not_end_is_ended_and_has_no_exit_code(
    harness: RunnerHarness,
) -> None:
    result = await harness.run("echo begun; exec tail -f /dev/null", seconds=1)

    assert result.evidence.exit_code is None
    assert output_lines(result) == ["begun", "(it had not ended after 1 s, and was ended)"]


async def test_what_it_starts_in_the_background_dies_with_it(harness: RunnerHarness) -> None:
    mark = f"nothing-{os.getpid()}"
    daemon = f"setsid sh -c 'touch up; exec tail -f /dev/null {mark}' >/dev/null 2>&1 &"
    result = await harness.run(f"{daemon} while ! [ -e up ]; do :; done; echo started")

    assert result.output == "started\n"
    assert not running(mark)


def running(mark: str) -> bool:
    lines = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(process.read_bytes())
        except OSError:
            continue
    return any(mark.encode() in line for line in lines)


@pytest.mark.parametrize("command", ["true", "false", "mkdir -p d; chmod 0 d; touch .hidden"])
async def test_no_checkout_and_no_report_of_the_sandbox_is_left(
    harness: RunnerHarness, command: str
) -> None:
    await harness.run(command)

    assert sorted(path.name for path in harness.ready.directory.rglob("*") if path.is_dir()) == [
        "evidence",
        "proving",
    ]
    assert list(harness.checkout.iterdir()) == []


async def test_each_trial_finds_the_tree_as_it_was_committed(harness: RunnerHarness) -> None:
    spoil = "echo x > left; echo changed > SPEC.md; echo x > ~/left"
    assert (await harness.run(spoil)).evidence.exit_code == 0

    look = "cat SPEC.md; ls left ~/left 2>/dev/null; git status --porcelain"

    assert output_lines(await harness.run(look)) == ["# A greeting"]


async def test_secrets_are_not_in_the_log(harness: RunnerHarness) -> None:
    harness.commit(**{"say.sh": f"echo {SECRET[:12]}''{SECRET[12:]}\n"})

    result = await harness.run("sh say.sh")

    assert result.output == "***\n"
    assert harness.logs.path_of(result.evidence.log).read_text() == "***\n"


async def test_of_a_very_long_log_both_ends_are_kept(harness: RunnerHarness) -> None:
    result = await harness.run(
        "echo first; head -c 9000000 /dev/zero | tr '\\0' x; echo; echo last"
    )

    text = harness.logs.read(result.evidence.log)
    assert text is not None
    first, cut, last = text.partition(f"\n… ({9000012 - (8 << 20)} more) …\n")
    assert cut
    assert (first[:7], len(first)) == ("first\nx", 4 << 20)
    assert (last[-7:], len(last)) == ("x\nlast\n", 4 << 20)
    assert result.output == text[-8000:]


async def test_only_files_that_the_command_wrote_are_collected(harness: RunnerHarness) -> None:
    harness.commit(
        **{"reports/forged.xml": "<all passed>", "reports/written.xml": "<old>", "deep/a/b.txt": ""}
    )
    write = (
        "echo new > reports/written.xml; cp reports/written.xml reports/more.xml; echo n > a.xml;"
        " ln -s /etc/passwd reports/link.xml; mkdir -p deep/a/c; echo d > deep/a/c/d.xml;"
        " ln -s /etc elsewhere"
    )

    result = await harness.run(
        write, collect=("reports/*.xml", "deep/**/*.xml", "elsewhere/passwd")
    )

    assert result.files == {
        "deep/a/c/d.xml": b"d\n",
        "reports/more.xml": b"new\n",
        "reports/written.xml": b"new\n",
    }


async def test_a_run_that_is_to_stop_ends_the_command_and_nothing_was_found_out(
    harness: RunnerHarness,
) -> None:
    showing = asyncio.ensure_future(
        harness.run_until_stopped("touch begun; exec tail -f /dev/null")
    )
    await asyncio.to_thread(until_there, harness.runner.tree.work / "begun")
    harness.stop.set()

    assert await showing == CommandStopped()
    assert list(harness.checkout.iterdir()) == []
    assert await harness.run_until_stopped("true") == CommandStopped()


async def test_a_setup_that_is_stopped_is_not_kept(tmp_path: Path) -> None:
    harness = await make_runner_harness(
        tmp_path, {"project.setup": "touch begun; exec tail -f /dev/null"}
    )
    showing = asyncio.ensure_future(harness.run_until_stopped("true"))
    await asyncio.to_thread(until_there, harness.runner.tree.work / "begun")
    harness.stop.set()

    assert await showing == CommandStopped()
    assert list(harness.checkout.iterdir()) == []


async def test_a_commit_that_is_not_there_is_an_error_in_words(harness: RunnerHarness) -> None:
    with pytest.raises(ProjectError, match="has no commit 000000"):
        await harness.runner.run(CheckCommand("true", "0" * 40, "after", 60))


async def test_what_a_killed_process_left_is_swept(harness: RunnerHarness) -> None:
    for name in ("work", "home", "bases/building"):
        (harness.checkout / name).mkdir(parents=True)
        (harness.checkout / name / "left").touch()
    (harness.checkout / "index").touch()

    assert output_lines(await harness.run("ls; ls ~")) == ["SPEC.md"]
    assert [path.name for path in harness.checkout.rglob("*")] == ["bases"]


async def test_trials_that_are_asked_for_at_once_take_turns(harness: RunnerHarness) -> None:
    result = await asyncio.gather(*(harness.run(f"echo {n} > n; cat n") for n in range(3)))

    assert [each.output for each in result] == ["0\n", "1\n", "2\n"]


async def test_the_same_surroundings_have_the_same_hash(harness: RunnerHarness) -> None:
    first, again = await harness.run("true"), await harness.run("false")
    other = await harness.run("true", variables={"A": "b"})

    assert first.evidence.fingerprint == again.evidence.fingerprint
    assert first.evidence.fingerprint != other.evidence.fingerprint


async def test_without_a_sandbox_the_checkout_is_apart_all_the_same(tmp_path: Path) -> None:
    harness = await make_runner_harness(tmp_path, confined=False)

    result = await harness.run("pwd; echo $HOME; ls; echo x > left; exit 4")

    assert output_lines(result) == [
        str(harness.runner.tree.work),
        str(harness.runner.tree.home),
        "SPEC.md",
    ]
    assert result.evidence.exit_code == 4
    assert harness.repository.git("status", "--porcelain") == ""
