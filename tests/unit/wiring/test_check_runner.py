"""The proving ground: what a command of Treadle's own finds, reaches and leaves behind."""

import asyncio
import hashlib
import os
import socket
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.wiring.check_runner_harness import SECRET, Stage, said, staged, until_there
from treadle.domain.check import Evidence
from treadle.domain.errors import ProjectError
from treadle.verify.check_runner import CheckCommand, CommandResult, CommandStopped

NOTHING = hashlib.sha256(b"").hexdigest()


@pytest.fixture
async def stage(tmp_path: Path) -> Stage:
    return await staged(tmp_path)


async def test_the_evidence_says_what_was_run_on_which_tree_and_how_it_ended(stage: Stage) -> None:
    shown = await stage.show("echo out; echo err >&2; exit 3")

    evidence = shown.evidence
    log = hashlib.sha256(b"out\nerr\n").hexdigest()
    assert shown == CommandResult(
        Evidence(
            command="echo out; echo err >&2; exit 3",
            when="after",
            commit=stage.repository.git("rev-parse", "HEAD"),
            tree=stage.repository.git("rev-parse", "HEAD^{tree}"),
            exit_code=3,
            duration_s=evidence.duration_s,
            fingerprint=evidence.fingerprint,
            log=log,
        ),
        "out\nerr\n",
    )
    kept = stage.logs.path_of(log)
    assert (kept.read_text(), stat.S_IMODE(kept.stat().st_mode)) == ("out\nerr\n", 0o600)


async def test_only_what_is_committed_is_there(stage: Stage) -> None:
    old = stage.commit(**{"a.txt": "old\n", "gone.txt": "was here\n"})
    (stage.repository.path / "gone.txt").unlink()
    new = stage.commit(**{"a.txt": "new\n"})
    stage.repository.write("a.txt", "not committed\n")
    stage.repository.write("untracked.txt", "not committed\n")

    look = "ls; cat a.txt"

    assert said(await stage.show(look, new)) == ["SPEC.md", "a.txt", "new"]
    assert said(await stage.show(look, old)) == ["SPEC.md", "a.txt", "gone.txt", "old"]


async def test_git_knows_the_commit_and_its_tags_and_what_it_writes_is_thrown_away(
    stage: Stage,
) -> None:
    stage.repository.git("tag", "--annotate", "--message", "One", "v1")
    stage.commit(**{"a.txt": "a\n"})
    before = stage.repository.git("for-each-ref")
    about_git = (
        "git describe --dirty && git status --porcelain && git log --format=%s"
        " && echo b > a.txt && git -c user.name=x -c user.email=x@x commit -qam more"
        " && git log -1 --format=%s"
    )

    shown = await stage.show(about_git)

    described, *subjects = said(shown)
    assert described.startswith("v1-1-g")
    assert subjects == ["Work", *stage.repository.log()[1:], "more"]
    assert stage.repository.git("for-each-ref") == before
    assert stage.repository.git("status", "--porcelain") == ""


async def test_the_users_repository_and_home_and_the_agents_are_out_of_reach(stage: Stage) -> None:
    agents = stage.ready.directory / "home"
    agents.mkdir()
    (agents / "transcript").write_text("what the agent thought\n")
    user = Path(stage.ready.environment.home)
    (user / "diary").write_text("what Ada thought\n")
    root, log = stage.repository.path, stage.logs.path_of(NOTHING)
    readings = [f"cat {path}" for path in (agents / "transcript", user / "diary", root / "SPEC.md")]
    writings = [
        f"mkdir -p {path.parent}; echo x > {path}"
        for path in (
            root / "SPEC.md",
            root / ".git/objects/x",
            root / ".git/refs/heads/x",
            stage.ready.directory / "x",
            log,
        )
    ]

    tried = await stage.show("; ".join(f"{{ {one}; }} && echo read" for one in readings))
    await stage.show("; ".join([*writings, "echo done"]))

    assert "read" not in said(tried)
    assert stage.repository.git("status", "--porcelain") == ""
    assert not (root / ".git/objects/x").exists()
    assert not (root / ".git/refs/heads/x").exists()
    assert not (stage.ready.directory / "x").exists()
    assert not log.exists()


