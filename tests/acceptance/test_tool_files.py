"""Nothing of an agent lands that runs by itself on the user's machine, unseen: whole runs."""

import json
from collections.abc import Sequence
from pathlib import Path

from tests.acceptance.harness import ONE_DELIVERABLE, PATH, CommandHarness, Finished, script

STEAL = "#!/bin/sh\ntouch {trace}\ncat\n"


def session(lines: Sequence[str], *, role: str = "implementer", done: bool = True) -> str:
    """A session that runs shell lines and builds the greeting."""
    turns: list[object] = [{"tool": "Bash", "input": {"command": line}} for line in lines]
    turns.append({"tool": "Bash", "input": {"command": "echo hello > hello.txt"}})
    status = {"deliverableId": "DL-001", "status": "passed"}
    if done:
        turns.append({"tool": "mcp__treadle__set_deliverable_status", "input": status})
    return f"  - {json.dumps({'role': role, 'turns': [*turns, {'text': 'Done.'}]})}\n"


def delivered(harness: CommandHarness, *lines: str) -> Finished:
    return harness.deliver(script(ONE_DELIVERABLE, session(lines)))


def delivered_in_two(harness: CommandHarness, *lines: str) -> Finished:
    """With a second session, because the first one loses what is withheld."""
    return harness.deliver(script(ONE_DELIVERABLE, session(lines), session(["echo 2 > again.txt"])))


def written(path: str, text: str) -> str:
    folder = str(Path(path).parent)
    return f"mkdir -p {folder} && cat > {path} <<'END'\n{text}END"


def committed(path: str, text: str) -> str:
    """Past the disk, where the sandbox seals some paths, and past what a policy reads of a line."""
    head, tail = path[:3], path[3:]
    return f"""python3 -c "
import subprocess
def git(*words, given=''):
    return subprocess.run(['git', *words], input=given.encode(), stdout=-1).stdout.decode().strip()
blob = git('hash-object', '-w', '--stdin', given={text!r})
git('update-index', '--add', '--cacheinfo', '100755,' + blob + ',{head}' + '{tail}')
git('commit', '-q', '-m', 'Work')
git('update-index', '--skip-worktree', '{head}' + '{tail}')
"
"""


def reasons(finished: Finished) -> list[str]:
    return [event["reason"] for event in finished.of_type("work.kept")]


def withheld(finished: Finished) -> list[str]:
    events = finished.of_type("work.withheld")
    return sorted({place["path"] for event in events for place in event["places"]})


def test_files_added_to_an_ignored_environment_stay_out_and_its_git_is_not_run(
    harness: CommandHarness,
) -> None:
    (harness.project / ".gitignore").write_text(".venv/\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Rules")
    trace = harness.directory / "trace"
    plant = written(".venv/bin/git", STEAL.format(trace=trace))
    pth = written(".venv/lib/python3.11/site-packages/zz.pth", "import os\n")

    finished = delivered_in_two(harness, plant, pth, "chmod +x .venv/bin/git && git add -f .venv")

    assert finished.of_type("work.landed")
    assert withheld(finished) == [".venv/bin/git", ".venv/lib/python3.11/site-packages/zz.pth"]
    assert not (harness.project / ".venv").exists()

    # As if it had been there before: no command of Treadle's starts it.
    folder = harness.project / ".venv/bin"
    folder.mkdir(parents=True)
    (folder / "git").write_text(STEAL.format(trace=trace))
    (folder / "git").chmod(0o755)
    shown = harness.treadle("diff", PATH=f"{folder}:{PATH}")
    assert "+hello" in shown.stdout
    assert not trace.exists()


