"""Secrets in the environment, in the repository and in what the model says reach no artefact."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from tests.acceptance.harness import (
    BUILD_IT,
    ONE_DELIVERABLE,
    CommandHarness,
    Finished,
    assert_sound,
    script,
)
from tests.unit.policy.secret_samples import ANTHROPIC, GITHUB, random_letters
from treadle.adapters.agents.claude.binary import bundled_binary
from treadle.adapters.stores.private_files import CredentialFiles
from treadle.rehearsal.fixtures import Rehearse

# Known by its variable, and like nothing that has a shape.
IN_ENVIRONMENT = random_letters(30)[::-1] + "/+=" + random_letters(10)
# Known by nobody.
IN_REPOSITORY = GITHUB
IN_MODEL = ANTHROPIC

WRITTEN = (
    IN_ENVIRONMENT,
    quote(IN_ENVIRONMENT, safe=""),
    base64.b64encode(f"x:{IN_ENVIRONMENT}".encode()).decode(),
    IN_ENVIRONMENT.encode().hex(),
)
PARTS = {
    *(IN_ENVIRONMENT[:14], IN_ENVIRONMENT[-14:], *(form[8:28] for form in WRITTEN)),
    *(IN_REPOSITORY[:16], IN_REPOSITORY[-16:]),
    *(IN_MODEL[:24], IN_MODEL[-24:]),
}


def quoted(text: str) -> str:
    return json.dumps(text)


def long_text(secret: str, *, cut: int) -> str:
    """A text in which a cut after so many letters falls into the middle of the secret."""
    return "ordinary words " * ((cut - 20) // 15) + "x" * ((cut - 20) % 15 + 4) + " " + secret


LEAKY = f"""
  - role: implementer
    turns:
      - text: {quoted(f"The key is {IN_MODEL}, the token {' '.join(WRITTEN)}.")}
        tool: Read
        input: {{file_path: keys.txt}}
      - text: {quoted(long_text(IN_ENVIRONMENT, cut=4000) + " and much more" * 50)}
        tool: Read
        input: {{file_path: long.txt}}
      - tool: Write
        input: {{file_path: .treadle-notes.md, content: {quoted(f"Remember {IN_ENVIRONMENT}")}}}
      - tool: mcp__treadle__create_deliverable
        input:
          deliverables:
            - id: DL-002
              description: {quoted(f"Use {IN_ENVIRONMENT}")}
              acceptanceCriteria: [{quoted(f"not {IN_MODEL}")}]
      - tool: Write
        input: {{file_path: hello.txt, content: "hello\\n"}}
      - tool: mcp__treadle__set_deliverable_status
        input: {{deliverableId: DL-001, status: passed}}
      - tool: mcp__treadle__set_deliverable_status
        input: {{deliverableId: DL-002, status: passed}}
      - text: {quoted(f"<DONE>All is done with {IN_ENVIRONMENT} and {IN_MODEL}</DONE>")}
