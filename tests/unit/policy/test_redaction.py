"""Secrets are hidden in every text of an event, however deep it lies."""

import pytest

from treadle.domain.deliverable import Deliverable
from treadle.domain.events.agent import AgentSpoke, ToolCalled, UsageReported
from treadle.domain.events.all_events import Event
from treadle.domain.events.work import DeliverableCreated
from treadle.domain.usage import Usage
from treadle.policy.redaction import redactor

KEY = "sk-secret-value"


@pytest.mark.parametrize(
    ("event", "cleaned"),
    [
        (AgentSpoke(f"it is {KEY}."), AgentSpoke("it is ***.")),
        (
            ToolCalled("1", "Bash", {"command": ["echo", KEY], KEY: 1}),
            ToolCalled("1", "Bash", {"command": ["echo", "***"], "***": 1}),
        ),
        (
            DeliverableCreated(Deliverable("D", KEY, (KEY, "b"))),
            DeliverableCreated(Deliverable("D", "***", ("***", "b"))),
        ),
    ],
)
def test_a_secret_is_hidden_wherever_it_stands(event: Event, cleaned: Event) -> None:
    assert redactor([KEY])(event) == cleaned


def test_an_event_without_secrets_is_given_back_as_it_is() -> None:
    event = UsageReported("sonnet", Usage(1, 2), 0.5)

    assert redactor([KEY])(event) is event


def test_the_longer_of_two_secrets_is_hidden_first_and_short_ones_not_at_all() -> None:
    hide = redactor([KEY, KEY + "-and-more", "abc", ""])

    assert hide(AgentSpoke(f"abc {KEY}-and-more {KEY}")) == AgentSpoke("abc *** ***")
