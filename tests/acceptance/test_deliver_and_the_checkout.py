"""What a run does to the user's own files: nothing, until finished work is landed."""

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, assert_sound, script

SLOWLY = BUILD_IT.replace("      - text: Built and checked.", "      - {delay: 30, text: Built.}")


def test_uncommitted_changes_are_part_of_what_the_agent_sees_and_are_not_lost(
    harness: CommandHarness,
) -> None:
    (harness.project / "SPEC.md").write_text("# A greeting\n\nhello.txt says hello, politely.\n")
    (harness.project / "draft.txt").write_text("mine\n")
    check = BUILD_IT.replace(
        "    turns:\n",
        "    turns:\n      - {tool: Bash, input: {command: cat SPEC.md draft.txt}}\n",
    ).replace("      - tool: Write", "      - expect: [politely, mine]\n        tool: Write")

    finished = harness.deliver(script(ONE_DELIVERABLE, check))

    assert finished.exit_code == 0
    assert harness.git("show", "HEAD~1:draft.txt") == "mine"
    assert "politely" in (harness.project / "SPEC.md").read_text()
    assert (harness.project / "hello.txt").exists()
    assert harness.git("status", "--porcelain") == ""
    assert_sound(harness, finished)


def test_a_checkout_that_changed_meanwhile_is_left_alone(harness: CommandHarness) -> None:
    running = harness.start(script(ONE_DELIVERABLE, BUILD_IT))
    running.until("round.started", number=2)
    (harness.project / "SPEC.md").write_text("changed by hand\n")

    finished = running.finish()

    assert (finished.exit_code, finished.result["reason"]) == (0, "all_passed")
    [kept] = finished.of_type("work.kept")
    assert kept["command"] == f"git merge {kept['branch']}"
    assert (harness.project / "SPEC.md").read_text() == "changed by hand\n"
    assert not (harness.project / "hello.txt").exists()
    assert harness.git("show", f"{kept['branch']}:hello.txt") == "hello"
    assert_sound(harness, finished)


def test_an_empty_repository_gets_its_first_commits_from_the_run(harness: CommandHarness) -> None:
    harness.git("update-ref", "-d", "HEAD")
    harness.git("rm", "-q", "--cached", "SPEC.md")

    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))

    assert finished.exit_code == 0
    assert harness.git("status", "--porcelain") == ""
    assert harness.git("ls-files").splitlines() == ["SPEC.md", "hello.txt"]
    assert_sound(harness, finished)


def test_a_second_run_in_a_project_is_refused_with_the_id_of_the_first(
    harness: CommandHarness,
) -> None:
    running = harness.start(script(ONE_DELIVERABLE, SLOWLY))
    first = running.until("run.started")["run"]

    second = harness.deliver(script(ONE_DELIVERABLE, SLOWLY))

    assert second.exit_code == 1
    assert f"another run is working on this project: {first}" in second.stderr
    running.process.terminate()
    assert running.finish().result["reason"] == "interrupted"


def test_work_of_a_run_that_did_not_land_can_be_landed_later(harness: CommandHarness) -> None:
    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT), "--land", "never")
    assert finished.types()[-2:] == ["work.kept", "run.ended"]

    landed = harness.treadle("land", "last")

    assert (landed.exit_code, harness.git("status", "--porcelain")) == (0, "")
    assert (harness.project / "hello.txt").read_text() == "hello\n"


def test_work_can_land_as_uncommitted_changes(harness: CommandHarness) -> None:
    head = harness.git("rev-parse", "HEAD")

    finished = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT), settings={"commit": "false"})

    assert (finished.exit_code, harness.git("rev-parse", "HEAD")) == (0, head)
    assert harness.git("status", "--porcelain") == "?? hello.txt"
    assert [event["form"] for event in finished.of_type("work.landed")] == ["files"]
    assert_sound(harness, finished)


def test_a_run_that_finds_nothing_to_do_says_that_the_landing_was_taken_back(
    harness: CommandHarness,
) -> None:
    first = harness.deliver(script(ONE_DELIVERABLE, BUILD_IT))
    [landed] = first.of_type("work.landed")
    harness.git("reset", "-q", "--hard", "HEAD~")

    second = harness.deliver(script(BUILD_IT))

    assert (second.result["reason"], second.result["rounds"]) == ("all_passed", 0)
    assert [each["message"] for each in second.of_type("run.warned")][-1] == (
        f"commit {landed['commit'][:12]}, which run {first.lines[0]['run'][-8:]} landed, is no"
        " longer in your checkout, but its deliverables still count as passed: `treadle sync`"
        " checks them again"
    )


def test_commits_of_the_agent_name_the_user_and_no_ai(harness: CommandHarness) -> None:
    committing = BUILD_IT.replace(
        "      - tool: mcp__treadle",
        "      - tool: Bash\n        input: {command: \"git add -A && git commit -q -m 'Say hello' "
        "-m 'Co-Authored-By: Claude <noreply@anthropic.com>'\"}\n      - tool: mcp__treadle",
    )

    finished = harness.deliver(script(ONE_DELIVERABLE, committing))

    assert finished.exit_code == 0
    assert harness.git("log", "-1", "--format=%an|%cn|%B") == "Ada Example|Ada Example|Say hello"
    assert_sound(harness, finished)