"""


def artefacts(harness: CommandHarness) -> Iterator[tuple[Path, bytes]]:
    """What Treadle keeps of runs. Not what others do: the agent's own home with its transcripts,
    its workspace, and the script that stands in for the model."""
    others = {"home", "workspace", "rehearsal.yaml"}
    for place in (
        harness.root,
        harness.project / ".treadle",
        harness.project / ".treadle-notes.md",
    ):
        for path in [place, *place.rglob("*")]:
            parts = path.relative_to(harness.directory).parts
            if path.is_file() and not (parts[:2] == ("root", "runs") and others & {*parts[3:4]}):
                yield path, path.read_bytes()


def leaks(harness: CommandHarness, *finished: Finished) -> list[tuple[str, str]]:
    said = [(f"output {n}", (f.stdout + f.stderr).encode()) for n, f in enumerate(finished)]
    stored = [(str(path), content) for path, content in artefacts(harness)]
    return [
        (name, part) for name, text in (*said, *stored) for part in PARTS if part.encode() in text
    ]


def test_no_artefact_of_a_run_holds_a_secret(harness: CommandHarness) -> None:
    (harness.project / "keys.txt").write_text(f"one\ntoken {IN_REPOSITORY}\n")
    (harness.project / "long.txt").write_text(
        long_text(IN_REPOSITORY, cut=1990) + "\n" + "ordinary words\n" * 300
    )
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Keys")
    harness.settings({})
    path = harness.directory / "script.yaml"
    path.write_text(script(ONE_DELIVERABLE, LEAKY))

    finished = harness.treadle(
        *("rehearse", str(path), "--", "deliver", "--json"), DEPLOY_TOKEN=IN_ENVIRONMENT
    )

    assert finished.result["reason"] == "all_passed"
    run = finished.events[0]["run"]
    seen = [harness.treadle(*command.split(), run) for command in ("show", "logs", "logs --json")]
    assert [each.exit_code for each in seen] == [0, 0, 0]
    assert len(list(artefacts(harness))) > 5
    assert leaks(harness, finished, *seen) == []
    assert_sound(harness, finished)


def secret_in(name: str, text: str) -> str:
    return f"""
  - role: implementer
    turns:
      - tool: Write
        input: {{file_path: {name}, content: {quoted(text)}}}
      - tool: Write
        input: {{file_path: hello.txt, content: "hello\\n"}}
      - tool: mcp__treadle__set_deliverable_status
        input: {{deliverableId: DL-001, status: passed}}
      - text: Built and checked.
"""


MENDED = """
  - role: implementer
    turns:
      - expect: "settings.py, line 1: a GitHub token"
        tool: Read
        input: {file_path: settings.py}
      - tool: Write
        input: {file_path: settings.py, content: "import os\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Taken out.
"""


def test_a_credential_in_the_work_is_taken_out_by_the_next_session(harness: CommandHarness) -> None:
    leaking = secret_in("settings.py", f"use('{GITHUB}')\n")

    finished = harness.deliver(script(ONE_DELIVERABLE, leaking, MENDED))

    [withheld] = finished.of_type("work.withheld")
    assert withheld["places"] == [{"path": "settings.py", "line": 1, "kind": "a GitHub token"}]
    assert finished.result["reason"] == "all_passed"
    assert (harness.project / "settings.py").read_text() == "import os\n"
    assert GITHUB not in harness.git("log", "-p", "--all")
    assert GITHUB not in finished.stdout + finished.stderr
    assert_sound(harness, finished)


def test_an_agent_that_never_takes_it_out_ends_stuck(harness: CommandHarness) -> None:
    leaking = secret_in("settings.py", f"use('{GITHUB}')\n").replace(
        "role: implementer", "role: implementer\n    repeat: forever"
    )

    finished = harness.deliver(
        script(ONE_DELIVERABLE, leaking),
        settings={"limits.stuck_rounds": "2", "limits.stuck_repeats": "50"},
    )

    assert finished.result["reason"] == "stuck"
    assert GITHUB not in harness.git("log", "-p", "--all")
    assert harness.git("status", "--porcelain") == ""
    assert_sound(harness, finished)


def test_a_key_that_is_kept_logs_the_agent_in_and_shows_nowhere(
    harness: CommandHarness, rehearse: Rehearse
) -> None:
    """No rehearsal: the user's own binary, on a scripted model that it is not told of."""
    api = rehearse(script(ONE_DELIVERABLE, BUILD_IT))
    harness.settings({})
    CredentialFiles(harness.root).write("anthropic-api-key", IN_MODEL)

    finished = harness.treadle(
        *("deliver", "--json", "--no-sandbox"),
        CLAUDE_BIN=str(bundled_binary()),
        ANTHROPIC_BASE_URL=api.base_url,
    )

    assert finished.result["reason"] == "all_passed"
    kept = str(harness.root / "credentials" / "anthropic-api-key")
    assert [leak for leak in leaks(harness, finished) if leak[0] != kept] == []
