"""What a stranger's treadle.toml opens: nothing until it is trusted, and then the run says so."""

from pathlib import Path

import pytest

from tests.acceptance.harness import BUILD_IT, ONE_DELIVERABLE, CommandHarness, script
from tests.acceptance.test_init_command import Machine

REACH_OUT = """
  - role: implementer
    turns:
      - tool: Bash
        input: {command: 'python3 look.py'}
      - expect: "seen by the agent"
        text: Seen.
"""


def test_a_run_in_an_opened_sandbox_needs_trust_and_says_so_once(harness: CommandHarness) -> None:
    data = harness.directory / "data"
    data.mkdir()
    (data / "note.txt").write_text("seen by the agent")
    (harness.project / "look.py").write_text(f"print(open('{data}/note.txt').read())\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "A way to look")
    opened = {"sandbox.readable": f'["{data}"]'}
    rehearsal = script(ONE_DELIVERABLE, REACH_OUT, BUILD_IT)

    refused = harness.deliver(rehearsal, settings=opened)
    trusted = harness.treadle("trust", "--yes")
    finished = harness.deliver(rehearsal, settings=opened)

    assert (refused.exit_code, refused.stdout, refused.stderr) == (
        2,
        "",
        "treadle: treadle.toml:5: sandbox.readable needs your approval\n"
        "  hint: review and accept it with `treadle trust`\n",
    )
    assert (trusted.exit_code, finished.exit_code) == (0, 0)
    assert [
        event["message"]
        for event in finished.of_type("run.warned")
        if event["message"].startswith("the sandbox is opened")
    ] == [f"the sandbox is opened: readable {data}"]


@pytest.mark.parametrize(
    ("answer", "code", "said", "afterwards"),
    [
        ("y\n", 0, "Accepted.", 0),
        ("n\n", 1, "Not trusted.", 2),
        ("\n", 1, "Not trusted.", 2),
    ],
)
def test_a_person_is_asked(
    answer: str, code: int, said: str, afterwards: int, tmp_path: Path
) -> None:
    machine = Machine(tmp_path / "home", tmp_path / "project")
    for directory in (machine.home, machine.project):
        directory.mkdir()
    (machine.project / "treadle.toml").write_text('sandbox.network = "open"\n')

    ended = machine.on_a_terminal("trust", answers=answer)

    assert (ended.code, said in ended.err) == (code, True)
    assert ended.out == (
        f"treadle.toml in {machine.project} opens:\n"
        '  sandbox.network = "open": the agent reaches whatever this machine can, services on its'
        " loopback included\n"
    )
    assert machine.treadle("init", "--yes").code == afterwards
