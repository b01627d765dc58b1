"""What was asked for and what came out survive being stored, whoever reads them."""

from pathlib import Path

import pytest
from hypothesis import given

from tests.builders import RUN, values_of
from treadle.adapters.stores.run_list import run_directory
from treadle.domain.deliverable import Tally
from treadle.domain.errors import ProjectError
from treadle.domain.run import RunResult
from treadle.domain.run_request import RunRequest
from treadle.domain.usage import Usage
from treadle.runs.engine_names import leg_name, own_queue, run_of
from treadle.runs.request_json import (
    read_request,
    request_from,
    request_json,
    result_from,
    result_json,
    store_request,
)

ASKED = RunRequest(
    run=RUN,
    project_dir="/project with spaces",
    flags={"limits.max_cost_usd": 2.5, "quota.wait": True, "agent.model": "sonnet"},
    no_sandbox=True,
    rehearsal=False,
    allow_destructive=True,
    leg=3,
    so_far=RunResult("interrupted", 2, Tally(1, 0, 3), 1.5, Usage(10, 20, 30, 40), 61.5, "why"),
)


def test_a_request_is_the_same_after_it_was_stored() -> None:
    assert request_from(request_json(ASKED)) == ASKED


@given(values_of(RunResult))
def test_a_result_is_the_same_after_it_was_stored(result: RunResult) -> None:
    assert result_from(result_json(result)) == result


def test_the_last_request_is_kept_with_the_run_for_its_owner_alone(tmp_path: Path) -> None:
    store_request(tmp_path, RunRequest(RUN, "/project", {}, no_sandbox=False, rehearsal=True))
    store_request(tmp_path, ASKED)

    assert read_request(tmp_path, RUN) == ASKED
    assert run_directory(tmp_path, RUN).stat().st_mode & 0o777 == 0o700
    assert [path.name for path in run_directory(tmp_path, RUN).iterdir()] == ["request.json"]


@pytest.mark.parametrize("text", [None, "", "{", "[]", '{"run": 1}'])
def test_a_request_that_cannot_be_read_is_one_clear_line(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        run_directory(tmp_path, RUN).mkdir(parents=True)
        (run_directory(tmp_path, RUN) / "request.json").write_text(text)

    with pytest.raises(ProjectError) as refused:
        read_request(tmp_path, RUN)

    assert refused.value.message == "the stored request of run 9abcdef0 cannot be read"
    assert refused.value.hint == (
        "start a new run with `treadle deliver`; it continues from this one's branch"
    )


@pytest.mark.parametrize(("leg", "name"), [(1, RUN), (2, f"{RUN}.2"), (13, f"{RUN}.13")])
def test_every_leg_of_a_run_has_a_name_at_the_engine_that_leads_back_to_the_run(
    leg: int, name: str
) -> None:
    assert (leg_name(RUN, leg), run_of(name)) == (name, RUN)


def test_a_run_in_the_foreground_has_a_queue_that_is_no_others() -> None:
    assert own_queue(RUN) == f"run.{RUN}"
