"""`treadle watch` with the real binary: a backlog that is edited, unclear, broken and killed."""

import json
import signal
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.harness import CommandHarness, Finished, Running, assert_all_gone, script
from tests.acceptance.test_focus import planner, reviewer, said, task

# Twenty sessions of the agent.
pytestmark = pytest.mark.timeout(400)


def work(file: str) -> tuple[str, str, str]:
    """The sessions of an item that writes this file."""
    # A session that was killed after its last words says them again.
    again = f"      - text: |\n{said('DONE', f'Write {file}')}        optional: true\n"
    plan = f"# Plan\n\n## Tasks\n- [ ] {file}\n"
    return planner(plan), task(file, file, "DONE", f"Write {file}") + again, reviewer("APPROVED")


UNCLEAR = f"  - role: planner\n    turns:\n      - text: |\n{said('SPEC_ISSUE', 'Which one?')}"
BROKEN = (
    "  - role: planner\n    turns:\n      - error: {status: 400, message: It is broken}\n"
    "        repeat: forever\n"
)
AUDIT = (
    "  - role: auditor\n    turns:\n      - tool: mcp__treadle__add_finding\n"
    "        input: {title: The greeting is not polite, text: It says hello.}\n"
    "      - tool: mcp__treadle__add_finding\n"
    "        input: {title: Nobody likes this, text: It was dismissed before.}\n"
)
STAYING = f"{AUDIT}      - hang: true\n        optional: true\n"

STORY = script(
    *work("hello.txt"),
    *work("hello-2.txt"),
    UNCLEAR,
    *work("clear.txt"),
    BROKEN,
    *work("killed.txt"),
    *work("last.txt"),
    STAYING,
    *work("new.txt"),
    AUDIT.replace("The greeting is not polite", "Not polite - the greeting")
    + "      - text: That is all.\n",
)

SETTLED = "# Greeting\n\nThe first one.\n"
ENDS = [
    ("010-hello.md", "approved"),
    ("010-hello.md", "approved"),
    ("020-unclear.md", "spec_issue"),
    ("020-unclear.md", "approved"),
    ("030-broken.md", "max_retries_exceeded"),
    ("040-killed.md", "approved"),
    ("050-last.md", "approved"),
    ("audit", "cancelled"),
    ("060-new.md", "approved"),
    ("audit", "audited"),
]


