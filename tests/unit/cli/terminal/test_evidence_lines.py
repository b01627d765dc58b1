"""What a person looks at first is listed in full, however much of it there is."""

from datetime import UTC

from treadle.cli.terminal.fact_lines import alert_lines
from treadle.cli.terminal.palette import PLAIN
from treadle.cli.terminal.styled_lines import RenderOptions, Verbosity, format_line
from treadle.domain.events.verification import TouchedFile
from treadle.domain.events.work import ToolFile
from treadle.views.log_state import LogState
from treadle.views.verification_state import VerificationState

OPTIONS = RenderOptions(Verbosity.NORMAL, 100, PLAIN, UTC)


def test_every_tool_file_and_every_judge_is_named_the_tool_files_first() -> None:
    tool_files = tuple(ToolFile(f"{n}/.npmrc", "added", "ask", "npm runs it") for n in range(40))
    changed = tuple(TouchedFile(f"lint/{n}.toml", "lint", "changed") for n in range(40))
    added = tuple(TouchedFile(f"ci/{n}.yml", "ci", "added") for n in range(9))
    state = LogState(tool_files=tool_files, verified=VerificationState(touched=(*changed, *added)))

    lines = [format_line(line, OPTIONS) for line in alert_lines(state, OPTIONS)]

    assert lines == [
        "  ! changed files that tools run by themselves: 40 files",
        *(f"    added {n}/.npmrc (npm runs it)" for n in range(40)),
        "  ! changed tests, checks or their configuration: 40 files",
        *(f"    changed lint/{n}.toml (lint)" for n in range(40)),
        f"  also added: {', '.join(f'ci/{n}.yml (ci)' for n in range(5))}, ci/5.yml",
        "│ (ci), ci/6.yml (ci), ci/7.yml (ci), ci/8.yml (ci)",
        "",
    ]


def test_a_path_is_shown_to_its_end_however_long_it_is() -> None:
    path = "a/" * 200 + ".npmrc"
    state = LogState(tool_files=(ToolFile(path, "added", "ask", "npm runs it"),))

    lines = [format_line(line, OPTIONS) for line in alert_lines(state, OPTIONS)]

    shown = "".join(line.strip(" │") for line in lines[1:])
    assert shown.replace(" ", "") == f"added{path}(npmrunsit)"
