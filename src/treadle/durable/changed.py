"""What a person is told when stored steps are not those of the story as it is written now."""

from pydantic import ValidationError

from treadle.durable.port import StoryChanged


def step_changed(*, now: str, stored: str) -> StoryChanged:
    """The order or the names of the steps are others than those that are stored."""
    return StoryChanged(
        f"this run was begun by another version of Treadle: its next step was “{stored}”"
        f" and is “{now}” now",
        hint="finish it with the version that began it, or start a new run",
    )


def result_changed(name: str, error: ValidationError) -> StoryChanged:
    """A stored result is none of the type that its step promises."""
    return StoryChanged(
        f"this run was begun by another version of Treadle: the result of its step “{name}”"
        f" does not fit ({error.error_count()} differences)",
        hint="finish it with the version that began it, or start a new run",
    )