async def test_no_login_and_no_network_is_given(stage: Stage) -> None:
    shown = await stage.show("env; cat /proc/net/dev | tail -n +3 | cut -d: -f1")

    assert SECRET not in shown.output
    assert "ANTHROPIC" not in shown.output
    assert said(shown)[-1].strip() == "lo"
    assert f"HOME={stage.ground.tree.home}" in said(shown)


async def test_a_server_on_this_machine_is_out_of_reach(stage: Stage) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ask = f"import socket; socket.create_connection({server.getsockname()!r}, timeout=5)"
        shown = await stage.show(f'python3 -c "{ask}"')

    assert shown.evidence.exit_code == 1
    assert said(shown)[-1].startswith("ConnectionRefusedError")


async def test_hosts_are_reached_as_the_settings_say_and_told(tmp_path: Path) -> None:
    opened = {"sandbox.network": "allowlist", "sandbox.hosts": ("packages.invalid:443",)}
    stage = await staged(tmp_path, opened)
    ask = "import urllib.request; urllib.request.urlopen('http://elsewhere.invalid/')"

    shown = await stage.show(f'python3 -c "{ask}"')

    assert said(shown)[-1].endswith("elsewhere.invalid:80 is not in sandbox.hosts")
    assert stage.hosts == [("elsewhere.invalid", 80, False)]


async def test_variables_of_the_trial_are_given(stage: Stage) -> None:
    shown = await stage.show('echo "$REPORT"', variables={"REPORT": "here"})

    assert shown.output == "here\n"


async def test_a_command_that_does_not_end_is_ended_and_has_no_exit_code(stage: Stage) -> None:
    shown = await stage.show("echo begun; exec tail -f /dev/null", seconds=1)

    assert shown.evidence.exit_code is None
    assert said(shown) == ["begun", "(it had not ended after 1 s, and was ended)"]


async def test_what_it_starts_in_the_background_dies_with_it(stage: Stage) -> None:
    mark = f"nothing-{os.getpid()}"
    daemon = f"setsid sh -c 'touch up; exec tail -f /dev/null {mark}' >/dev/null 2>&1 &"
    shown = await stage.show(f"{daemon} while ! [ -e up ]; do :; done; echo started")

    assert shown.output == "started\n"
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
async def test_no_checkout_and_no_report_of_the_sandbox_is_left(stage: Stage, command: str) -> None:
    await stage.show(command)

    assert sorted(path.name for path in stage.ready.directory.rglob("*") if path.is_dir()) == [
        "evidence",
        "proving",
    ]
    assert list(stage.place.iterdir()) == []


async def test_each_trial_finds_the_tree_as_it_was_committed(stage: Stage) -> None:
    spoil = "echo x > left; echo changed > SPEC.md; echo x > ~/left"
    assert (await stage.show(spoil)).evidence.exit_code == 0

    look = "cat SPEC.md; ls left ~/left 2>/dev/null; git status --porcelain"

    assert said(await stage.show(look)) == ["# A greeting"]


async def test_secrets_are_not_in_the_log(stage: Stage) -> None:
    stage.commit(**{"say.sh": f"echo {SECRET[:12]}''{SECRET[12:]}\n"})

    shown = await stage.show("sh say.sh")

    assert shown.output == "***\n"
    assert stage.logs.path_of(shown.evidence.log).read_text() == "***\n"


async def test_of_a_very_long_log_both_ends_are_kept(stage: Stage) -> None:
    shown = await stage.show("echo first; head -c 9000000 /dev/zero | tr '\\0' x; echo; echo last")

    text = stage.logs.read(shown.evidence.log)
    assert text is not None
    first, cut, last = text.partition(f"\n… ({9000012 - (8 << 20)} more) …\n")
    assert cut
    assert (first[:7], len(first)) == ("first\nx", 4 << 20)
    assert (last[-7:], len(last)) == ("x\nlast\n", 4 << 20)
    assert shown.output == text[-8000:]


