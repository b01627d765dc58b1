"""The parser on streams that real binaries printed, at both ends of the tested range."""

from typing import Any

import pytest

from tests.unit.adapters.agents.claude.recorded_events import (
    MAX_COST_USD,
    SCENARIOS,
    VERSIONS,
    Version,
    started,
)
from tests.unit.adapters.agents.claude.recorded_streams import RECORDINGS, recorded
from treadle.adapters.agents.claude.binary import TESTED_FROM, TESTED_TO
from treadle.adapters.agents.claude.stream_parser import StreamParser
from treadle.domain.agent import AgentEnded, AgentEvent, Heartbeat
from treadle.domain.events.agent import MessageSkipped
from treadle.domain.session import Completed, Crashed


def parsed(messages: list[dict[str, Any]]) -> list[AgentEvent]:
    parser = StreamParser(max_cost_usd=MAX_COST_USD)
    return [event for message in messages for event in parser.parse(message)]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.number)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_recorded_stream_reads_as_these_events(scenario: str, version: Version) -> None:
    events = parsed(recorded(version.number, scenario))

    told = [event for event in events if not isinstance(event, Heartbeat)]
    assert told == [started(version), *SCENARIOS[scenario](version)]


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.number)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_recorded_message_is_known_and_a_sign_of_life(
    scenario: str, version: Version
) -> None:
    parser = StreamParser(max_cost_usd=MAX_COST_USD)
    for message in recorded(version.number, scenario):
        events = parser.parse(message)

        assert events
        assert not [event for event in events if isinstance(event, MessageSkipped)]


def test_both_ends_of_the_tested_range_are_recorded() -> None:
    numbers = [".".join(map(str, version)) for version in (TESTED_TO, TESTED_FROM)]

    assert [version.number for version in VERSIONS] == numbers
    assert {path.relative_to(RECORDINGS).as_posix() for path in RECORDINGS.rglob("*.jsonl")} == {
        f"{number}/{scenario}.jsonl" for number in numbers for scenario in SCENARIOS
    }


def test_recordings_hold_nothing_of_the_machine_they_were_made_on() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in RECORDINGS.rglob("*.jsonl"))

    assert [
        place for place in ('"/tmp', '"/root', '"/work', '"/Users', "rehearsal") if place in text
    ] == []


def test_a_resumed_conversation_is_charged_for_what_is_new_alone() -> None:
    parser = StreamParser(max_cost_usd=1.0, cost_before_usd=0.0003, resumed=True)
    events = [e for m in recorded("2.1.325", "api_retry") for e in parser.parse(m)]

    (ended,) = [event for event in events if isinstance(event, AgentEnded)]
    assert ended == AgentEnded(Completed("recovered"), cost_usd=0.0001, usage=None, turns=1)


def test_a_conversation_that_begins_anew_is_charged_for_all_of_it() -> None:
    parser = StreamParser(max_cost_usd=1.0, cost_before_usd=0.0003, resumed=False)
    events = [e for m in recorded("2.1.325", "api_retry") for e in parser.parse(m)]

    (ended,) = [event for event in events if isinstance(event, AgentEnded)]
    assert ended.cost_usd == 0.0004


@pytest.mark.parametrize(
    ("stderr", "message"),
    [
        ("", "the agent process ended without a result"),
        ("one\nout of memory\n\n", "the agent process ended without a result: out of memory"),
    ],
)
def test_a_stream_without_a_result_is_a_crash_with_the_last_words(
    stderr: str, message: str
) -> None:
    parser = StreamParser(max_cost_usd=1.0)

    assert parser.end_of_stream(exit_code=137, stderr=stderr) == [AgentEnded(Crashed(message, 137))]
