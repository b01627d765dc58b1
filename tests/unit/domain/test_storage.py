"""The address of a database is shown without the password in it."""

from pathlib import Path

import pytest

from treadle.domain.storage import Storage, passwords_in, without_password

CASES = [
    ("", "", []),
    ("postgresql://host/name", "postgresql://host/name", []),
    ("postgresql://ada@host:5432/name", "postgresql://ada@host:5432/name", []),
    ("postgresql://ada:pw@host:5432/name", "postgresql://ada:***@host:5432/name", ["pw"]),
    ("postgresql://ada:p%40w@host/n", "postgresql://ada:***@host/n", ["p%40w", "p@w"]),
    ("postgresql://ada:p@w/x@host/n", "postgresql://ada:***@host/n", ["p@w/x"]),
    ("postgres://:pw@host/n", "postgres://:***@host/n", ["pw"]),
    ("postgresql://ada:@host/n", "postgresql://ada:***@host/n", []),
    (
        "postgresql://host/n?user=ada&password=pw&x=y",
        "postgresql://host/n?user=ada&password=***&x=y",
        ["pw"],
    ),
    (
        "postgresql://a:one@host/n?sslpassword=two#end",
        "postgresql://a:***@host/n?sslpassword=***#end",
        ["one", "two"],
    ),
]


@pytest.mark.parametrize(("url", "shown", "secrets"), CASES)
def test_a_password_is_found_wherever_an_address_can_have_one(
    url: str, shown: str, secrets: list[str]
) -> None:
    assert (without_password(url), passwords_in(url)) == (shown, secrets)


def test_a_storage_does_not_print_its_database() -> None:
    assert "pw" not in repr(Storage(Path("/root"), "postgresql://ada:pw@host/n"))
