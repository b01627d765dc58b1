"""Where a git remote is, in every form that git accepts."""

import pytest

from treadle.domain.remote_address import RemoteAddress, parse_remote_url, without_login

ENGINE = ("ada", "engine")


@pytest.mark.parametrize(
    ("url", "address", "web_host", "owner_and_name"),
    [
        (
            "https://github.com/ada/engine.git",
            RemoteAddress("https", "github.com", None, "ada/engine"),
            "github.com",
            ENGINE,
        ),
        (
            "https://ada:secret@GitHub.com/ada/engine/",
            RemoteAddress("https", "github.com", None, "ada/engine"),
            "github.com",
            ENGINE,
        ),
        (
            "https://ghe.example.com:8443/ada/engine",
            RemoteAddress("https", "ghe.example.com", 8443, "ada/engine"),
            "ghe.example.com:8443",
            ENGINE,
        ),
        (
            "git@github.com:ada/engine.git",
            RemoteAddress("ssh", "github.com", None, "ada/engine"),
            "github.com",
            ENGINE,
        ),
        (
            "github.com:ada/engine",
            RemoteAddress("ssh", "github.com", None, "ada/engine"),
            "github.com",
            ENGINE,
        ),
        (
            "ssh://git@ghe.example.com:2222/ada/engine.git",
            RemoteAddress("ssh", "ghe.example.com", 2222, "ada/engine"),
            "ghe.example.com",
            ENGINE,
        ),
        (
            "git+ssh://git@github.com/ada/engine",
            RemoteAddress("ssh", "github.com", None, "ada/engine"),
            "github.com",
            ENGINE,
        ),
        (
            "git@[::1]:ada/engine",
            RemoteAddress("ssh", "::1", None, "ada/engine"),
            "[::1]",
            ENGINE,
        ),
        (
            "git://example.com/engine.git",
            RemoteAddress("git", "example.com", None, "engine"),
            "example.com",
            None,
        ),
        (
            "https://gitlab.com/group/sub/engine.git",
            RemoteAddress("https", "gitlab.com", None, "group/sub/engine"),
            "gitlab.com",
            None,
        ),
        (
            "https://github.com/ada/../engine",
            RemoteAddress("https", "github.com", None, "ada/../engine"),
            "github.com",
            None,
        ),
        (
            "https://github.com/ada/..",
            RemoteAddress("https", "github.com", None, "ada/.."),
            "github.com",
            None,
        ),
        (
            "https://github.com/ada%20b/engine",
            RemoteAddress("https", "github.com", None, "ada b/engine"),
            "github.com",
            None,
        ),
    ],
)
def test_a_remote_on_a_host_is_read(
    url: str, address: RemoteAddress, web_host: str, owner_and_name: tuple[str, str] | None
) -> None:
    found = parse_remote_url(url)

    assert found == address
    assert (found.web_host, found.owner_and_name) == (web_host, owner_and_name)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "/srv/engine.git",
        "../engine.git",
        "./a:b/engine",
        "file:///srv/engine.git",
        "C:\\work\\engine",
        "ext::sh -c x",
        "https://",
        "https://github.com:port/ada/engine",
    ],
)
def test_what_is_on_no_host_is_none(url: str) -> None:
    assert parse_remote_url(url) is None


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://ada:secret@github.com/x", "https://github.com/x"),
        (
            "see https://token@host/x and https://host/y@z",
            "see https://host/x and https://host/y@z",
        ),
        ("https://ada:p@ss@host/x", "https://host/x"),
        ("git@github.com:ada/engine", "git@github.com:ada/engine"),
    ],
)
def test_a_login_in_a_url_is_not_shown(url: str, shown: str) -> None:
    assert without_login(url) == shown
