"""Files of secrets: left out, never landed; what tests need reaches the tests and not the agent."""

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, assert_sound, script
from tests.unit.policy.secret_samples import GITHUB

CLAIM = """
  - role: implementer
    turns:
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: It works without the file.
"""


def with_first(session: str, *turns: str) -> str:
    return session.replace("    turns:\n", "    turns:\n" + "".join(turns), 1)


def test_an_untracked_env_file_is_named_at_the_start_and_does_not_land(
    harness: CommandHarness,
) -> None:
    (harness.project / ".env").write_text(f"GITHUB_TOKEN={GITHUB}\n")
    (harness.project / "draft.txt").write_text("mine\n")
    look = "      - {tool: Bash, input: {command: ls -a}}\n"

    finished = harness.deliver(script(ONE_DELIVERABLE, with_first(BUILD_IT, look)))

    assert finished.exit_code == 0
    [told] = [w["message"] for w in finished.of_type("run.warned") if ".env" in w["message"]]
    assert told.startswith("left out of the run: .env (untracked, and looks like a secret file)")
    assert ".env" not in finished.of_type("tool.finished")[1]["output"].split()
    assert "to workspace.include if tests need it" in " ".join(finished.stderr.split())
    assert harness.git("ls-files").splitlines() == ["SPEC.md", "draft.txt", "hello.txt"]
    assert harness.git("status", "--porcelain") == "?? .env"
    assert harness.git("log", "--all", "--format=%H", "--", ".env") == ""
    assert GITHUB not in finished.stdout
    assert_sound(harness, finished)


def test_an_env_file_of_the_agent_is_left_out_and_the_next_session_is_told(
    harness: CommandHarness,
) -> None:
    commit = "printf 'DEBUG=1' > .env.local && git add -A && git commit -qm Mine"
    mine = f"      - {{tool: Bash, input: {{command: {commit!r}}}}}\n"
    told = CLAIM.replace(
        "      - tool", "      - expect: [.env.local, .env.example]\n        tool", 1
    )

    finished = harness.deliver(script(ONE_DELIVERABLE, with_first(BUILD_IT, mine), told))

    assert (finished.exit_code, finished.result["rounds"]) == (0, 3)
    assert finished.of_type("work.withheld")[0]["places"] == [
        {"path": ".env.local", "line": 0, "kind": "a file of secrets"}
    ]
    assert harness.git("ls-files").splitlines() == ["SPEC.md", "hello.txt"]
    assert_sound(harness, finished)


def test_included_files_reach_setup_and_tests_and_the_agent_only_those_for_it(
    harness: CommandHarness,
) -> None:
    (harness.project / ".gitignore").write_text(".env.test\nconfig/\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Ignore")
    (harness.project / ".env.test").write_text("DB_PASSWORD=tr0ub4dor-and-3\n")
    (harness.project / "config").mkdir()
    (harness.project / "config/local.json").write_text("{}\n")
    settings = {
        "workspace.include": '[".env.test"]',
        "workspace.include_for_agent": '["config/*.json"]',
        "project.setup": '"cat .env.test config/local.json"',
        "project.test": '"cat .env.test config/local.json"',
    }
    harness.settings(settings)
    refused = harness.treadle("deliver")
    assert "workspace.include needs your approval" in refused.stderr
    assert harness.treadle("trust", "--yes").exit_code == 0
    look = "      - {tool: Bash, input: {command: ls -a . config}}\n"

    finished = harness.deliver(
        script(ONE_DELIVERABLE, with_first(BUILD_IT, look)), settings=settings
    )

    assert finished.exit_code == 0
    outputs = [event["output"] for event in finished.of_type("setup.finished", "suite.finished")]
    # Setup of the workspace and of two checkouts, and the tests on both.
    assert outputs == ["DB_PASSWORD=***\n{}\n"] * 5
    seen = finished.of_type("tool.finished")[1]["output"].split()
    assert (".env.test" in seen, "local.json" in seen) == (False, True)
    assert harness.git("ls-files").splitlines() == [".gitignore", "SPEC.md", "hello.txt"]
    copies = [path for path in harness.root.rglob(".env.test") if path.is_file()]
    assert copies == []
    assert_sound(harness, finished)
