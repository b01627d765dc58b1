"""`treadle focus` with the real binary: plan, one task at a time, review against the specs."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import CommandHarness, Finished, assert_all_gone, script

REPOSITORY = Path(__file__).resolve().parents[2]
SPECS = "# Greeting\n\nhello.txt says hello.\nbye.txt says bye.\nmore.txt says more.\n"

PLAN = "# Plan\n\n## Tasks\n- [ ] hello\n- [ ] bye\n- [ ] more\n"
MENDING = "# Plan\n\n## Tasks\n- [ ] mend the farewell\n"


def said(kind: str, text: str) -> str:
    lines = f"<{kind}>\n{text}\n</{kind}>"
    return "".join(f"          {line}\n" for line in lines.splitlines())


def planner(plan: str) -> str:
    text = "".join(f"            {line}\n" if line else "\n" for line in plan.splitlines())
    return (
        "  - role: planner\n    turns:\n      - tool: mcp__treadle__write_plan\n"
        f"        input:\n          text: |\n{text}"
        f"      - text: |\n{said('PLAN_COMPLETE', 'The plan is written.')}"
    )


def task(file: str, content: str, kind: str, text: str, *, before: str = "") -> str:
    return (
        f"  - role: implementer\n    turns:\n{before}      - tool: Write\n"
        f'        input: {{file_path: {file}, content: "{content}\\n"}}\n'
        f"      - text: |\n{said(kind, text)}"
    )


def reviewer(kind: str, findings: str = "") -> str:
    written = (
        "      - tool: mcp__treadle__write_review\n        input:\n          findings:\n"
        f"            - {findings}\n"
    )
    return (
        f"  - role: reviewer\n    turns:\n{written if findings else ''}"
        f"      - text: |\n{said(kind, 'Reviewed.')}"
    )


READ = "      - tool: Read\n        input: {file_path: bye.txt}\n"
MEDDLE = "      - tool: Write\n        input: {file_path: specs/greeting.md, content: other}\n"
WRONG = "{severity: major, text: bye.txt must say bye, file: bye.txt, quote: by}"

WHOLE = script(
    planner(PLAN),
    task("hello.txt", "hello", "PROGRESS", "Write the greeting\n\nThe farewell is next."),
    task("bye.txt", "by", "PROGRESS", "Write the farewell", before=MEDDLE),
    task("more.txt", "more", "DONE", "Write the rest"),
    reviewer("REQUEST_CHANGES", WRONG),
    planner(MENDING),
    task("bye.txt", "bye", "DONE", "Mend the farewell", before=READ),
    reviewer("APPROVED"),
)


@pytest.fixture
def harness(tmp_path: Path) -> CommandHarness:
    harness = CommandHarness(tmp_path)
    (harness.project / "specs").mkdir()
    (harness.project / "specs" / "greeting.md").write_text(SPECS)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "What is wanted")
    return harness


def focus(harness: CommandHarness, rehearsal: str, *options: str, **settings: str) -> Finished:
    return harness.treadle(*_words(harness, rehearsal, *options, **settings))


def _words(harness: CommandHarness, rehearsal: str, *options: str, **settings: str) -> list[str]:
    harness.settings({f"project.{name}": value for name, value in settings.items()})
    path = harness.directory / "script.yaml"
    path.write_text(rehearsal)
    return ["rehearse", str(path), "--", "focus", "Greet people", "--json", *options]


def messages(finished: Finished) -> list[str]:
    return [event["message"] for event in finished.of_type("work.committed")]


def working_files(harness: CommandHarness) -> list[str]:
    folder = harness.project / ".treadle" / "wip"
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def history(harness: CommandHarness, run: str) -> dict[str, str]:
    folder = harness.root / "runs" / run / "wip"
    return {path.name.removeprefix(run): path.read_text() for path in folder.iterdir()}


def test_three_tasks_one_rejected_review_and_an_approval(harness: CommandHarness) -> None:
    finished = focus(harness, WHOLE, check='"test -f more.txt"', setup='"true"')

    assert (finished.exit_code, finished.result["reason"]) == (0, "approved"), finished.stderr
    assert finished.result["rounds"] == 2
    assert messages(finished) == [
        "Write the greeting\n\nThe farewell is next.",
        "Write the farewell",
        "Write the rest",
        "Mend the farewell",
    ]
    assert harness.git("log", "--format=%s").splitlines()[:4] == [
        "Mend the farewell",
        "Write the rest",
        "Write the farewell",
        "Write the greeting",
    ]
    codes = [event["exit_code"] for event in finished.of_type("command.finished")]
    assert codes == [1, 1, 1, 0, 0, 0]
    in_workspace = [each for each in finished.of_type("setup.finished") if not each["commit"]]
    assert len(in_workspace) == 3
    run = finished.events[0]["run"]
    assert working_files(harness) == []
    kept = history(harness, run)
    assert kept[".md"] == f"{MENDING}\n# Progress Log\n\n<DONE>\nMend the farewell\n</DONE>\n"
    assert kept[".round-1.md"].startswith(PLAN)
    assert sorted(kept) == [".md", ".round-1.md", ".round-1.review.md", ".round-2.review.md"]
    # The agent may not touch what it is held against.
    assert harness.git("diff", "--stat", "HEAD~4", "HEAD", "--", "specs") == ""
    denied = [e for e in finished.of_type("tool.decided") if e["decision"] == "deny"]
    assert [event["rule"] for event in denied] == ["write-protected"]
    assert_all_gone(finished)


READ_ONLY = """\
  - role: reviewer
    turns:
      - tool: Bash
        input: {command: 'echo changed > hello.txt; git status --short; git log -1 --format=%s'}
      - tool: Bash
        input: {command: 'cp -r . /tmp/a && (cd /tmp/a && echo built > out.txt && cat out.txt)'}
      - tool: Bash
        input: {command: 'echo kept > ~/notes.txt && cat ~/notes.txt'}