async def test_only_files_that_the_command_wrote_are_collected(stage: Stage) -> None:
    stage.commit(
        **{"reports/forged.xml": "<all passed>", "reports/written.xml": "<old>", "deep/a/b.txt": ""}
    )
    write = (
        "echo new > reports/written.xml; cp reports/written.xml reports/more.xml; echo n > a.xml;"
        " ln -s /etc/passwd reports/link.xml; mkdir -p deep/a/c; echo d > deep/a/c/d.xml;"
        " ln -s /etc elsewhere"
    )

    shown = await stage.show(write, collect=("reports/*.xml", "deep/**/*.xml", "elsewhere/passwd"))

    assert shown.files == {
        "deep/a/c/d.xml": b"d\n",
        "reports/more.xml": b"new\n",
        "reports/written.xml": b"new\n",
    }


async def test_a_run_that_is_to_stop_ends_the_command_and_nothing_was_found_out(
    stage: Stage,
) -> None:
    showing = asyncio.ensure_future(stage.show_until_stopped("touch begun; exec tail -f /dev/null"))
    await asyncio.to_thread(until_there, stage.ground.tree.work / "begun")
    stage.stop.set()

    assert await showing == CommandStopped()
    assert list(stage.place.iterdir()) == []
    assert await stage.show_until_stopped("true") == CommandStopped()


async def test_a_setup_that_is_stopped_is_not_kept(tmp_path: Path) -> None:
    stage = await staged(tmp_path, {"project.setup": "touch begun; exec tail -f /dev/null"})
    showing = asyncio.ensure_future(stage.show_until_stopped("true"))
    await asyncio.to_thread(until_there, stage.ground.tree.work / "begun")
    stage.stop.set()

    assert await showing == CommandStopped()
    assert list(stage.place.iterdir()) == []


async def test_a_commit_that_is_not_there_is_an_error_in_words(stage: Stage) -> None:
    with pytest.raises(ProjectError, match="has no commit 000000"):
        await stage.ground.run(CheckCommand("true", "0" * 40, "after", 60))


async def test_what_a_killed_process_left_is_swept(stage: Stage) -> None:
    for name in ("work", "home", "bases/building"):
        (stage.place / name).mkdir(parents=True)
        (stage.place / name / "left").touch()
    (stage.place / "index").touch()

    assert said(await stage.show("ls; ls ~")) == ["SPEC.md"]
    assert [path.name for path in stage.place.rglob("*")] == ["bases"]


async def test_trials_that_are_asked_for_at_once_take_turns(stage: Stage) -> None:
    shown = await asyncio.gather(*(stage.show(f"echo {n} > n; cat n") for n in range(3)))

    assert [each.output for each in shown] == ["0\n", "1\n", "2\n"]


async def test_the_same_surroundings_have_the_same_hash(stage: Stage) -> None:
    first, again = await stage.show("true"), await stage.show("false")
    other = await stage.show("true", variables={"A": "b"})

    assert first.evidence.fingerprint == again.evidence.fingerprint
    assert first.evidence.fingerprint != other.evidence.fingerprint


async def test_without_a_sandbox_the_checkout_is_apart_all_the_same(tmp_path: Path) -> None:
    stage = await staged(tmp_path, confined=False)

    shown = await stage.show("pwd; echo $HOME; ls; echo x > left; exit 4")

    assert said(shown) == [str(stage.ground.tree.work), str(stage.ground.tree.home), "SPEC.md"]
    assert shown.evidence.exit_code == 4
    assert stage.repository.git("status", "--porcelain") == ""


async def test_a_setup_command_runs_once_for_the_same_tree(tmp_path: Path) -> None:
    setup = "date +%N > installed; pwd > where; echo s > ~/tool; echo changed > SPEC.md"
    stage = await staged(tmp_path, {"project.setup": setup})
    spoil = await stage.show("cat installed; echo x > installed; echo x > ~/tool; echo x > left")
    stage.repository.git("commit", "--quiet", "--allow-empty", "--message", "The same files")

    look = "cat installed where ~/tool SPEC.md; ls"
    shown = await stage.show(look)

    installed = spoil.output.strip()
    assert said(shown) == [
        installed,
        str(stage.ground.tree.work),
        "s",
        "# A greeting",
        *("SPEC.md", "installed", "where"),
    ]
    assert [path.name for path in stage.place.iterdir()] == ["bases"]


