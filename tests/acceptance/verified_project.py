"""What the drills of verification share: a project with tests, a plan, and what an agent does."""

import json
from collections.abc import Sequence
from typing import Any

from tests.acceptance.harness import CommandHarness, Finished

UNFINISHED = 5
UNITTEST = {"project.test": '"python3 -m unittest -v"'}
GREET = 'def greet(name):\n    return f"hello {name}"\n'
BROKEN_GREET = 'def greet(name):\n    return f"hi {name}"\n'
TEST_GREET = """\
import unittest

from greet import greet


class Greeting(unittest.TestCase):
    def test_hello(self):
        self.assertEqual(greet("ann"), "hello ann")
"""
TEST_OTHER = """\
import unittest


class Other(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(1 + 1, 2)
"""
HELLO = "test_greet.Greeting::test_hello"


def with_files(harness: CommandHarness, **contents: str) -> None:
    """Committed files; two underscores stand for a dot."""
    for name, content in contents.items():
        (harness.project / name.replace("__", ".")).write_text(content)
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "What there is")


def with_tests(harness: CommandHarness) -> None:
    with_files(harness, greet__py=GREET, test_greet__py=TEST_GREET, test_other__py=TEST_OTHER)


def planned(harness: CommandHarness, **checks: str | None) -> None:
    """Deliverables that a person wrote down: each has one criterion, and a check if given."""
    harness.settings({})
    folder = harness.project / ".treadle"
    folder.mkdir()
    entries = []
    for name, command in checks.items():
        criterion = f"{name} can be seen"
        entry = {
            "id": name,
            "description": f"What {name} is about",
            "acceptanceCriteria": [criterion],
            "passed": False,
            "blocked": False,
        }
        if command:
            entry["checks"] = [{"criterion": criterion, "command": command}]
        entries.append(entry)
    (folder / "status.json").write_text(json.dumps({"deliverables": entries}))


def write(path: str, content: str) -> dict[str, Any]:
    return {"tool": "Write", "input": {"file_path": path, "content": content}}


def shell(command: str) -> dict[str, Any]:
    return {"tool": "Bash", "input": {"command": command}}


def done(name: str = "DL1") -> dict[str, Any]:
    given = {"deliverableId": name, "status": "passed"}
    return {"tool": "mcp__treadle__set_deliverable_status", "input": given}


def session(*turns: dict[str, Any], told: Sequence[str] = (), **more: Any) -> str:
    """An implementer who is told this, does that, and says that all is well."""
    first, *rest = (*turns, {"text": "All tests pass. Done."})
    expected = {"expect": list(told)} if told else {}
    said = {"role": "implementer", "turns": [{**expected, **first}, *rest], **more}
    return f"  - {json.dumps(said)}\n"


def seen(finished: Finished) -> str:
    """What a person is shown, however its lines are broken."""
    return " ".join(finished.stderr.replace("│", " ").split())


def objections(finished: Finished) -> list[tuple[str, str]]:
    """What the tests object to after each round, in order: which finding, which test."""
    return [
        (objection["finding"], objection["test"])
        for event in finished.of_type("suite.finished")
        for objection in event["objections"]
    ]


def statuses(harness: CommandHarness) -> dict[str, tuple[bool, str | None]]:
    """Each deliverable of status.json: whether it passed, and how well that is shown."""
    entries = json.loads((harness.project / ".treadle" / "status.json").read_text())["deliverables"]
    return {entry["id"]: (entry["passed"], entry.get("proof")) for entry in entries}