"""


def test_a_reviewer_runs_what_it_likes_in_a_workspace_that_it_cannot_change(
    harness: CommandHarness,
) -> None:
    review = f"{READ_ONLY}      - text: |\n{said('APPROVED', 'Reviewed.')}"
    work = task("hello.txt", "hello", "DONE", "Write the greeting")

    finished = focus(harness, script(planner(PLAN), work, review))

    assert (finished.exit_code, finished.result["reason"]) == (0, "approved"), finished.stderr
    shell = [event for event in finished.of_type("tool.decided") if event["name"] == "Bash"]
    assert [(event["decision"], event["rule"]) for event in shell] == [("allow", "light")] * 3
    ids = [event["id"] for event in shell]
    outputs = [e["output"] for e in finished.of_type("tool.finished") if e["id"] in ids]
    assert "Read-only file system" in outputs[0]
    assert outputs[0].endswith("Write the greeting")
    assert outputs[1:] == ["built", "kept"]
    assert (harness.project / "hello.txt").read_text() == "hello\n"


def test_an_approval_of_nothing_is_said_in_words_of_its_own(harness: CommandHarness) -> None:
    idle = f"  - role: implementer\n    turns:\n      - text: |\n{said('DONE', 'All is there')}"

    finished = focus(harness, script(planner(PLAN), idle, reviewer("APPROVED")))

    assert (finished.exit_code, finished.result["reason"]) == (0, "approved"), finished.stderr
    warned = [event["message"] for event in finished.of_type("run.warned")]
    assert "the review approved, and nothing was changed" in warned
    assert not [message for message in warned if "claimed" in message]


def test_a_spec_issue_ends_the_run_and_is_saved(harness: CommandHarness) -> None:
    issue = f"  - role: implementer\n    turns:\n      - text: |\n{said('SPEC_ISSUE', 'Which?')}"
    first = task("hello.txt", "hello", "PROGRESS", "Write the greeting")

    finished = focus(harness, script(planner(PLAN), first, issue))

    assert (finished.exit_code, finished.result["reason"]) == (3, "spec_issue")
    [saved] = finished.of_type("issue.saved")
    assert (harness.project / saved["path"]).read_text().endswith("Greet people\n\nWhich?\n")
    assert saved["path"] in finished.stderr
    # What was done so far stays on its branch.
    branch = finished.of_type("work.imported")[0]["branch"]
    assert harness.git("show", f"{branch}:hello.txt") == "hello"
    refused = harness.treadle("resume", "last")
    assert (refused.exit_code, "found an issue with the specifications" in refused.stderr) == (
        2,
        True,
    )


def test_what_cannot_be_worked_on_is_said_before_a_run_exists(harness: CommandHarness) -> None:
    said = [
        harness.treadle("focus", " "),
        harness.treadle("focus", "Greet", "--review", "nowhere.md"),
    ]
    said.append(harness.treadle("focus", "Greet", TREADLE_PROJECT__SPECS="plans"))

    assert [finished.exit_code for finished in said] == [2, 2, 2]
    assert "treadle: say what to work on" in said[0].stderr
    assert "cannot read the review" in said[1].stderr
    assert said[2].stderr == (
        f"treadle: there is no folder plans/ in {harness.project}\n"
        "  hint: put your specifications there, or name the folder with project.specs\n"
    )
    assert not (harness.root / "runs").exists()


def test_a_person_s_review_starts_the_run_and_work_can_land_as_files(
    harness: CommandHarness,
) -> None:
    (harness.directory / "review.md").write_text("Greet louder.\n")
    rehearsal = script(
        planner(PLAN).replace("- tool: mcp__", "- expect: Greet louder.\n        tool: mcp__"),
        task("hello.txt", "HELLO", "DONE", "Greet louder"),
        reviewer("APPROVED"),
    )
    words = _words(harness, rehearsal, "--review", str(harness.directory / "review.md"))
    with (harness.project / "treadle.toml").open("a") as file:
        file.write("commit = false\n")

    finished = harness.treadle(*words)

    assert (finished.exit_code, finished.result["reason"]) == (0, "approved"), finished.stderr
    assert harness.git("status", "--porcelain") == "?? hello.txt"
    assert [event["form"] for event in finished.of_type("work.landed")] == ["files"]


# One that was cut after its last words is asked to go on, and says them again.
SHORT = script(
    planner(PLAN) + f"      - text: |\n{said('PLAN_COMPLETE', 'Again.')}        optional: true\n",
    task("hello.txt", "hello", "DONE", "Write the greeting")
    + f"      - text: |\n{said('DONE', 'Write the greeting')}        optional: true\n",
    reviewer("APPROVED") + f"      - text: |\n{said('APPROVED', 'Again.')}        optional: true\n",
)

APPEND = "treadle.adapters.stores.event_store:EventStore.append"


def _killed(harness: CommandHarness, spot: str, words: list[str]) -> int:
    """Start it in a process that dies at this spot."""
    launch = (
        f"import sys; sys.path[0] = {str(REPOSITORY)!r};"
        "from tests.crash_matrix.spots import AtStep, Call, plant;"
        f"plant({spot});"
        "from treadle.cli.main import run; sys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", launch, *words],
        cwd=harness.project,
        env=harness.environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=100,
        check=False,
    )
    return done.returncode


@pytest.mark.parametrize(
    ("spot", "shown"),
    [
        (f"Call({APPEND!r}, 'after', ('tool.finished',))", [".plan.md"]),  # planning
        ("AtStep('setup 1', 'acted')", [".md"]),  # setting up
        (f"Call({APPEND!r}, 'after', ('tool.finished',), 2)", [".md"]),  # implementing
        ("AtStep('home 2', 'acted')", [".md"]),  # committing
        (f"Call({APPEND!r}, 'after', ('signal.given',), 3)", [".md"]),  # reviewing
    ],
)
def test_a_run_that_is_killed_in_any_phase_goes_on_where_it_was(
    harness: CommandHarness, spot: str, shown: list[str]
) -> None:
    words = _words(harness, SHORT, check='"true"', setup='"true"')
    assert _killed(harness, spot, words) == -9
    [run] = [path.name for path in (harness.root / "runs").iterdir()]
    assert working_files(harness) == [f"{run}{ending}" for ending in shown]

    resumed = harness.treadle("resume", run, "--json")

    assert (resumed.exit_code, resumed.result["reason"]) == (0, "approved"), resumed.stderr
    log = harness.treadle("logs", run, "--json")
    assert [types(log, name) for name in ("work.committed", "review.judged", "work.landed")] == [
        1,
        1,
        1,
    ]
    assert harness.git("log", "--format=%s").splitlines()[0] == "Write the greeting"
    assert working_files(harness) == []
    assert history(harness, run)[".md"].startswith(PLAN)


def types(log: Finished, name: str) -> int:
    found: list[Any] = log.of_type(name)
    return len(found)
