"""Tools are asked on the host; one that fails is skipped with a reason."""

from pathlib import Path

import pytest

from treadle.adapters.packages.package_sources import SkippedTool
from treadle.adapters.packages.tool_queries import FileReader, ToolQueries


def program(folder: Path, text: str) -> ToolQueries:
    path = folder / "tool"
    path.write_text(text)
    path.chmod(0o755)
    return ToolQueries({"SAYS": "hello"}, f"{folder}:/usr/bin:/bin")


async def test_a_tool_answers_with_the_users_variables(tmp_path: Path) -> None:
    queries = program(tmp_path, '#!/bin/sh\necho "$SAYS $1 $PWD"; echo noise >&2\n')

    assert await queries.ask("tool", "x") == "hello x /\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#!/no/such/interpreter\n", "did not start: No such file or directory"),
        ("#!/bin/sh\nexit 3\n", "ended with exit code 3"),
    ],
)
async def test_a_tool_that_fails_is_skipped(text: str, reason: str, tmp_path: Path) -> None:
    assert await program(tmp_path, text).ask("tool") == SkippedTool("tool", reason)


async def test_a_tool_that_hangs_is_skipped(tmp_path: Path) -> None:
    program(tmp_path, "#!/bin/sh\nexec tail -f /dev/null\n")
    queries = ToolQueries({}, f"{tmp_path}:/usr/bin:/bin", seconds=0.1)

    assert await queries.ask("tool") == SkippedTool("tool", "no answer within 0.1 seconds")


async def test_a_tool_that_is_not_installed_has_no_answer(tmp_path: Path) -> None:
    assert await ToolQueries({}, str(tmp_path)).ask("tool") is None


async def test_an_answer_is_remembered(tmp_path: Path) -> None:
    queries = program(tmp_path, f'#!/bin/sh\necho x >>{tmp_path}/asked; echo "$1"\n')

    answers = [await queries.ask("tool", each) for each in ("a", "a", "b")]

    assert answers == ["a\n", "a\n", "b\n"]
    assert (tmp_path / "asked").read_text() == "x\nx\n"


async def test_a_scratch_directory_is_removed(tmp_path: Path) -> None:
    queries = program(tmp_path, '#!/bin/sh\necho x >"$PLACE/x"; echo "$PLACE"; exit 1\n')

    folder = await queries.run(
        (str(tmp_path / "tool"),), scratch_variable="PLACE", capture="joined"
    )

    assert isinstance(folder, str)
    assert folder.strip()
    assert not exists(folder.strip())


def exists(path: str) -> bool:
    return Path(path).exists()


def test_a_relative_path_and_what_is_no_file_are_empty(tmp_path: Path) -> None:
    reader = FileReader()
    (tmp_path / "file").write_text("text")

    assert reader.read(tmp_path / "file") == "text"
    assert [reader.read(path) for path in (Path("file"), tmp_path, tmp_path / "none")] == [
        *("", "", "")
    ]
    assert list(reader.contents) == [tmp_path / "file", tmp_path, tmp_path / "none"]
