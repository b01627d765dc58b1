"""A run that is no rehearsal: the user's own binary, login and environment, on a model of theirs.

The model is a scripted one on loopback all the same; the command is not told so.
"""

from pathlib import Path

from tests.acceptance.stage import ONE_DELIVERABLE, Stage, script
from treadle.rehearsal.fixtures import Rehearse
from treadle.wiring.agents.claude import lend_login

LOOK_AROUND = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: 'env; echo "named: $(env | grep -c PLANTED)"'}
      - expect: ["named: 0", "LANG=C.UTF-8"]
        tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and checked.
"""

OLDER = Path(__file__).parents[2] / ".venv" / "older-claude/claude_agent_sdk/_bundled/claude"


def test_the_oldest_tested_binary_delivers_and_the_summary_says_unsandboxed(
    stage: Stage, rehearse: Rehearse
) -> None:
    api = rehearse(script(ONE_DELIVERABLE, LOOK_AROUND))
    stage.settings({})

    finished = stage.treadle(
        *("deliver", "--no-sandbox"),
        CLAUDE_BIN=str(OLDER),
        ANTHROPIC_BASE_URL=api.base_url,
        ANTHROPIC_API_KEY="dummy",
        PLANTED_SECRET="must not be seen",
    )

    assert finished.exit_code == 0
    assert "sandbox       none: this run was unsandboxed" in finished.stderr
    assert "unsandboxed: the agent can do what you can do on this machine" in finished.stderr
    assert (stage.project / "hello.txt").read_text() == "hello\n"
    assert "must not be seen" not in str([request.json() for request in api.requests])


def test_the_older_binary_is_really_an_older_one(stage: Stage) -> None:
    found = stage.treadle("doctor", CLAUDE_BIN=str(OLDER), ANTHROPIC_API_KEY="dummy")

    assert "Claude Code 2.1.211 from CLAUDE_BIN" in found.stdout
    assert "✔ login     api key (not shown)" in found.stdout
    assert "dummy" not in found.stdout


def test_a_real_model_without_a_sandbox_has_to_be_asked_for(stage: Stage) -> None:
    refused = stage.treadle("deliver", ANTHROPIC_API_KEY="dummy")

    assert refused.exit_code == 2
    assert refused.stderr == (
        "treadle: there is no sandbox yet, so a run on a real model needs --no-sandbox\n"
        "  hint: use a machine you can lose, or rehearse with `treadle rehearse`\n"
    )


def test_without_a_login_nothing_is_started(stage: Stage) -> None:
    refused = stage.treadle("deliver", "--no-sandbox")

    assert refused.exit_code == 4
    assert refused.stderr.splitlines()[-2:] == [
        "treadle: Claude Code has no login",
        "  hint: run `treadle auth set anthropic-api-key`, set ANTHROPIC_API_KEY, or log in with"
        " Claude Code's own /login",
    ]
    assert stage.treadle("ls", "--json").stdout.strip() == "[]"


def test_a_login_of_claude_code_is_found_and_not_shown(stage: Stage) -> None:
    credentials = stage.home / ".claude" / ".credentials.json"
    credentials.parent.mkdir()
    credentials.write_text('{"token": "planted"}')

    found = stage.treadle("doctor")

    assert "✔ login     subscription (not shown)" in found.stdout
    assert "planted" not in found.stdout + found.stderr


def test_a_login_is_lent_to_the_private_home_and_stays_where_it_is(tmp_path: Path) -> None:
    home, private = tmp_path / "home", tmp_path / "private"
    credentials = home / ".claude" / ".credentials.json"
    credentials.parent.mkdir(parents=True)
    credentials.write_text("first")

    lend_login("subscription", home=home, private_home=private)
    credentials.write_text("renewed")

    assert (private / ".claude" / ".credentials.json").read_text() == "renewed"


def test_a_key_is_not_kept_in_the_private_home(tmp_path: Path) -> None:
    lend_login("api key", home=tmp_path / "home", private_home=tmp_path / "private")

    assert list(tmp_path.iterdir()) == []