class Watch:
    """A watch at work, whose lines are read one by one."""

    def __init__(self, harness: CommandHarness, words: list[str]) -> None:
        # Two may be at work at once.
        self.stderr = harness.directory / f"stderr-{words[0]}-{words[1][-8:]}.txt"
        with self.stderr.open("w") as file:
            process = subprocess.Popen(
                [harness.command, *words],
                cwd=harness.project,
                env=harness.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        self.running = Running(process, self.stderr)
        self.until = self.running.until

    def end(self, number: signal.Signals) -> Finished:
        self.running.process.send_signal(number)
        return self.running.finish()


@pytest.fixture
def harness(tmp_path: Path) -> CommandHarness:
    harness = CommandHarness(tmp_path)
    (harness.project / "specs").mkdir()
    (harness.project / "specs" / "greeting.md").write_text("# Greeting\n\nSay it.\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "What is wanted")
    return harness


def backlog(harness: CommandHarness) -> Path:
    folder = harness.project / ".treadle" / "backlog"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def rehearsed(harness: CommandHarness, rehearsal: str, *words: str) -> list[str]:
    path = harness.directory / "script.yaml"
    path.write_text(rehearsal)
    return ["rehearse", str(path), "--", *words]


def log_of(harness: CommandHarness, run: str) -> list[dict[str, Any]]:
    found = harness.treadle("logs", run, "--json")
    return [json.loads(line)["event"] for line in found.stdout.splitlines()]


def edited_and_unclear(harness: CommandHarness, watch: Watch) -> None:
    """The item and, as a commit, the specification are edited while it is worked on; an unclear
    specification waits for a person, who settles it without an agent."""
    items, specs = backlog(harness), harness.project / "specs" / "greeting.md"
    watch.until("item.started", item="010-hello.md")
    watch.until("workspace.prepared")
    (items / "010-hello.md").write_text("# 010-hello, twice\n")
    specs.write_text("# Greeting\n\nSay it well.\n")
    harness.git("commit", "-qam", "Say how")
    assert watch.until("item.kept", item="010-hello.md")["reason"].startswith("it was changed")

    assert watch.until("wait.started", reason="spec_issue")["needs_person"]
    specs.write_text(SETTLED)
    assert "Which one?" in harness.treadle("discuss").stdout
    assert harness.treadle("discuss", "--dismiss", "Z").exit_code == 0
    watch.until("item.started", item="020-unclear.md")


def broken_and_killed(harness: CommandHarness, watch: Watch) -> None:
    """One that fails stays, with the reason beside it, and the next one is done; until somebody
    kills everything."""
    assert watch.until("item.kept")["item"] == "030-broken.md"
    assert "It is broken" in (backlog(harness) / "030-broken.md.failed.txt").read_text()
    watch.until("phase.started", phase="implementing")
    watch.until("tool.finished")
    assert_all_gone(watch.end(signal.SIGKILL))
    rows = json.loads(harness.treadle("ls", "--json").stdout)
    lost = sorted(row["workflow"] for row in rows if row["state"] == "lost")
    assert lost == ["focus", "watch"]


def audited(harness: CommandHarness, watch: Watch) -> str:
    """New work ends an audit at once; what that has handed over is kept. Returns its run."""
    audit = str(watch.until("item.started", workflow="audit")["run"])
    watch.until("finding.dropped")
    (backlog(harness) / "060-new.md").write_text("# 060-new\n")
    assert watch.until("item.ended", item="audit")["reason"] == "cancelled"
    watch.until("item.removed", item="060-new.md")
    watch.until("wait.started", reason="items_left")
    return audit


def test_a_backlog_that_is_edited_unclear_broken_and_killed(harness: CommandHarness) -> None:
    harness.settings({"watch.debounce_s": "0", "watch.audit": "true", "limits.max_retries": "0"})
    items = backlog(harness)
    for name in ("010-hello", "020-unclear", "030-broken", "040-killed", "050-last"):
        (items / f"{name}.md").write_text(f"# {name}\n")
    memory = harness.project / ".treadle" / "memory.md"
    memory.write_text("- Dismissed: Nobody likes this (because: we do)\n")

    watch = Watch(harness, rehearsed(harness, STORY, "watch", "--json"))
    queue = watch.until("run.started", workflow="watch")["run"]
    edited_and_unclear(harness, watch)
    broken_and_killed(harness, watch)
    watch = Watch(harness, ["resume", queue, "--json"])
    audit = audited(harness, watch)
    ended = watch.end(signal.SIGINT)

    assert (ended.exit_code, ended.result["reason"]) == (130, "interrupted"), ended.stderr
    log = log_of(harness, queue)
    assert [(e["item"], e["reason"]) for e in log if e["type"] == "item.ended"] == ENDS
    assert [e["item"] for e in log if e["type"] == "item.started"] == [item for item, _ in ENDS]
    assert sorted(path.name for path in items.iterdir()) == [
        "030-broken.md",
        "030-broken.md.failed.txt",
    ]
    found = [event["title"] for event in log_of(harness, audit) if event["type"] == "finding.saved"]
    assert found == ["The greeting is not polite"]
    # The second audit has found nothing that is not known.
    [finding] = (harness.project / ".treadle" / "discuss").iterdir()
    assert finding.name == "the-greeting-is-not-polite.md"
    assert_landed(harness)


def assert_landed(harness: CommandHarness) -> None:
    """All work has landed, once and in its order, beside the edit that is not committed."""
    written = ["hello.txt", "hello-2.txt", "clear.txt", "killed.txt", "last.txt", "new.txt"]
    texts = [(harness.project / name).read_text() for name in written]
    assert texts == [f"{name}\n" for name in written]
    subjects = harness.git("log", "--no-merges", "--reverse", "--format=%s").splitlines()
    assert [each for each in subjects if each.startswith("Write")] == [
        f"Write {name}" for name in written
    ]
    assert (harness.project / "specs" / "greeting.md").read_text() == SETTLED


def test_work_that_cannot_land_is_what_the_next_item_starts_from(harness: CommandHarness) -> None:
    harness.settings({})
    for name in ("010-hello", "020-bye"):
        (backlog(harness) / f"{name}.md").write_text(f"# {name}\n")
    story = script(*work("hello.txt"), *work("bye.txt"))

    watch = Watch(harness, rehearsed(harness, story, "watch", "--once", "--json"))
    watch.until("workspace.prepared")
    (harness.project / "mine.txt").write_text("mine\n")
    ended = watch.running.finish()

    assert (ended.exit_code, ended.result["reason"]) == (0, "queue_done"), ended.stderr
    types = [e["type"] for e in ended.of_type("work.kept", "work.continued", "work.landed")]
    assert types == ["work.kept", "work.continued", "work.landed"]
    texts = [(harness.project / f"{name}.txt").read_text() for name in ("hello", "bye", "mine")]
    assert texts == ["hello.txt\n", "bye.txt\n", "mine\n"]
    assert harness.git("status", "--porcelain") == ""
    subjects = harness.git("log", "--format=%s").splitlines()
    assert subjects[0] == "Write bye.txt"
    assert "Write hello.txt" in subjects


def test_the_money_of_a_day_ends_no_watch_and_costs_no_item(harness: CommandHarness) -> None:
    harness.settings({"watch.debounce_s": "0", "limits.day_cost_usd": "0.0001"})
    item = backlog(harness) / "010-hello.md"
    item.write_text("# Hello\n")

    watch = Watch(harness, rehearsed(harness, script(*work("hello.txt")), "watch", "--json"))
    ended = watch.until("item.ended")
    wait = watch.until("wait.started")
    done = watch.end(signal.SIGINT)

    assert (ended["reason"], "limits.day_cost_usd" in ended["message"]) == ("budget_exceeded", True)
    assert (wait["reason"], wait["needs_person"]) == ("day_limit", False)
    assert datetime.fromisoformat(wait["until"]) > datetime.now(UTC)
    assert done.result["reason"] == "interrupted", done.stderr
    # Nothing says that it failed, so it is done the next day.
    assert list(item.parent.iterdir()) == [item]


def test_audits_have_money_of_their_own_for_each_day(harness: CommandHarness) -> None:
    budget = {"watch.audit": "true", "watch.audit_daily_usd": "0.0001"}
    harness.settings({"watch.debounce_s": "0", **budget})
    story = script(f"{AUDIT}      - text: That is all.\n", *work("new.txt"))

    watch = Watch(harness, rehearsed(harness, story, "watch", "--json"))
    watch.until("item.ended", item="audit")
    (backlog(harness) / "010-new.md").write_text("# New\n")
    watch.until("item.removed", item="010-new.md")

    # The code has changed, and no audit looks at it before tomorrow.
    assert watch.until("wait.started")["reason"] == "empty"
    watch.end(signal.SIGINT)


def test_a_detached_watch_is_done_by_a_worker(harness: CommandHarness) -> None:
    harness.settings({})
    (backlog(harness) / "010-hello.md").write_text("# Hello\n")

    story = script(*work("hello.txt"))
    queued = harness.treadle(*rehearsed(harness, story, "watch", "--once", "--detach"))
    followed = harness.treadle("attach", queued.stdout.strip(), "--json")

    assert (followed.exit_code, followed.result["reason"]) == (0, "queue_done"), followed.stderr
    started = [each["workflow"] for each in followed.of_type("run.started")]
    ended = [each["result"]["reason"] for each in followed.of_type("run.ended")]
    assert (started, ended) == (["watch", "focus"], ["approved", "queue_done"])
    assert (harness.project / "hello.txt").read_text() == "hello.txt\n"


def test_a_watch_that_was_interrupted_while_it_waited_goes_on(harness: CommandHarness) -> None:
    harness.settings({"watch.debounce_s": "0"})
    watch = Watch(harness, rehearsed(harness, script(UNCLEAR), "watch", "--json"))
    watch.until("wait.started", reason="empty")
    interrupted = watch.end(signal.SIGINT)
    (backlog(harness) / "010-hello.md").write_text("# Hello\n")

    watch = Watch(harness, ["resume", "--json"])
    watch.until("item.ended", item="010-hello.md", reason="spec_issue")
    watch.until("wait.started", reason="spec_issue")

    assert interrupted.result["reason"] == "interrupted"
    assert watch.end(signal.SIGINT).result["reason"] == "interrupted"


def test_a_detached_watch_is_paused_with_the_run_of_its_item(harness: CommandHarness) -> None:
    harness.settings({"watch.debounce_s": "0"})
    (backlog(harness) / "010-hello.md").write_text("# Hello\n")
    story = script("  - role: planner\n    turns:\n      - hang: true\n")

    queued = harness.treadle(*rehearsed(harness, story, "watch", "--detach"))
    watch = Watch(harness, ["attach", queued.stdout.strip(), "--json"])
    item = Watch(harness, ["attach", watch.until("item.started")["run"], "--json"])
    item.until("session.started")
    paused = harness.treadle("pause", queued.stdout.strip())
    ended = watch.running.finish()

    assert paused.exit_code == 0, paused.stderr
    assert item.running.finish().result["reason"] == "interrupted"
    assert [each["reason"] for each in ended.of_type("item.ended")] == ["interrupted"]
    assert ended.result["reason"] == "interrupted"
