"""Work that deletes much of the project stands first in the summary and lands only with a yes."""

import json

import pytest

from tests.acceptance.harness import ONE_DELIVERABLE, CommandHarness, Finished, script

FILES = 62
CLEANED_UP = """
  - role: implementer
    turns:
      - tool: Bash
        input:
          command: >-
            python3 -c "import pathlib; [each.unlink() for each in pathlib.Path('data').iterdir()]"
      - tool: Write
        input: {file_path: hello.txt, content: "hello\\n"}
      - tool: mcp__treadle__set_deliverable_status
        input: {deliverableId: DL-001, status: passed}
      - text: Built and cleaned up.
"""


@pytest.fixture
def full(harness: CommandHarness) -> CommandHarness:
    """A project with many files."""
    (harness.project / "data").mkdir()
    for n in range(FILES):
        (harness.project / "data" / f"{n:02}.txt").write_text(f"{n}\n")
    harness.git("add", "-A")
    harness.git("commit", "-q", "-m", "Data")
    return harness


def cleaned_up(full: CommandHarness, settings: dict[str, str] | None = None) -> Finished:
    return full.deliver(script(ONE_DELIVERABLE, CLEANED_UP), settings=settings)


def test_a_mass_deletion_waits_for_a_yes_and_stands_first(full: CommandHarness) -> None:
    finished = cleaned_up(full)

    deleted = "62 of 63 files deleted: data/00.txt, data/01.txt, data/02.txt and 59 more"
    [changes] = finished.of_type("work.changed")
    assert (changes["files_before"], changes["added"], changes["deleted"]) == (63, 1, 62)
    assert finished.exit_code == 0
    assert [event["reason"] for event in finished.of_type("work.kept")] == [
        "it deletes 62 of 63 files (land_ask_deletions = 20), and there is no terminal to ask on"
    ]
    assert len(list((full.project / "data").iterdir())) == FILES
    shown = json.loads(full.treadle("show", "--json").stdout)
    assert shown["alerts"][0] == deleted
    summary = full.treadle("show").stdout.splitlines()
    assert summary[2].startswith("  ! 62 of 63 files deleted: data/00.txt")
    assert "! 62 of 63 files deleted" in finished.stderr

    asked = full.treadle("land")
    assert (asked.exit_code, (full.project / "hello.txt").exists()) == (3, False)
    assert "It deletes 62 of 63 files (land_ask_deletions = 20)." in asked.stderr
    assert full.treadle("land", "--yes").exit_code == 0
    assert (full.project / "hello.txt").exists()
    assert not (full.project / "data").exists()


def test_deletions_that_the_settings_allow_land(full: CommandHarness) -> None:
    allowed = {"land_ask_deletions": "100", "land_ask_deletions_percent": "100"}
    finished = cleaned_up(full, allowed)

    assert finished.exit_code == 0
    assert len(finished.of_type("work.landed")) == 1
    assert not (full.project / "data").exists()
