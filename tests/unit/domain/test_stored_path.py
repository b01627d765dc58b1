"""A path of any bytes can be stored as text, and comes back as it was."""

import os
from pathlib import Path

import pytest

from treadle.domain.stored_path import path_from, stored_path


@pytest.mark.parametrize(
    ("path", "stored"),
    [
        (b"/home/ada/project", "/home/ada/project"),
        ("/srv/Grüße %41".encode(), "/srv/Grüße %41"),
        (b"/srv/a\xff%41", "file:///srv/a%FF%2541"),
        (b"/srv/\xfc b/c", "file:///srv/%FC%20b/c"),
    ],
)
def test_a_path_that_is_not_utf_8_is_stored_as_an_address(path: bytes, stored: str) -> None:
    original = Path(os.fsdecode(path))

    assert stored_path(original) == stored
    assert path_from(stored) == original
