"""Files that we write ourselves: taken away whole, and in one line what the disk refused."""

import shutil
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


def remove(path: Path) -> None:
    """Whatever is there, if anything; a link goes, not what it points to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