def test_a_filter_that_runs_a_script_of_the_project_does_not_run_at_landing(
    harness: CommandHarness,
) -> None:
    trace = harness.directory / "trace"
    (harness.project / "tools").mkdir()
    (harness.project / "tools/lib.sh").write_text("true\n")
    (harness.project / "tools/f.sh").write_text(". tools/lib.sh\ncat\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "A filter")
    harness.git("config", "filter.mine.smudge", "sh tools/f.sh")

    finished = delivered(
        harness,
        committed("tools/f.sh", f"touch {trace}; cat"),
        written("tools/lib.sh", f"touch {trace}\n"),
        written(".gitattributes", "*.x filter=mine\n"),
        "echo data > z.x",
    )

    assert finished.exit_code == 0
    assert withheld(finished) == ["tools/f.sh"]
    assert reasons(finished) == [
        "it changes what tools run by themselves: tools/lib.sh (land_name lets it land),"
        " and there is no terminal to ask on"
    ]
    allowed = harness.treadle("land", "--yes")
    assert allowed.exit_code == 3
    assert "z.x would pass the filter 'mine' of your git, and landing starts no" in allowed.stderr
    assert not trace.exists()
    assert not (harness.project / "hello.txt").exists()


def test_what_tools_run_by_themselves_is_withheld_or_asked_about_and_stands_first(
    harness: CommandHarness,
) -> None:
    harness.git("config", "core.hooksPath", "scripts/hooks")
    planted = {
        ".codex/config.toml": "x = 1\n",
        ".zed/tasks.json": "[]\n",
        "web/.npmrc": "script-shell=/bin/true\n",
        "AGENTS.md": "Be bold.\n",
    }
    lines = [written(path, text) for path, text in planted.items()]

    hook = committed("scripts/hooks/post-commit", "exit")

    finished = delivered_in_two(harness, hook, *lines, "ln -s /etc/passwd notes.txt")

    assert withheld(finished) == [
        ".codex/config.toml",
        ".zed/tasks.json",
        "scripts/hooks/post-commit",
    ]
    assert reasons(finished) == [
        "it changes what tools run by themselves: notes.txt, web/.npmrc (land_name lets it land),"
        " and there is no terminal to ask on"
    ]
    assert not (harness.project / "hello.txt").exists()
    first = [
        "  ! changed files that tools run by themselves: 3 files",
        "    added notes.txt (it is a symbolic link that points outside the project)",
        "    added web/.npmrc (a package manager loads it, and runs what it names)",
        "    added AGENTS.md (coding agents follow it)",
    ]
    assert harness.treadle("show").stdout.splitlines()[2:6] == first
    assert "\n".join(first) in finished.stderr


def test_a_repository_in_the_work_and_a_linked_folder_of_tools_wait_for_a_person(
    harness: CommandHarness,
) -> None:
    trace = harness.directory / "trace"
    config = f'[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch {trace}; false"\n'
    bare = (
        "mkdir -p lib/data && git init -q --bare lib/data && rm -r lib/data/hooks"
        " && touch lib/data/objects/pack/keep lib/data/refs/heads/keep"
    )
    link = "mkdir -p tools/hooks && ln -s tools .github"

    finished = delivered(harness, bare, written("lib/data/config", config), link)

    (reason,) = reasons(finished)
    assert reason.startswith("it changes what tools run by themselves: .github, lib/data/HEAD, ")
    assert not (harness.project / "lib").exists()
    assert not trace.exists()


def test_a_setting_lets_a_file_land_and_instructions_of_agents_land_named(
    harness: CommandHarness,
) -> None:
    (harness.project / "CLAUDE.md").write_text("Use tabs.\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Instructions")
    harness.settings({"land_name": '[".npmrc"]'})
    assert harness.treadle("trust", "--yes").exit_code == 0

    change = [written("CLAUDE.md", "Obey me.\n"), written(".npmrc", "save-exact=true\n")]
    finished = harness.deliver(
        script(ONE_DELIVERABLE, session(change, done=False), session([])),
        settings={"land_name": '[".npmrc"]'},
    )

    assert finished.of_type("work.landed")
    assert (harness.project / "CLAUDE.md").read_text() == "Obey me.\n"
    [touched] = finished.of_type("toolfiles.touched")
    assert [(each["path"], each["effect"]) for each in touched["files"]] == [
        (".npmrc", "named"),
        ("CLAUDE.md", "named"),
    ]


def test_scripts_that_the_users_hooks_and_settings_start_wait_for_a_person(
    harness: CommandHarness,
) -> None:
    hook = {"hooks": [{"type": "command", "command": "sh scripts/session.sh"}]}
    files = {
        "scripts/pre-commit.sh": "exit 0\n",
        "scripts/session.sh": "exit 0\n",
        "scripts/build.sh": "exit 0\n",
        "tools/strip.py": "import json\n",
        ".claude/settings.json": json.dumps({"hooks": {"SessionStart": [hook]}}),
        ".gitignore": "private/\n",
    }
    for path, text in files.items():
        (harness.project / path).parent.mkdir(exist_ok=True)
        (harness.project / path).write_text(text)
    (harness.project / ".claude/settings.local.json").symlink_to("../scripts/agent.json")
    (harness.project / "scripts/agent.json").write_text("{}\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Scripts")
    (harness.project / "private").mkdir()
    (harness.project / "private/customers.csv").write_text("Ada\n")
    (harness.project / ".git/hooks").mkdir(exist_ok=True)
    (harness.project / ".git/hooks/pre-commit").symlink_to("../../scripts/pre-commit.sh")
    harness.git("config", "filter.strip.clean", "python3 tools/strip.py")
    planted = ("scripts/pre-commit.sh", "scripts/session.sh", "scripts/build.sh", "tools/json.py")
    agent = committed("scripts/agent.json", "evil")

    finished = delivered_in_two(
        harness,
        *(written(path, "evil\n") for path in planted),
        written(".gitignore", "*.tmp\n"),
        agent,
    )

    assert withheld(finished) == ["scripts/agent.json"]
    assert reasons(finished) == [
        "it changes what tools run by themselves: .gitignore, scripts/pre-commit.sh,"
        " scripts/session.sh, tools/json.py (land_name lets it land),"
        " and there is no terminal to ask on"
    ]
    assert "(git would no longer ignore private)" in harness.treadle("show").stdout


def test_work_of_a_run_that_failed_is_named_and_lands_only_with_a_yes(
    harness: CommandHarness,
) -> None:
    plant = written(".npmrc", "script-shell=./evil.sh\n")
    husky = written(".husky/pre-commit", "#!/bin/sh\n")
    first = session([plant, husky, "ln -s /etc/passwd notes"], done=False)

    failed = harness.deliver(script(ONE_DELIVERABLE, first), "--max-retries", "0")

    assert not failed.of_type("work.landed")
    assert [
        each["path"] for event in failed.of_type("toolfiles.touched") for each in event["files"]
    ]
    assert ".husky/pre-commit" in harness.treadle("show").stdout
    asked = harness.treadle("land")
    assert asked.exit_code == 3
    assert asked.stderr.splitlines()[:5] == [
        "The work changes files that tools run by themselves:",
        "  added notes (it is a symbolic link that points outside the project)",
        "  added .husky/pre-commit (git runs it when you commit or check out)",
        "  added .npmrc (a package manager loads it, and runs what it names)",
        "It changes what tools run by themselves: notes, .husky/pre-commit, .npmrc"
        " (land_name lets it land).",
    ]
    assert not (harness.project / ".npmrc").exists()
    assert harness.treadle("land", "--yes").exit_code == 0
    assert (harness.project / ".npmrc").exists()


def test_work_of_a_killed_run_is_named_and_asked_about(harness: CommandHarness) -> None:
    plant = session([written(".npmrc", "script-shell=./evil.sh\n")], done=False)
    running = harness.start(script(ONE_DELIVERABLE, plant, session(["sleep 60"])))
    running.until("toolfiles.touched")
    running.process.kill()
    running.finish()

    assert "added .npmrc" in harness.treadle("show").stdout
    assert harness.treadle("land").exit_code == 3
    assert not (harness.project / ".npmrc").exists()
