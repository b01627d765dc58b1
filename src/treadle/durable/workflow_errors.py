"""Errors of durable workflows: steps that no longer fit, and errors the engine must not store."""

from pydantic import ValidationError

from treadle.durable.port import WorkflowChanged


def step_changed(*, now: str, stored: str) -> WorkflowChanged:
    """The order or the names of the steps are others than those that are stored."""
    return WorkflowChanged(
        f"this run was begun by another version of Treadle: its next step was “{stored}”"
        f" and is “{now}” now",
        hint="finish it with the version that began it, or start a new run",
    )


def result_changed(name: str, error: ValidationError) -> WorkflowChanged:
    """A stored result is none of the type that its step promises."""
    return WorkflowChanged(
        f"this run was begun by another version of Treadle: the result of its step “{name}”"
        f" does not fit ({error.error_count()} differences)",
        hint="finish it with the version that began it, or start a new run",
    )


class BypassError(BaseException):
    """What a step or a story raised. No story ever sees it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class StoreBypassError(BypassError):
    """What the engine itself met while it stored something."""
