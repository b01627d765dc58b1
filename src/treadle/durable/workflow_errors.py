"""Errors of durable workflows: steps that no longer fit, and errors the engine must not store."""

from pydantic import ValidationError

from treadle.durable.port import WorkflowChanged

NEXT_LEG = "`treadle resume` continues in a new leg"


def step_changed(*, now: str, stored: str) -> WorkflowChanged:
    """The order or the names of the steps differ from the stored ones."""
    return WorkflowChanged(
        f"this run was started by another version of Treadle: its next step was “{stored}”"
        f" and is “{now}” now",
        hint=NEXT_LEG,
    )


def result_changed(name: str, error: ValidationError) -> WorkflowChanged:
    """A stored result does not fit the type of its step."""
    return WorkflowChanged(
        f"this run was started by another version of Treadle: the result of its step “{name}”"
        f" does not fit ({error.error_count()} differences)",
        hint=NEXT_LEG,
    )


class BypassError(BaseException):
    """Wraps an error of a step or workflow, so that the engine does not store it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class StoreBypassError(BypassError):
    """Wraps an error that the engine met while storing."""
