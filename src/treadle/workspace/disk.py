"""Says in one line what the disk refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from treadle.domain.errors import ProjectError


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """A full disk or a missing permission below `path` becomes an error that a person can read."""
    try:
        yield
    except OSError as error:
        raise ProjectError(
            f"cannot write {error.filename or path}: {error.strerror}",
            hint="free some space there, or check its permissions with `ls -ld`",
        ) from error
