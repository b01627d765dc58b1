"""Bad input gets one clear line and what to do next, never a traceback."""

import pytest

from tests.acceptance.stage import Stage


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["deliver", "-p", "nowhere"], "treadle: nowhere does not exist"),
        (["deliver", "-p", "SPEC.md"], "treadle: SPEC.md is not a directory"),
        (["deliver", "--max-cost", "0"], "limits.max_cost_usd on the command line: expected"),
        (["deliver", "--max-cost", "much"], "Invalid value for '--max-cost'"),
        (["deliver", "--lnd", "auto"], "No such option '--lnd'"),
        (["delivr"], "No such command 'delivr'"),
        (["show", "ffffffff"], "treadle: there is no run 'ffffffff'"),
        (["rehearse", "nothing.yaml", "--", "deliver"], "nothing.yaml"),
        (["rehearse", "nothing.yaml"], "treadle: a rehearsal needs a workflow to rehearse"),
        (["land"], "treadle: there are no runs yet"),
    ],
)
def test_a_wrong_command_line_is_refused_in_words(
    stage: Stage, arguments: list[str], complaint: str
) -> None:
    refused = stage.treadle(*arguments)

    assert refused.exit_code == 2
    assert complaint in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(
    ("toml", "complaint"),
    [
        ("[limits]\nmax_cots_usd = 3\n", "treadle.toml:2: limits.max_cots_usd: unknown key"),
        ('[limits]\nmax_cost_usd = "ten"\n', "treadle.toml:2: limits.max_cost_usd: expected a n"),
        ("[limits\n", "treadle.toml:1: "),
        ("version = 9\n", "written by a newer Treadle"),
    ],
)
def test_a_wrong_settings_file_is_refused_with_its_line(
    stage: Stage, toml: str, complaint: str
) -> None:
    (stage.project / "treadle.toml").write_text(toml)

    refused = stage.treadle("deliver", "--no-sandbox")

    assert refused.exit_code == 2
    assert complaint in refused.stderr
    assert "hint: " in refused.stderr


def test_a_project_without_a_specification_is_refused(stage: Stage) -> None:
    (stage.project / "SPEC.md").unlink()

    refused = stage.treadle("deliver", "--no-sandbox", ANTHROPIC_API_KEY="dummy")

    assert refused.exit_code == 2
    assert f"treadle: no SPEC.md in {stage.project}" in refused.stderr


def test_a_directory_that_is_no_repository_is_refused(stage: Stage) -> None:
    plain = stage.directory / "plain"
    plain.mkdir()
    (plain / "SPEC.md").write_text("# x\n")

    refused = stage.treadle("deliver", "--no-sandbox", "-p", str(plain))

    assert refused.exit_code == 1
    assert "is not a git repository" in refused.stderr
    assert "hint: run `treadle init`" in refused.stderr


def test_a_binary_that_is_not_there_is_named(stage: Stage) -> None:
    refused = stage.treadle(
        "deliver", "--no-sandbox", CLAUDE_BIN="/no/such/claude", ANTHROPIC_API_KEY="dummy"
    )

    assert refused.exit_code == 1
    assert "CLAUDE_BIN names /no/such/claude, which is not an executable file" in refused.stderr


def test_a_broken_status_file_is_refused_with_its_line(stage: Stage) -> None:
    (stage.project / ".treadle").mkdir()
    (stage.project / ".treadle" / "status.json").write_text('{\n "deliverables": [\n  {"id": 1}]}')

    refused = stage.treadle("status")

    assert refused.exit_code == 1
    assert "status.json:3: a deliverable needs an `id`" in refused.stderr


def test_a_root_that_cannot_be_written_is_named(stage: Stage) -> None:
    stage.root.write_text("a file in the way")
    stage.settings({})

    refused = stage.treadle("deliver", "--no-sandbox", ANTHROPIC_API_KEY="dummy")

    assert refused.exit_code == 1
    assert f"treadle: cannot write {stage.root}/locks: Not a directory" in refused.stderr
    assert "hint: free some space there, or check its permissions" in refused.stderr


def test_bare_treadle_prints_help_with_the_exit_codes(stage: Stage) -> None:
    shown = stage.treadle()

    assert shown.exit_code == 0
    assert shown.stdout.startswith("Usage: treadle")
    assert "130  interrupted" in shown.stdout
    assert stage.treadle("help").stdout == shown.stdout
