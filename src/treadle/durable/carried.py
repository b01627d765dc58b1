"""Errors on their way past the engine, which would store an ordinary one and repeat it for ever."""


class Raised(BaseException):
    """What a step or a story raised. No story ever sees it."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


class Unstored(Raised):
    """What the engine itself met while it stored something."""
