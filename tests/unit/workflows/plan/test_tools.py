"""The manager's tools record what was handed over; the files change only when it is applied."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.builders import RUN, MemoryLog
from treadle.adapters.stores.note_files import NoteFiles
from treadle.domain.agent import ToolReply
from treadle.domain.events.all_events import RecordedEvent
from treadle.domain.events.plan import NoteApplied, NoteSubmitted
from treadle.workflows.plan.specifications import SpecificationFile, writable_folder
from treadle.workflows.plan.tools import ManagerTools, apply_notes

AT = datetime(2026, 5, 4, tzinfo=UTC)
FINDING = "# The greeting is not polite\n\nIt says hello.\n"


@pytest.fixture
def notes(tmp_path: Path) -> NoteFiles:
    for name, text in (("spec-issues/format", "Which one?\n"), ("discuss/polite", FINDING)):
        file = tmp_path / ".treadle" / f"{name}.md"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    return NoteFiles(tmp_path, RUN)


async def call(notes: NoteFiles, log: MemoryLog, tool: str, **given: Any) -> ToolReply:
    def same(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        return arguments

    tools = ManagerTools(notes.read_notes, log.record, same, lambda: len(log.events)).tools()
    [found] = [each for each in tools if each.name == tool]
    return await found.call(given)


def applied(notes: NoteFiles, log: MemoryLog) -> list[object]:
    """What is recorded while all that is open becomes files."""
    later = MemoryLog()
    apply_notes(
        (RecordedEvent(RUN, n, AT, event) for n, event in enumerate(log.events)), notes, later
    )
    return list(later.events)


async def test_files_change_when_the_notes_are_applied(notes: NoteFiles, tmp_path: Path) -> None:
    log, before = MemoryLog(), notes.read_notes()

    await call(notes, log, "add_backlog_item", name="010 Dates", text="Write dates.")
    await call(notes, log, "resolve_issue", name="format.md", resolution="ISO\ndates")
    await call(notes, log, "dismiss_finding", name="polite", reason="It is wanted")
    await call(notes, log, "remember", line="Hello is polite", reason="")

    assert notes.read_notes() == before
    assert log.events == [
        NoteSubmitted("add_item", "010-dates", "Write dates."),
        NoteSubmitted("resolve_issue", "format", "ISO dates"),
        NoteSubmitted("dismiss_finding", "polite", "It is wanted"),
        NoteSubmitted("remember", "Hello is polite", "Hello is polite"),
    ]
    assert applied(notes, log) == [
        NoteApplied("add_item", "010-dates", ".treadle/backlog/010-dates.md"),
        NoteApplied("resolve_issue", "format", ".treadle/spec-issues/format.md"),
        NoteApplied("dismiss_finding", "polite", ".treadle/discuss/polite.md"),
        NoteApplied("remember", "Hello is polite", ".treadle/memory.md"),
    ]
    assert {each.name: each.text for each in notes.read_notes()} == {
        "010-dates": "Write dates.\n",
        "memory": "- Dismissed: The greeting is not polite (because: It is wanted)\n"
        "- Hello is polite\n",
    }


async def test_notes_that_are_applied_again_after_a_kill_change_nothing(
    notes: NoteFiles, tmp_path: Path
) -> None:
    log = MemoryLog()
    await call(notes, log, "add_backlog_item", name="010-dates", text="Write dates.")
    await call(notes, log, "dismiss_finding", name="polite", reason="It is wanted")
    applied(notes, log)
    once = notes.read_notes()

    applied(notes, log)

    assert notes.read_notes() == once


@pytest.mark.parametrize(
    ("tool", "given", "reply"),
    [
        ("add_backlog_item", {"name": "../..", "text": "x"}, "The name needs letters or digits."),
        ("add_backlog_item", {"name": "x"}, "Pass `name` and `text`, both as text."),
        ("add_backlog_item", {"name": " ", "text": "x"}, "Pass `name` and `text`, both as text."),
        (
            "resolve_issue",
            {"name": "other", "resolution": "x"},
            "There is no spec issue 'other'. Known: format, polite.",
        ),
        (
            "dismiss_finding",
            {"name": "format", "reason": "x"},
            "There is no finding 'format'. Known: polite.",
        ),
    ],
)
async def test_a_call_that_cannot_be_kept_says_why(
    notes: NoteFiles, tool: str, given: dict[str, Any], reply: str
) -> None:
    log = MemoryLog()

    assert await call(notes, log, tool, **given) == ToolReply(reply, is_error=True)
    assert log.events == []


@pytest.fixture
def specification(tmp_path: Path) -> SpecificationFile:
    (tmp_path / "SPEC.md").write_text("# Dates\n\nAs ISO. As ISO.\n")
    return SpecificationFile(tmp_path, "SPEC.md")


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("# Dates", "# Times", "# Times\n\nAs ISO. As ISO.\n"),
        ("", "# New\n", "# New\n"),
        ("As ISO.", "x", None),
        ("Nowhere", "x", None),
        (None, "x", None),
    ],
)
async def test_a_specification_in_one_file_is_changed_by_tool(
    specification: SpecificationFile, old: str | None, new: str, text: str | None
) -> None:
    before = (specification.workspace / "SPEC.md").read_text()

    reply = await specification.tool().call({"old": old, "new": new})

    assert reply.is_error == (text is None)
    assert (specification.workspace / "SPEC.md").read_text() == (text or before)


async def test_a_specification_that_is_a_link_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("mine\n")
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "SPEC.md").symlink_to(tmp_path / "outside.md")

    reply = (
        await SpecificationFile(tmp_path / "clone", "SPEC.md")
        .tool()
        .call({"old": "", "new": "yours\n"})
    )

    assert reply.is_error
    assert (tmp_path / "outside.md").read_text() == "mine\n"


def test_only_a_folder_for_specifications_alone_is_writable(tmp_path: Path) -> None:
    assert writable_folder(tmp_path, ".") == ()
    assert writable_folder(tmp_path, "specs/") == (tmp_path / "specs",)
    assert (tmp_path / "specs").is_dir()