async def test_another_tree_is_another_base_and_only_two_are_kept(tmp_path: Path) -> None:
    stage = await staged(tmp_path, {"project.setup": "cat package.json > installed"})
    shown = []
    for version in ("1", "2", "3"):
        stage.commit(**{"package.json": f"{version}\n", f"only-{version}": ""})
        stage.repository.git("rm", "--quiet", "--cached", f"only-{version}")
        shown.append((await stage.show("cat installed")).output)

    assert shown == ["1\n", "2\n", "3\n"]
    assert len(list((stage.place / "bases").iterdir())) == 2


async def test_what_was_built_from_an_earlier_tree_does_not_stand_in_for_a_later_one(
    tmp_path: Path,
) -> None:
    stage = await staged(tmp_path, {"project.setup": ". ./build"})
    stage.commit(**{"build": "cp source built\n", "source": "right\n"})
    right = await stage.show("grep -q right built")
    stage.commit(source="wrong\n")
    wrong = await stage.show("grep -q right built")

    assert (right.evidence.exit_code, wrong.evidence.exit_code) == (0, 1)


async def test_a_filter_of_the_users_that_the_commit_names_is_not_started(stage: Stage) -> None:
    started = stage.ready.directory / "started"
    stage.repository.git("config", "filter.own.smudge", "sh tools/smudge")
    stage.commit(**{"tools/smudge": f"touch {started}; cat\n", "a.txt": "a\n"})
    stage.commit(**{".gitattributes": "*.txt filter=own\n"})

    assert said(await stage.show("cat a.txt; git status --porcelain")) == ["a"]
    assert not started.exists()


async def test_a_repository_that_a_setup_command_puts_at_a_submodule_is_not_looked_into(
    tmp_path: Path,
) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "part" / ".git").mkdir(parents=True)
    setup = (
        "git init --quiet part && rm part/.git/HEAD && mkfifo part/.git/HEAD && echo b > part/built"
        f"; rm -rf folder; ln -s {elsewhere} folder"
    )
    stage = await staged(tmp_path, {"project.setup": setup})
    part = stage.commit(**{"a.txt": "a\n"})
    for path in ("part", "folder/part"):
        stage.repository.git("update-index", "--add", "--cacheinfo", f"160000,{part},{path}")
    stage.repository.git("commit", "--quiet", "--message", "Parts")

    assert said(await stage.show("cat part/built")) == ["b"]
    assert (elsewhere / "part" / ".git").is_dir()


async def test_files_that_only_the_commit_of_the_base_had_are_gone(tmp_path: Path) -> None:
    stage = await staged(tmp_path, {"project.setup": "touch installed"})
    stage.commit(**{"old/deep.txt": "old\n"})
    assert said(await stage.show("ls old")) == ["deep.txt"]
    stage.repository.git("rm", "--quiet", "-r", "old")

    shown = await stage.show("ls", stage.commit(**{"new.txt": "new\n"}))

    assert said(shown) == ["SPEC.md", "installed", "new.txt"]


async def test_a_setup_that_fails_is_told_before_the_output_and_tried_again(tmp_path: Path) -> None:
    stage = await staged(tmp_path, {"project.setup": "echo no luck; test -e lucky"})

    shown = await stage.show("echo ran")
    stage.commit(lucky="")
    later = await stage.show("echo ran")

    assert said(shown) == ["no luck", "(setting up failed with exit code 1)", "", "ran"]
    assert shown.evidence.exit_code == 0
    assert said(later) == ["ran"]


async def test_the_stored_base_is_found_by_the_next_process(tmp_path: Path) -> None:
    stage = await staged(tmp_path, {"project.setup": "date +%N > installed"})
    first = await stage.show("cat installed")
    ground = stage.ground
    anew = replace(stage, ground=type(ground)(ground.bounds, ground.tree, ground.logs))

    assert (await anew.show("cat installed")).output == first.output
